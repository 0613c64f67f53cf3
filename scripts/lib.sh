# Functions for the setup scripts: messages and the installation of packages. To be sourced, not run.

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# True if this script may install packages.
may_install() { [ "$(id -u)" = 0 ] && have apt-get; }

# install_packages WHY PACKAGE...: installs what is missing, or says what to install.
install_packages() {
  local why=$1 package missing=()
  shift
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  may_install || die "$why needs: ${missing[*]}. Install them as root: apt-get install ${missing[*]}"
  say "$why needs ${missing[*]}: installing with apt-get"
  # Two parts of `make test` may install packages at the same time.
  exec 9>/run/lock/idgen-apt && flock 9
  local apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
  export DEBIAN_FRONTEND=noninteractive
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null 2>&1 9>&- && { exec 9>&-; return 0; }
  # A fresh machine has no package lists, or outdated ones.
  "${apt[@]}" update </dev/null 9>&-
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null 9>&- \
    || die "apt-get could not install ${missing[*]}"
  exec 9>&-
}

# The packages of the workspace that are published, one in a line.
published() {
  cargo metadata --no-deps --format-version 1 \
    | python3 -c 'import json, sys; print(*(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] is None), sep="\n")'
}
