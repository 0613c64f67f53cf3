#!/usr/bin/env python3
"""The pages of docs/README.md as the source of an mdBook, and a check of the links of the site that was made of it.

    scripts/book.py write FOLDER   writes book.toml and src/, with the pages in the order of docs/README.md
    scripts/book.py check SITE     exit code 1 if a link of a page of the site leads to no file, or to no anchor of it

Links to recorded runs lead to the site that docs.sh makes of them, and links to what is not in the book, such as tests, to the
repository.
"""

import os
import re
import shutil
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from llms import ROOT, sections, title

REPOSITORY = "https://github.com/idgen/idgen"
SETTINGS = f"""[book]
title = "idgen"
language = "en"

[output.html]
git-repository-url = "{REPOSITORY}"
site-url = "/"

[output.html.search]
limit-results = 20
"""
API = """# The interfaces

Generated from the sources and their types:

- [Rust](api/rust/idgen/index.html), with the crates for [MySQL](api/rust/idgen_mysql/index.html), [PostgreSQL](api/rust/idgen_postgres/index.html),
  [the outbox](api/rust/idgen_outbox/index.html), [the check](api/rust/idgen_check/index.html), [pages of InnoDB](api/rust/innodb_pages/index.html) and
  [the model](api/rust/btree_model/index.html)
- [TypeScript](api/typescript/index.html)
- [Python](api/python/idgen.html)
"""
RECORDS = """# Every recorded run

[The records of the lab](results/index.html), with what each of them shows, every run as a point, and filters.
"""
# A link or an image, outside of code.
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
REFERENCE = re.compile(r"^(\[[^\]]+\]:\s+)(\S+)()", re.M)
HTML_IMAGE = re.compile(r'((?:src|srcset|href)=")([^"]+)(")')


def chapters() -> dict[str, list[Path]]:
    return {"Start": [ROOT / "README.md", ROOT / "docs" / "README.md", ROOT / "docs" / "install.md"], **sections()}


def write(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "src"
    parts = chapters()
    # A page is in the book once, in its first part.
    pages = list(dict.fromkeys(page for part in parts.values() for page in part))
    summary, seen = ["# Summary", ""], set()
    for heading, part in parts.items():
        new = [page for page in part if page not in seen]
        seen.update(new)
        summary += [f"# {heading}", "", *(f"- [{title(page)}]({page.relative_to(ROOT).as_posix()})" for page in new), ""]
    summary += ["- [Every recorded run](records.md)", "", "# Interfaces", "", "- [Rust, TypeScript, Python](api.md)"]
    for page in pages:
        target = source / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(converted(page, pages, source))
    (source / "SUMMARY.md").write_text("\n".join(summary) + "\n")
    (source / "api.md").write_text(API)
    (source / "records.md").write_text(RECORDS)
    (folder / "book.toml").write_text(SETTINGS)


def converted(page: Path, pages: list[Path], source: Path) -> str:
    def moved(match: re.Match[str]) -> str:
        link, _, anchor = match[2].partition("#")
        if not link or re.match(r"[a-z]+:", link):
            return match[0]
        target = Path(os.path.normpath(page.parent / link))
        if target in pages:
            # The page of a README is the index of its folder.
            return match[0].replace("README.md", "index.md")
        if target.suffix in {".svg", ".png"} and target.is_file():
            place = source / target.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, place)
            return match[0]
        if target.name == "results.json.gz":
            # The place that `idgen lab site` gives to a record.
            record = re.sub("[^A-Za-z0-9]", "-", target.parent.relative_to(ROOT / "docs" / "results").as_posix())
            return f"{match[1]}{os.path.relpath(ROOT / 'results', page.parent)}/index.html#{record}{match[3]}"
        kind = "tree" if target.is_dir() else "blob"
        return f"{match[1]}{REPOSITORY}/{kind}/main/{target.relative_to(ROOT).as_posix()}{'#' + anchor if anchor else ''}{match[3]}"

    # Every second part is code.
    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", page.read_text(), flags=re.S | re.M)
    parts = [part if at % 2 else HTML_IMAGE.sub(moved, part) for at, part in enumerate(parts)]
    # The text of a link may contain code, so the links are found in the whole page, apart from its blocks.
    blocks = re.split(r"(^```.*?^```)", "".join(parts), flags=re.S | re.M)
    return "".join(part if at % 2 else REFERENCE.sub(moved, LINK.sub(moved, part)) for at, part in enumerate(blocks))


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name == "id":
                self.anchors.add(value)
            if value and name in {"href", "src"} and not re.match(r"[a-z]+:|//", value):
                self.links.append(value)


@cache
def read(file: Path) -> Page:
    return Page(file)


def check(site: Path) -> list[str]:
    faults = []
    # The generators of api/ check their own.
    pages = [file for file in sorted(site.rglob("*.html")) if "api" not in file.relative_to(site).parts and file.name != "print.html"]
    for file in pages:
        for link in read(file).links:
            path, _, anchor = unquote(link).partition("#")
            target = Path(os.path.normpath(file.parent / path)) if path else file
            if path.startswith("/"):
                continue
            if target.is_dir():
                target = target / "index.html"
            if not target.is_file():
                faults.append(f"{file.relative_to(site)}: {link} leads to no file")
            elif anchor and target.suffix == ".html" and "api" not in target.parts and anchor not in read(target).anchors:
                faults.append(f"{file.relative_to(site)}: {link} leads to no heading")
    return faults if pages else [f"{site} has no pages"]


def main() -> None:
    match sys.argv[1:]:
        case ["write", folder]:
            write(Path(folder))
        case ["check", site]:
            faults = check(Path(site))
            print("\n".join(f"book: {fault}" for fault in faults), file=sys.stderr)
            sys.exit(1 if faults else 0)
        case _:
            sys.exit("book: use write FOLDER or check SITE")


if __name__ == "__main__":
    main()
