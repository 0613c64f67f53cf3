#!/usr/bin/env python3
"""Checks that each test, page and command of TRUST.md exists, and that DESIGN.md lists all `unsafe` code; `run [WORD]` executes the commands.

`run` leaves the long measurements out (`make soak-…`, `make bench-…`), and stops a command after ten minutes.

Exit code 1 if something does not exist or is not listed, or if a command fails.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

PAGE = Path("TRUST.md")
DESIGN = Path("DESIGN.md")
UNSAFE = r"\bunsafe (fn|impl|extern|\{)|\bunsafe\("
# A command that takes longer is stopped, which says nothing of its promises.
MOST_SECONDS = 600


def rows() -> list[list[str]]:
    """The cells of each promise."""
    promises = PAGE.read_text().split("\n## The models", 1)[0]
    cells = [line.strip("|\n ").split(" | ") for line in promises.splitlines() if line.startswith("| ")]
    return [row for row in cells if row[0] != "promise"]


def commands(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def packages() -> dict[str, Path]:
    folders = ["crates", "rig", "examples"]
    manifests = [Path("Cargo.toml"), *(found for folder in folders for found in Path(folder).glob("*/Cargo.toml"))]
    # Python 3.10 has no reader of TOML; the first name is that of the package.
    return {
        re.search(r'^name = "([^"]+)"', manifest.read_text(), re.MULTILINE)[1]: manifest.parent for manifest in manifests
    }


def has_test(file: Path, test: str) -> bool:
    """Whether it is a function of Rust, an argument of a macro that becomes one, or the file itself."""
    pattern = rf"\bfn {test}\b|^    {test}[,(:]|\({test},"
    return test == file.name or bool(re.search(pattern, file.read_text(), re.MULTILINE))


def faults_of_evidence(cell: str) -> list[str]:
    """What is wrong with links: a file that is missing, or a test that is not in its file."""
    faults = []
    for name, path in re.findall(r"\[([^\]]+)\]\(([^)#]+)[^)]*\)", cell):
        file = Path(path)
        if not file.exists():
            faults.append(f"there is no {path}")
        elif (test := name.strip("`")) != name and not has_test(file, test):
            faults.append(f"{path} has no test {test}")
    return faults if "](" in cell else ["a row without a link proves nothing"]


def fault_of_command(command: str) -> str | None:
    words = shlex.split(command)
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", Path("Makefile").read_text(), re.MULTILINE)
        return None if words[1] in targets else f"the Makefile has no target {words[1]}"
    if words[:3] == ["cargo", "test", "-p"]:
        root = packages().get(words[3])
        if root is None:
            return f"there is no package {words[3]}"
        tests = [words[at + 1] for at, word in enumerate(words) if word == "--test"]
        missing = [
            test
            for test in tests
            if not any((root / "tests" / place).exists() for place in (f"{test}.rs", f"{test}/main.rs"))
        ]
        has_some = tests or ("--lib" in words and (root / "src/lib.rs").exists())
        return None if has_some and not missing else f"{words[3]} has no tests {missing}"
    return "a command is of make or cargo test"


def faults_of_unsafe() -> list[str]:
    """Files with `unsafe` code that no row of the table in DESIGN.md covers, and places of the table without any."""
    section = DESIGN.read_text().split("### Where is `unsafe` code?", 1)[1].split("\n#", 1)[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    places = [place for cell in cells for place in re.findall(r"`([^`]+)`", cell)]
    found = subprocess.run(["git", "ls-files", "*.rs"], capture_output=True, text=True, check=True).stdout.split()
    files = [file for file in found if re.search(UNSAFE, Path(file).read_text())]
    unlisted = [file for file in files if not any(file == place or file.startswith(f"{place}/") for place in places)]
    without = [place for place in places if not any(file == place or file.startswith(f"{place}/") for file in files)]
    return [f"{file} has unsafe code, and {DESIGN} does not list it" for file in unlisted] + [
        f"{DESIGN} lists {place}, which has no unsafe code" for place in without
    ]


def check() -> int:
    faults = faults_of_unsafe()
    table = rows()
    for row in table:
        found = [f"{len(row)} cells instead of 4"] if len(row) != 4 else faults_of_evidence(row[1])
        asked = commands(row[2]) if len(row) == 4 else []
        found += [] if asked else ["no command"]
        found += [fault for command in asked if (fault := fault_of_command(command))]
        faults += [f"{PAGE}: {row[0]}: {fault}" for fault in found]
    if len(table) < 20:
        faults.append(f"{PAGE}: only {len(table)} promises were found")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def is_long(command: str) -> bool:
    return command.startswith(("make soak", "make bench"))


def execute(command: str) -> tuple[int | None, str]:
    """The exit code, or None if the command was stopped, and what it printed. It is stopped with all that it has started."""
    # The words are of this repository's own page.
    program = subprocess.Popen(
        shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        printed, _ = program.communicate(timeout=MOST_SECONDS)
        return program.returncode, printed
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGTERM)
        return None, program.communicate()[0]


def run(word: str) -> int:
    wanted = {}
    for row in rows():
        if word in " ".join(row):
            for command in commands(row[2]):
                wanted.setdefault(command, []).append(row[0])
    short = []
    for command, promises in wanted.items():
        begun = time.monotonic()
        code, printed = (None, "") if is_long(command) else execute(command)
        if is_long(command):
            result = "a long measurement, not run"
        elif code is None:
            result = "takes longer than ten minutes"
        else:
            result = "holds" if code == 0 else f"FAILS with {code}"
        print(f"{result:>30} {time.monotonic() - begun:6.0f} s  {command}", flush=True)
        if code:
            short += promises
            print("\n".join(printed.splitlines()[-20:]), file=sys.stderr, flush=True)
    for promise in short:
        print(f"falls short: {promise}", file=sys.stderr)
    if not wanted:
        print(f"no promise contains {word!r}", file=sys.stderr)
    return 1 if short or not wanted else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            sys.exit(check())
        case ["run", *words]:
            sys.exit(check() or run(" ".join(words)))
        case _:
            sys.exit(__doc__)
