#!/usr/bin/env python3
"""Executes the tutorials: each command of a page in docs/tutorials, in their order, and compares what it prints.

    scripts/tutorials.py           all pages
    scripts/tutorials.py PAGE…     these pages

    IDGEN   the program, target/debug/idgen by default

A block after the words "Save this as `NAME`" is written to this file. A block `console` has commands after `$ `, and below each
of them its output. Ids, times and numbers differ at each run, so their form is compared. The line `…` stands for any lines. A command
that fails ends the page, unless the sentence above its block names its exit code.

The Python package must be installed in the environment of this script's interpreter, and the TypeScript package must be built
(scripts/js.sh build): the pages install them in blocks `sh`, which are not executed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
ANY_LINES = "…"


class Fault(Exception):
    """What a page says, and what happened instead."""


def blocks(text: str):
    """Yields the language and the content of each block, and the paragraph above it."""
    for block in BLOCK.finditer(text):
        above = text[: block.start()].rstrip().rpartition("\n\n")[2]
        yield block[1], block[2], above


def form(line: str) -> str:
    """Returns the line with the form of ids, times and numbers in their place, and single spaces."""
    line = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>", line)
    line = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", line)
    line = re.sub(r"\d[\d,]*(\.\d+)?(e-?\d+)?", "<number>", line)
    # A table is as wide as its numbers.
    line = re.sub(r"([─═])+", r"\1", re.sub(r" *([│┆]) *", r"\1", line))
    return " ".join(line.split())


def fits(expected: list[str], printed: list[str]) -> bool:
    """Tells whether the printed lines have the form of the expected ones."""
    if not expected:
        return not printed
    if expected[0] == ANY_LINES:
        return any(fits(expected[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and form(expected[0]) == form(printed[0]) and fits(expected[1:], printed[1:])


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Returns each command of a block `console`, and the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def run(command: str, expected: list[str], code: int, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )
    printed = done.stdout.splitlines()
    if done.returncode != code:
        raise Fault(f"{command}\nended with exit code {done.returncode} instead of {code}:\n{done.stdout}{done.stderr}")
    if not fits(expected, printed):
        raise Fault("\n".join([command, "was to print", *expected, "and printed", *printed]))


def execute(page: Path, environment: dict[str, str]) -> int:
    """Executes a page in a folder of its own, and returns the number of its commands."""
    count = 0
    with tempfile.TemporaryDirectory(prefix="idgen-tutorial-") as name:
        folder = Path(name)
        modules = folder / "node_modules"
        modules.mkdir()
        (modules / "idgen-keys").symlink_to(ROOT / "bindings" / "js")
        for language, block, above in blocks(page.read_text()):
            saved = re.search(r"Save this as\s+`([^`]+)`", above)
            if saved:
                (folder / saved[1]).write_text(block)
            if language != "console":
                continue
            code = re.search(r"exit code (\d+)", above)
            for command, expected in commands(block):
                run(command, expected, int(code[1]) if code else 0, folder, environment)
                count += 1
    return count


def main() -> int:
    program = Path(os.environ.get("IDGEN", ROOT / "target" / "debug" / "idgen")).resolve()
    with tempfile.TemporaryDirectory(prefix="idgen-tutorial-") as name:
        (Path(name) / "idgen").symlink_to(program)
        path = os.pathsep.join([name, str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = os.environ | {"PATH": path, "COLUMNS": "100"}
        pages = [Path(page) for page in sys.argv[1:]] or sorted(PAGES.glob("*.md"))
        for page in pages:
            if not program.is_file() and re.search(r"^\$ (.*\| )?idgen ", page.read_text(), re.M):
                print(f"tutorials: there is no program {program}: run `cargo build`, or name another one with IDGEN", file=sys.stderr)
                return 1
            try:
                count = execute(page, environment)
            except Fault as fault:
                print(f"tutorials: {page}: {fault}", file=sys.stderr)
                return 1
            if not count:
                print(f"tutorials: {page} has no command", file=sys.stderr)
                return 1
            print(f"tutorials: {page.name}: {count} commands print what the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
