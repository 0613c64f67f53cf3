#!/usr/bin/env python3
"""Checks that every relative link of a Markdown file leads to a file, and its anchor to a heading, and that READMEs which registries show are
complete there: their links lead out of the package by an address, and no line of code is one that only rustdoc hides.

Exit code 1 if something is not so.
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path


def without_code(text: str) -> str:
    """Returns the text without code, in which links and headings are examples."""
    return re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.S | re.M)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of the headings, and those that the page sets itself."""
    text = without_code(page.read_text())
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#+\s+(.*)$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (again := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(again)
    return found


def links(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text()))
    inline = re.findall(r'\]\(([^)\s]+)(?:\s+"[^"]*")?\)', text)
    reference = re.findall(r"^\[[^\]]+\]:\s+(\S+)", text, re.M)
    html = re.findall(r'(?:src|href)="([^"]+)"', text)
    return [link for link in inline + reference + html if not re.match(r"[a-z]+:", link)]


def fault(page: Path, link: str) -> str | None:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return "there is no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.resolve()):
        return "the page has no such heading"
    return None


# crates.io, PyPI and npm show these pages away from their folders. The others are read in the repository or in an archive.
SHOWN = re.compile(r"crates/[^/]+/README\.md|bindings/(js|program|python)/README\.md")


def faults_where_shown(page: Path) -> list[str]:
    """Returns what a registry would show wrongly of the README of a package."""
    text = page.read_text()
    outward = [link for link in links(page) if not (page.parent / link.partition("#")[0]).resolve().is_relative_to(page.parent.resolve())]
    code = re.findall(r"^```rust\n(.*?)^```", text, re.S | re.M)
    hidden = [line for block in code for line in block.splitlines() if re.match(r"# |#$", line)]
    return [f"{link}: the registry has no such page: write its address" for link in outward] + [
        f"{line}: only rustdoc hides this line" for line in hidden
    ]


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True)
    # A symbolic link is left out: its page is checked at its real place.
    pages = [page for page in map(Path, listed.stdout.split("\n")) if page.is_file() and not page.is_symlink()]
    faults = [f"{page}: {link}: {found}" for page in pages for link in links(page) if (found := fault(page, link))]
    faults += [f"{page}: {found}" for page in pages if SHOWN.fullmatch(str(page)) for found in faults_where_shown(page)]
    for found in faults:
        print(found, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
