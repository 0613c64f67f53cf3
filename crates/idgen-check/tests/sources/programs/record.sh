#!/usr/bin/env bash
# Makes the recordings again, in another folder: record.sh FOLDER. Programs that are not installed are left out.
#
#   IDGEN_SOURCES=FOLDER cargo test -p idgen-check --test sources --test seeds     # the tests with the new ids
set -euo pipefail
folder=$(realpath -m "${1:?name a folder for the recordings}")
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$folder"

# record NAME COUNT COMMAND... : COMMAND FORM COUNT prints the ids, where FORM is the name without the language
record() {
  local name=$1 count=$2
  shift 2
  "$@" "${name#*-}" "$count" </dev/null >"$folder/$name.txt"
}

# all LANGUAGE COMMAND... , with lines of FORM COUNT
all() {
  local language=$1 form count
  shift
  while read -r form count; do
    record "$language-$form" "$count" "$@"
  done
}

have() { command -v "$1" >/dev/null || { echo "record.sh: $1 is not installed, so its ids are left out" >&2; return 1; }; }

have node && all node node node.js <<'FORMS'
secure 250
snippet 14
y-of-two-bits 14
32-digits 14
36-digits 14
bytes 14
uuid-fallback 14
s4 14
s4-version-4 14
hex-of-fractions 14
uuid-fast 14
1e7 14
three-js 14
gap-of-one 14
time-added 20
performance-now 20
FORMS

# SpiderMonkey and JavaScriptCore, which have the same source. Without `--`, jsc would take the arguments as its own.
browsers=$(cat <<'FORMS'
snippet 120
y-of-two-bits 120
32-digits 120
36-digits 120
bytes 40
uuid-fallback 40
s4 40
s4-version-4 40
uuid-fast 40
1e7 120
FORMS
)
have gjs && all gjs gjs node.js <<<"$browsers"
have jsc && all jsc jsc node.js -- <<<"$browsers"

# page FORM COUNT: the ids that node.js makes in Chromium
page() {
  { printf '<body><script>const ARGV = ["%s", "%s"], lines = [], print = (line) => lines.push(line);</script><script>' "$@"
    cat node.js
    echo '</script><script>document.body.textContent = lines.join(" ");</script>'; } >"$build/page.html"
  chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$build/page.html" 2>"$build/chromium.log" \
    | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
}
have chromium && all chromium page <<<"$browsers"

have python3 && all python python3 python.py <<'FORMS'
secure 250
getrandbits-128 400
getrandbits-128-all-bits 180
randbytes 400
getrandbits-4 240
getrandbits-8 210
choices 360
seed-seconds 4
seed-milliseconds 4
seed-42 4
fraction-16 360
FORMS

have python3 && { python3 -c 'import numpy' 2>/dev/null || ! echo "record.sh: NumPy is not installed" >&2; } \
  && all numpy python3 numpy_legacy.py <<'FORMS'
bytes 400
randint-256 270
randint-16 240
seed-seconds 4
FORMS

have python3 && python3 -c 'import numpy' 2>/dev/null && all numpy python3 numpy_generator.py <<'FORMS'
rng-seed-42 4
rng-seed-seconds 4
rng-seed-milliseconds 4
FORMS

have ruby && all ruby ruby ruby.rb <<'FORMS'
secure 250
random-bytes 400
seed-seconds 4
rand-16 240
rand-256 270
sample 240
FORMS

have php && all php php php.php <<'FORMS'
secure 250
mt-rand-ffff 250
seed-seconds 4
mt-rand-15 240
mt-rand-255 270
mt-rand-remainder 260
rand-ffff 250
5-ffff 250
FORMS

have java && all java java Java.java <<'FORMS'
secure 250
nextlong 8
nextlong-version-4 8
nextbytes 8
nextint-16 8
nextint-65536 8
nextint-masked 8
math-random 8
splittable 8
threadlocal 8
seed-milliseconds 4
seed-microseconds 4
seed-nanotime 4
FORMS

have lua && all lua lua lua.lua <<'FORMS'
whole 8
FORMS

have luajit && all luajit luajit lua.lua <<'FORMS'
snippet 8
FORMS

have fpc && fpc -v0 -o"$build/pascal" -FU"$build" pascal.pas >/dev/null && all pascal "$build/pascal" <<'FORMS'
random 240
FORMS

have perl && all perl perl perl.pl <<'FORMS'
rand 8
FORMS

have cc && cc -o "$build/c" c.c && all c "$build/c" <<'FORMS'
rand-16 12
rand-256 12
rand-ffff 12
lrand48-16 8
lrand48-ffff 8
drand48-16 8
seed-microseconds 4
initstate-256 12
initstate-ffff 12
FORMS

have gsl-config && cc -o "$build/gsl" gsl.c -lgsl -lgslcblas && all gsl "$build/gsl" <<'FORMS'
taus-digits 12
taus-words 12
FORMS

# jars NAME URL... : downloads them into a folder of this name
jars() {
  local name=$1
  shift
  mkdir -p "$build/$name" && (cd "$build/$name" && for url; do curl -sSfO "https://repo1.maven.org/maven2/$url" || return 1; done)
}

rng=org/apache/commons/commons-rng
have java && jars commons $rng-client-api/1.6/commons-rng-client-api-1.6.jar $rng-core/1.6/commons-rng-core-1.6.jar \
  $rng-simple/1.6/commons-rng-simple-1.6.jar && all commons java -cp "$build/commons/*" Commons.java <<'FORMS'
well512-bytes 30
well512-16 30
FORMS

have java && jars ssj ca/umontreal/iro/simul/ssj/3.3.2/ssj-3.3.2.jar && all ssj java -cp "$build/ssj/*" Ssj.java <<'FORMS'
lfsr113-16 12
FORMS

have java && jars dsi it/unimi/dsi/dsiutils/2.3.3/dsiutils-2.3.3.jar it/unimi/dsi/fastutil-core/8.5.15/fastutil-core-8.5.15.jar \
  org/apache/commons/commons-math3/3.6.1/commons-math3-3.6.1.jar && all dsi java -cp "$build/dsi/*" Dsi.java <<'FORMS'
xorshift64-star 8
FORMS

# package NAME VERSION : unpacks an npm package into $build/package
package() {
  rm -rf "$build/package"
  (cd "$build" && tar xzf "$(npm pack --silent "$1@$2")")
}

have npm && package hermes-engine-cli 0.12.0 && "$build/package/linux64-bin/hermes" hermes.js >"$folder/hermes-snippet.txt"
have mujs && mujs hermes.js >"$folder/mujs-snippet.txt"

have npm && have node && package seedrandom 3.0.5 && all seedrandom node seedrandom.js "$build/package" <<'FORMS'
xor128 12
FORMS

# A program of .NET 8 with its runtime, which runs dotnet.cs first.
dotnet() {
  IDS="$*" DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_STARTUP_HOOKS="$build/dotnet.dll" "$build/package/Sarif.Multitool"
}
have npm && have mcs && mcs -target:library -out:"$build/dotnet.dll" dotnet.cs && package @microsoft/sarif-multitool-linux 5.7.0 \
  && chmod +x "$build/package/Sarif.Multitool" && all dotnet dotnet <<'FORMS'
nextbytes 8
nextbytes-guid 8
rnd-16 8
FORMS

have musl-gcc && musl-gcc -o "$build/musl" c.c && all musl "$build/musl" <<'FORMS'
rand-16 8
rand-256 8
rand-ffff 8
FORMS

have arm-none-eabi-gcc && have qemu-arm && arm-none-eabi-gcc --specs=rdimon.specs -mcpu=cortex-a7 -o "$build/newlib" c.c \
  && all newlib qemu-arm "$build/newlib" <<'FORMS'
rand-16 8
rand-256 8
rand-ffff 8
FORMS

# Debian keeps wine64 where PATH does not lead. Its programs end lines as Windows does.
wine64=$(command -v wine64 /usr/lib/wine/wine64 | head -n 1) || true
wine() {
  WINEPREFIX="$build/wine" WINEDEBUG=-all "$wine64" "$@" >"$build/wine.out" 2>"$build/wine.log"
  tr -d '\r' <"$build/wine.out"
}
have "${wine64:-wine64}" && have x86_64-w64-mingw32-gcc && x86_64-w64-mingw32-gcc -o "$build/windows.exe" c.c \
  && all windows wine "$build/windows.exe" <<'FORMS'
rand-16 8
rand-256 8
FORMS

have "${wine64:-wine64}" && all windows wine cscript //nologo vbscript.vbs <<'FORMS'
rnd-16 8
FORMS

have cargo && CARGO_TARGET_DIR="$build" cargo build -q --manifest-path rust/Cargo.toml && all rust "$build/debug/ids" <<'FORMS'
xorshift128 8
xoroshiro128-star-star 8
xoshiro128-star-star 8
xoshiro256-star-star 8
splitmix64 8
unity-16 8
unity-256 8
xoroshiro128-plus 20
xoshiro256-plus 40
pcg32 12
FORMS

have tclsh && all tcl tclsh tcl.tcl <<'FORMS'
rand 8
FORMS

have gdc && gdc -o "$build/phobos" phobos.d && all phobos "$build/phobos" <<'FORMS'
xorshift64-13-7-17 8
xorshift64-12-25-27 8
xorshift128 8
FORMS

have c++ && c++ -o "$build/cpp" cpp.cpp && all cpp "$build/cpp" <<'FORMS'
mt19937 240
lcg-1664525 8
lcg-mmix 8
mt19937-64 400
seed-seconds 4
minstd-rand0 8
minstd-rand 8
FORMS

have go && go build -o "$build/go" go.go && all go "$build/go" <<'FORMS'
secure 250
read 420
intn-256 60
intn-16 40
float64-16 40
uint32 180
uint64 340
FORMS

have go && (cd fastrand && go build -o "$build/fastrand" .) && all fastrand "$build/fastrand" <<'FORMS'
uint32 8
uint32n-16 8
FORMS

have mcs && mcs -out:"$build/mono.exe" mono.cs && all mono mono "$build/mono.exe" <<'FORMS'
nextbytes-guid 16
next-16 16
FORMS
exit 0
