#!/usr/bin/env python3
"""Checks what CONTRIBUTING.md says about the tree: files, targets of the Makefile, numbers of files, and who may import whom. What AGENTS.md
names must exist, too, and its packages.

    scripts/contributing.py            `make lint` does this
    scripts/contributing.py --write    writes the numbers of files

A number of files is followed by the command that lists them, as in: 12 files (`git grep -l …`). Exit code 1 if something is not so.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
AGENTS = ROOT / "AGENTS.md"
COUNT = re.compile(r"\b(\d+) files \(`(git grep [^`]+)`\)")
IMPORTS = "## Where to find the code"


def output(command: list[str]) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def metadata() -> list[dict]:
    """Returns the packages of the workspace."""
    return json.loads(output(["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]))["packages"]


def counted(command: str) -> int:
    return len(output(shlex.split(command)).splitlines())


def counts(text: str) -> list[str]:
    faults = []
    for number, command in COUNT.findall(text):
        found = counted(command)
        if found != int(number):
            faults.append(f"{number} files are {found} by `{command}`: run scripts/contributing.py --write")
    return faults if COUNT.search(text) else ["no number of files has its command"]


def is_ignored(path: str) -> bool:
    """Tells whether git ignores `path`: a build makes it, so that a fresh clone does not have it."""
    return subprocess.run(["git", "check-ignore", "--quiet", path], cwd=ROOT, check=False).returncode == 0


def spans(text: str) -> list[str]:
    """Returns what is wrong with the names in code: files, targets and packages that do not exist."""
    makefile = (ROOT / "Makefile").read_text()
    packages = {package["name"] for package in metadata()}
    ignored = ("NAME", "…", "*")
    faults = []
    for span in re.findall(r"`([^`\n]+)`", text):
        words = span.split()
        if words[0] == "make" and not re.search(rf"^{re.escape(words[1])}:", makefile, re.M):
            faults.append(f"the Makefile has no target {words[1]}")
        if words[:3] == ["cargo", "test", "-p"] and words[3] not in packages:
            faults.append(f"there is no package {words[3]}")
        is_path = re.fullmatch(r"[\w.-]+(/[\w.-]+)+", words[0])
        if is_path and not (ROOT / words[0]).exists() and not is_ignored(words[0]):
            faults.append(f"there is no {words[0]}")
    return [fault for fault in faults if not any(word in fault for word in ignored)]


def upward(text: str) -> list[str]:
    """Returns the packages that import one of a higher row of the table, or that are in no row."""
    table = [line for line in text.partition(IMPORTS)[2].splitlines() if line.startswith("| `")]
    rows = {place.rstrip("/"): row for row, line in enumerate(table) for place in re.findall(r"`([^`]+)`", line.split(" | ")[0])}
    packages, places = metadata(), {}
    for package in packages:
        folder = Path(package["manifest_path"]).parent
        places[package["name"]] = "src" if folder == ROOT else folder.relative_to(ROOT).as_posix()
    faults = []
    for package in packages:
        place = places[package["name"]]
        # The benchmarks measure, and nothing imports them.
        if place == "benches":
            continue
        if place not in rows:
            faults.append(f"the table of places has no row for {place}")
            continue
        for needed in package["dependencies"]:
            lower = places.get(needed["name"])
            if lower and needed["kind"] is None and rows.get(lower, -1) < rows[place]:
                faults.append(f"{place} imports {lower}, which is above it in the table of places")
    return faults


def main() -> int:
    if "--write" in sys.argv[1:]:
        text = COUNT.sub(lambda found: f"{counted(found[2])} files (`{found[2]}`)", PAGE.read_text())
        PAGE.write_text(text)
    text = PAGE.read_text()
    faults = [f"{PAGE.name}: {fault}" for fault in counts(text) + spans(text) + upward(text)]
    faults += [f"{AGENTS.name}: {fault}" for fault in spans(AGENTS.read_text())]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
