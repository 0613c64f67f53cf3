#!/usr/bin/env bash
# Builds and tests the Kotlin package on the JVM, publishes it to a local Maven repository, and uses it from there.
#
#   scripts/kotlin.sh test          everything (make test-kotlin): two to four minutes
#   scripts/kotlin.sh publish DIR   the package in a Maven repository in this folder, with the native library of this machine
#   scripts/kotlin.sh bundle DIR OUT   the archive that Maven Central takes, of the repository in DIR, signed with the key of gpg
#   scripts/kotlin.sh bench [PAGE]  the speed table; replaces the one of a page (make bench-kotlin)
#
#   IDGEN_CASES, IDGEN_CASES_SEED   as in scripts/c.sh
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

readonly PACKAGE=bindings/kotlin OUT=$PWD/bindings/kotlin/target
# The first version of the file is that of the package.
VERSION=$(sed -n '0,/.*<version>\(.*\)<\/version>.*/s//\1/p' $PACKAGE/pom.xml)
readonly VERSION
readonly MVN=(mvn --quiet --batch-mode --no-transfer-progress)
# The standard library of the tests; the one of the published package is older.
readonly NEWEST=(-Dkotlin.oldest=2.4.21)
OLDEST=$(sed -n 's|.*<kotlin.oldest>\(.*\)</kotlin.oldest>|\1|p' $PACKAGE/pom.xml)
readonly OLDEST

have mvn || install_packages "the Kotlin package" maven
have jar || install_packages "the Kotlin package" default-jdk-headless
install_packages "the archive for Maven Central" gnupg zip unzip

# JNA looks for the library in a folder of its name for the platform.
platform() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo linux-x86-64 libidgen_c.so ;;
    Linux-aarch64) echo linux-aarch64 libidgen_c.so ;;
    Darwin-x86_64) echo darwin-x86-64 libidgen_c.dylib ;;
    Darwin-arm64) echo darwin-aarch64 libidgen_c.dylib ;;
    *) die "no folder of JNA is known for $(uname -s) $(uname -m)" ;;
  esac
}

native() {
  local folder file
  read -r folder file <<<"$(platform)"
  mkdir -p "$OUT/native/$folder"
  cp "bindings/c/target/release/$file" "$OUT/native/$folder/"
}

publish() {
  (cd $PACKAGE && "${MVN[@]}" deploy -DskipTests -DaltDeploymentRepository="local::file://$1")
}

# What a Maven repository must have for a package that is published.
check_publication() {
  local base=$1/io/github/idgen/idgen-keys/$VERSION/idgen-keys-$VERSION content
  for file in .pom .jar -sources.jar -javadoc.jar; do
    [ -s "$base$file" ] || die "the publication lacks idgen-keys-$VERSION$file"
  done
  content=$(jar tf "$base.jar")
  for entry in META-INF/LICENSE-APACHE META-INF/LICENSE-MIT io/github/idgen/UuidGenerator.class "$(platform | tr ' ' /)"; do
    grep -qx "$entry" <<<"$content" || die "the jar lacks $entry"
  done
  jar tf "$base-sources.jar" | grep -q 'Kinds.kt$' || die "the sources jar has no sources"
  jar tf "$base-javadoc.jar" | grep -q 'UuidGenerator.html$' || die "the javadoc jar has no page of UuidGenerator"
  for element in name description url licenses developers scm; do
    grep -q "<$element>" "$base.pom" || die "the pom lacks <$element>"
  done
}

# bundle DIR OUT: each file with its signature and its checksums, which Maven has written beside the files.
bundle() {
  local base=io/github/idgen/idgen-keys/$VERSION file
  rm -f "$2"
  (
    cd "$1"
    rm -f "$base"/*.asc
    for file in "$base"/*.{jar,pom}; do gpg --batch --quiet --armor --detach-sign "$file"; done
    zip --quiet -X "$2" "$base"/*.{jar,pom,asc,md5,sha1}
  )
}

# The archive, signed with a key of this test, as Maven Central checks it.
check_bundle() {
  local folder file sum
  folder=$(mktemp -d)
  export GNUPGHOME=$folder/gpg
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-generate-key "test of idgen" default default never 2>/dev/null
  bundle "$1" "$folder/bundle.zip"
  unzip -q "$folder/bundle.zip" -d "$folder/content"
  for file in "$folder/content/io/github/idgen/idgen-keys/$VERSION"/*.{jar,pom}; do
    gpg --batch --quiet --verify "$file.asc" "$file" 2>/dev/null || die "the signature of $(basename "$file") is not that of the file"
    for sum in md5 sha1; do
      [ "$(cat "$file.$sum")" = "$(${sum}sum "$file" | cut -d ' ' -f 1)" ] || die "the $sum of $(basename "$file") is not that of the file"
    done
  done
  gpgconf --kill all
  unset GNUPGHOME
  rm -rf "$folder"
}

# Follows the README as a new user would: an app of its own, with the package from the repository. The second run continues the first.
# With a second argument, with this older Kotlin, where the types of ids and times need an option.
quick_start() {
  local folder=$OUT/quick-start
  rm -rf "$folder" && mkdir -p "$folder/src/main/kotlin"
  # Maven keeps a copy of what it has resolved, which may be of an earlier build.
  rm -rf ~/.m2/repository/io/github/idgen
  scripts/quick-start.py $PACKAGE/README.md xml >"$folder/pom.xml"
  scripts/quick-start.py $PACKAGE/README.md kotlin >"$folder/src/main/kotlin/Main.kt"
  sed -i "s|file:///path/to/repository|file://$1|" "$folder/pom.xml"
  if [ -n "${2:-}" ]; then
    sed -i "s|<version>2.4.21</version>|<version>$2</version>|; \
      s|<executions>|<configuration><args>$(scripts/quick-start.py $PACKAGE/README.md xml 2 | tr -d '\n')</args></configuration>&|" "$folder/pom.xml"
  fi
  (
    cd "$folder"
    "${MVN[@]}" compile
    for run in first second; do "${MVN[@]}" exec:java -Dexec.mainClass=MainKt >$run; done
    [ "$(wc -l <first)" = 7 ] || die "the example of $PACKAGE/README.md prints other lines: $(cat first)"
    cat first second | grep '^id ' | LC_ALL=C sort -cu || die "the ids of $PACKAGE/README.md do not ascend"
  )
  rm -rf ~/.m2/repository/io/github/idgen
}

# The same in Java, against the jar of the repository, with the standard library that its pom names, which the older quick start has downloaded.
java_quick_start() {
  local folder=$OUT/quick-start-java jars
  rm -rf "$folder" && mkdir -p "$folder"
  scripts/quick-start.py $PACKAGE/README.md java >"$folder/Main.java"
  jars=$1/io/github/idgen/idgen-keys/$VERSION/idgen-keys-$VERSION.jar:$(find ~/.m2/repository/{net/java/dev/jna/jna/5.19.1,org/jetbrains/kotlin/kotlin-stdlib/$OLDEST} -name '*.jar' | paste -sd:)
  (
    cd "$folder"
    javac -Xlint:all -cp "$jars" Main.java
    for run in first second; do java -cp "$jars:." Main >$run; done
    [ "$(wc -l <first)" = 4 ] || die "the Java example of $PACKAGE/README.md prints other lines: $(cat first)"
    cat first second | grep -o '^id [0-9a-f-]*' | LC_ALL=C sort -cu || die "the ids of $PACKAGE/README.md do not ascend"
  )
}

prepare() {
  scripts/c.sh tools
  native
}

case ${1:-test} in
  test)
    prepare
    export IDGEN_CASES=${IDGEN_CASES:-100000} IDGEN_CASES_FILE=$OUT/cases.jsonl
    target/debug/examples/cases "$IDGEN_CASES" "${IDGEN_CASES_SEED:-$(date +%s)}" >"$IDGEN_CASES_FILE"
    rm -rf "$OUT/repository"
    # The tests run, and what passes is published.
    (cd $PACKAGE && "${MVN[@]}" "${NEWEST[@]}" deploy -DaltDeploymentRepository="local::file://$OUT/repository")
    classpath=$OUT/classes:$OUT/test-classes:$(find ~/.m2/repository/{net/java/dev/jna/jna/5.19.1,com/google/code/gson/gson/2.15.0,org/jetbrains/kotlin/kotlin-stdlib/2.4.21} -name '*.jar' | paste -sd:)
    scripts/state-turns.sh "$PWD/bindings/c/target/c/kill.so" "$PWD/target/debug/examples/continue" \
      java -Xshare:auto -XX:TieredStopAtLevel=1 -cp "$classpath" io.github.idgen.Continue
    check_publication "$OUT/repository"
    check_bundle "$OUT/repository"
    quick_start "$OUT/repository"
    quick_start "$OUT/repository" "$OLDEST"
    java_quick_start "$OUT/repository"
    ;;
  publish)
    prepare
    publish "$(realpath -m "${2:?the folder of the repository}")"
    ;;
  bundle) bundle "$(realpath "${2:?the folder of the repository}")" "$(realpath -m "${3:?the archive to write}")" ;;
  bench)
    prepare
    (cd $PACKAGE && "${MVN[@]}" "${NEWEST[@]}" test-compile)
    classpath=$OUT/classes:$OUT/test-classes:$(find ~/.m2/repository/{net/java/dev/jna/jna/5.19.1,com/github/f4b6a3/uuid-creator/6.1.1,org/jetbrains/kotlin/kotlin-stdlib/2.4.21} -name '*.jar' | paste -sd:)
    java -cp "$classpath" io.github.idgen.Bench "${@:2}"
    ;;
  *) die "unknown command $1: use test, publish, bundle or bench" ;;
esac
