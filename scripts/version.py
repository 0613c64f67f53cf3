#!/usr/bin/env python3
"""The version of all packages of this repository, which many files contain.

    scripts/version.py                    checks that all files have the same version; `make lint` does this
    scripts/version.py 0.2.0              writes it into all files, and begins its section in CHANGELOG.md
    scripts/version.py --notes [VERSION]  prints the section of CHANGELOG.md, for the notes of a release; by default the unreleased one

The records and pages of measurements keep the version that was measured. Exit code 1 if versions differ, or if a file has none any more.
"""

import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHANGELOG = ROOT / "CHANGELOG.md"
UNRELEASED = "## Unreleased"
VERSION = r"(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)"
MANIFEST = rf'^version = "{VERSION}"$'
HEADER = rf'#define IDGEN_VERSION "{VERSION}"'
NPM = rf'"name": "idgen-keys",\n\s+"version": "{VERSION}"'
TARBALL = rf"idgen-keys-{VERSION}\.tgz"
MAVEN = rf"<artifactId>idgen-keys</artifactId>\s*<version>{VERSION}</version>"

# Each file, and what is around the version there. All occurrences count, and there must be one.
PLACES = [
    ("Cargo.toml", MANIFEST),
    ("Cargo.toml", rf'path = "crates/[^"]+", version = "{VERSION}"'),
    ("bindings/c/Cargo.toml", MANIFEST),
    ("bindings/c/cbindgen.toml", HEADER),
    ("bindings/c/include/idgen.h", HEADER),
    ("bindings/js/package-lock.json", NPM),
    ("bindings/js/package.json", NPM),
    ("bindings/kotlin/README.md", MAVEN),
    ("bindings/kotlin/README.md", rf'"io\.github\.idgen:idgen-keys:{VERSION}"'),
    ("bindings/kotlin/pom.xml", MAVEN),
    ("bindings/python/Cargo.toml", MANIFEST),
    ("docs/install.md", TARBALL),
    ("docs/offline.md", TARBALL),
    ("docs/tutorials/offline.md", TARBALL),
]
# Packages without a source are those of this repository.
LOCKED = rf'^name = "[^"]+"\nversion = "{VERSION}"\n(?!source = )'
# Drivers and programs of tests, which have no version of their own.
NO_VERSION = "0.0.0"


def places() -> list[tuple[Path, str]]:
    locks = subprocess.run(["git", "ls-files", "*Cargo.lock"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [*PLACES, *((file, LOCKED) for file in locks.stdout.split() if has_version(ROOT / file))]
    return [(ROOT / file, pattern) for file, pattern in files]


def has_version(lock: Path) -> bool:
    return any(found != NO_VERSION for found in re.findall(LOCKED, lock.read_text(), re.M))


def check() -> list[str]:
    """Returns what is wrong with the versions."""
    wanted = re.search(MANIFEST, (ROOT / "Cargo.toml").read_text(), re.M)[1]
    faults = []
    for path, pattern in places():
        found = [version for version in re.findall(pattern, path.read_text(), re.M) if version != NO_VERSION]
        name = path.relative_to(ROOT)
        if not found:
            faults.append(f"{name} has no version where scripts/version.py looks for it: correct PLACES")
        faults += [f"{name} has the version {version}, and Cargo.toml has {wanted}" for version in found if version != wanted]
    return faults


def write(version: str) -> None:
    def replaced(match: re.Match[str]) -> str:
        start, end = (at - match.start() for at in match.span(1))
        return match[0] if match[1] == NO_VERSION else match[0][:start] + version + match[0][end:]

    for path, pattern in places():
        path.write_text(re.sub(pattern, replaced, path.read_text(), flags=re.M))
    text = CHANGELOG.read_text()
    if f"\n## {version} " not in text:
        CHANGELOG.write_text(text.replace(UNRELEASED, f"{UNRELEASED}\n\n## {version} - {datetime.date.today()}", 1))


def notes(version: str | None) -> str:
    heading = re.escape(UNRELEASED) if version is None else rf"## {re.escape(version)} - \S+"
    section = re.search(rf"^{heading}\n+(.*?)(?=^## |\Z)", CHANGELOG.read_text(), re.S | re.M)
    if section is None:
        sys.exit(f"version: CHANGELOG.md has no section of {version or 'what is unreleased'}")
    return section[1].rstrip()


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--notes"]:
        print(notes(arguments[1] if len(arguments) > 1 else None))
        return
    if arguments:
        if not re.fullmatch(VERSION, arguments[0]):
            sys.exit(f"version: {arguments[0]} is no version, such as 0.2.0")
        write(arguments[0])
    faults = check()
    for fault in faults:
        print(f"version: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
