#!/usr/bin/env python3
"""The public items of a crate, as its documentation shows them.

    cargo doc --workspace --no-deps
    scripts/public.py                 compares crates/idgen/public.txt with the documentation; `make lint` does this
    scripts/public.py --write         writes this file, after a change of the interface that you want
    scripts/public.py --count CRATE…  prints the numbers of items and of methods, for instance of idgen_lab

An *item* is an entry of rustdoc's page "List of all items": a struct, an enum, a trait, a function, a constant or a type.
Modules are none. What is `#[doc(hidden)]` is not there. *Methods* are counted apart: those of types, without those of
traits that a type implements, and the methods of a trait itself.
"""

import argparse
import difflib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "crates/idgen/public.txt"


def items(crate: Path) -> Iterator[tuple[str, Path]]:
    """Kind and name of each item, such as `fn codec::base64::encode`, and its page."""
    page = crate / "all.html"
    if not page.exists():
        sys.exit(f"public.py: {page} is missing: run `cargo doc --workspace --no-deps` first")
    for link in re.findall(r'<li><a href="([^"]+)">', page.read_text()):
        *modules, file = link.removesuffix(".html").split("/")
        kind, name = file.split(".")
        yield f"{kind} {'::'.join([*modules, name])}", crate / link


def methods(crate: str, item: str, page: Path) -> list[str]:
    """The methods of a type or of a trait, such as `method ShortId::get`."""
    kind, name = item.split()
    if kind not in ("struct", "enum", "union", "trait"):
        return []
    text = page.read_text()
    # The first link to a source is that of the item itself; those of implementations follow.
    source = re.search(r'class="src[^"]*" href="[^"]*?/src/(\w+)/', text)
    if source is None or source[1] != crate:
        return []  # of another crate, as `Uuid`
    own = re.split(r'id="(?:trait-implementations|implementors|synthetic-implementations)"', text)[0]
    # What a type has through `Deref` is documented at the other type.
    own = own.split('id="deref-methods')[0]
    return [f"method {name}::{method}" for method in re.findall(r'<section id="(?:ty)?method\.(\w+)"', own)]


def public(crate: Path) -> tuple[list[str], list[str]]:
    found = list(items(crate))
    of_types = (method for item in found for method in methods(crate.name, *item))
    return sorted(item for item, _ in found), sorted(of_types)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doc", type=Path, default=ROOT / "target/doc", help="the folder of the documentation")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--count", nargs="+", metavar="CRATE")
    options = parser.parse_args()
    if options.count:
        for crate in options.count:
            found, of_types = public(options.doc / crate)
            print(f"{crate}: {len(found)} items, {len(of_types)} methods")
        return
    found, of_types = public(options.doc / "idgen")
    text = "\n".join([f"# {len(found)} items and {len(of_types)} methods; written by scripts/public.py", *found, *of_types, ""])
    if options.write:
        KEPT.write_text(text)
        return
    kept = KEPT.read_text()
    if kept != text:
        changes = difflib.unified_diff(kept.splitlines(), text.splitlines(), str(KEPT.relative_to(ROOT)), "cargo doc", lineterm="", n=0)
        print(*changes, sep="\n")
        sys.exit("public.py: the public interface of crates/idgen has changed: take it back, or run scripts/public.py --write")


if __name__ == "__main__":
    main()
