#!/usr/bin/env python3
"""Writes llms.txt, the list of pages for programs, from README.md, docs/README.md and the first sentence of each page.

    scripts/llms.py            compares llms.txt with these pages; `make lint` does this
    scripts/llms.py --write    writes it

Exit code 1 if llms.txt differs, or if a page of docs/ is in no section of docs/README.md.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "llms.txt"
INDEX = ROOT / "docs" / "README.md"
ADDRESS = "https://raw.githubusercontent.com/idgen/idgen/main/"
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(?:#[^)]*)?\)")


def paragraphs(page: Path) -> list[str]:
    """Returns the paragraphs of a page that are prose, each in one line."""
    text = re.sub(r"^---\n.*?^---\n|^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    found = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return [part for part in found if part and not re.match(r"#|\||-|!|\d+\.|<", part)]


def first_sentence(page: Path) -> str:
    text = LINK.sub(r"\1", paragraphs(page)[0])
    return re.split(r"(?<=\.) |(?<=:) (?=[A-Z0-9])", text)[0].rstrip(":")


def title(page: Path) -> str:
    found = re.search(r"^# (.*)$", page.read_text(), re.M)
    return found[1].replace("`", "") if found else page.name


def sections() -> dict[str, list[Path]]:
    """Returns the pages of each section of the index, each in the first section that links to it."""
    found: dict[str, list[Path]] = {}
    seen: set[Path] = set()
    for part in re.split(r"^## ", INDEX.read_text(), flags=re.M)[1:]:
        heading, _, text = part.partition("\n")
        for _, link in LINK.findall(text):
            page = (INDEX.parent / link).resolve()
            # scripts/links.py reports links that lead nowhere.
            if page.suffix == ".md" and page.is_file() and page not in seen:
                seen.add(page)
                found.setdefault(heading, []).append(page)
    return found


def text() -> str:
    lines = ["# idgen", "", f"> {paragraphs(ROOT / 'README.md')[0]}", ""]
    start = [ROOT / "README.md", ROOT / "docs" / "install.md", ROOT / "AGENTS.md", ROOT / "skills" / "choose-a-key" / "SKILL.md"]
    for heading, pages in {"Start": start, **sections()}.items():
        lines += [f"## {heading}", ""]
        for page in pages:
            lines.append(f"- [{title(page)}]({ADDRESS}{page.relative_to(ROOT).as_posix()}): {first_sentence(page)}")
        lines.append("")
    return "\n".join(lines)


def unlisted() -> list[str]:
    """Returns what is wrong with the index: pages for users that it does not name."""
    listed = {page for pages in sections().values() for page in pages} | {INDEX, ROOT / "docs" / "install.md"}
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorials").glob("*.md")]
    return [f"docs/README.md has no link to {page.relative_to(ROOT)}" for page in sorted(pages) if page not in listed]


def main() -> int:
    if "--write" in sys.argv[1:]:
        FILE.write_text(text())
    faults = unlisted()
    if not FILE.is_file() or FILE.read_text() != text():
        faults.append("llms.txt is not what the pages say now: run scripts/llms.py --write")
    for fault in faults:
        print(f"llms: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
