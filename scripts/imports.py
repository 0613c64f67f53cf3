#!/usr/bin/env python3
"""Checks that no two files of a Rust crate import each other, directly or through others.

A file imports the file that defines a name, also if a third one hands the name on (`pub use`). What a module takes from a module that it
is a part of is not counted, even if that one hands it on, and neither are tests. Exit code 1 if there is a circle.

  scripts/imports.py         checks all crates
  scripts/imports.py --all   prints what each file imports
"""

import re
import subprocess
import sys
from pathlib import Path

Module = tuple[str, ...]
USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))?[ \t]+)?use\s+([^;]+);", re.M)
INLINE = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")


def product(text: str) -> str:
    """Returns the text without comments, texts and tests."""
    text = re.sub(r"^[ \t]*#\[cfg\(test\)\]\s*mod \w+ \{.*\Z", "", text, flags=re.M | re.S)
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    return re.sub(r"//.*", "", text)


def paths(tree: str) -> list[tuple[str, str]]:
    """Returns the paths of a tree of imports, each with the name that it gets."""
    tree = tree.strip()
    if "{" not in tree:
        path, _, name = tree.partition(" as ")
        path = re.sub(r"\s", "", path).removeprefix("::")
        return [(path, name.strip() or path.split("::")[-1])]
    head, rest = tree.split("{", 1)
    parts, depth, start = [], 0, 0
    rest = rest[: rest.rindex("}")]
    for at, character in enumerate(rest):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(rest[start:at])
            start = at + 1
    parts.append(rest[start:])
    found = []
    for part in (part.strip() for part in parts):
        if part == "self":
            whole = re.sub(r"\s", "", head).removesuffix("::")
            found.append((whole, whole.split("::")[-1]))
        elif part:
            found += paths(head.strip() + part)
    return found


class Crate:
    """The modules of a crate, and what each of them imports."""

    def __init__(self, source: Path) -> None:
        self.files: dict[Module, Path] = {}
        for file in sorted(source.rglob("*.rs")):
            parts = file.relative_to(source).with_suffix("").parts
            if "tests" in parts or "bin" in parts:
                continue
            if parts[-1] in ("mod", "lib", "main"):
                parts = parts[:-1]
            self.files[parts] = file
        texts = {module: product(file.read_text()) for module, file in self.files.items()}
        self.handed: dict[Module, dict[str, str]] = {}
        for module, text in texts.items():
            names = (name for public, tree in USE.findall(text) if public for name in paths(tree))
            self.handed[module] = {name: path for path, name in names}
        self.imports: dict[Module, set[Module]] = {}
        for module, text in texts.items():
            named = [path for public, tree in USE.findall(text) if not public for path, _ in paths(tree)]
            named += INLINE.findall(USE.sub("", text))
            found = {self.place(module, path) for path in named}
            # A part may take what its whole defines.
            self.imports[module] = {to for to in found if to is not None and module[: len(to)] != to}

    def place(self, module: Module, path: str, depth: int = 9) -> Module | None:
        """Returns the module that defines what a path in another one names; None if it is of another crate."""
        names = path.split("::")
        at: Module = module
        if names[0] == "crate":
            at, names = (), names[1:]
        elif names[0] in ("self", "super"):
            while names and names[0] in ("self", "super"):
                at = at[:-1] if names[0] == "super" else at
                names = names[1:]
        elif (*module, names[0]) not in self.files:
            return None
        while names and (*at, names[0]) in self.files:
            at, names = (*at, names[0]), names[1:]
        if module[: len(at)] == at:
            return at if at in self.files else None
        handed = self.handed.get(at, {})
        if names and depth and (path := handed.get(names[0])):
            return self.place(at, "::".join([path, *names[1:]]), depth - 1) or at
        return at if at in self.files else None

    def circles(self) -> list[list[Module]]:
        """Returns the groups of modules that reach each other."""
        reached = {}
        for module in self.files:
            seen, left = set(), [module]
            while left:
                for to in self.imports[left.pop()] - seen:
                    seen.add(to)
                    left.append(to)
            reached[module] = seen
        groups = {
            tuple(sorted(other for other in reached[module] if module in reached[other]))
            for module in self.files
            if module in reached[module]
        }
        return [list(group) for group in sorted(groups)]


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*Cargo.toml"], capture_output=True, text=True, check=True).stdout
    bad = 0
    for source in sorted(Path(manifest).parent / "src" for manifest in listed.split()):
        crate = Crate(source) if source.is_dir() else None
        if crate and "--all" in sys.argv[1:]:
            for module, to in crate.imports.items():
                print(crate.files[module], *(crate.files[other] for other in sorted(to)))
        for circle in crate.circles() if crate else []:
            bad += 1
            print("these files import each other:", file=sys.stderr)
            for module in circle:
                to = (str(crate.files[other]) for other in sorted(crate.imports[module]) if other in circle)
                print(f"  {crate.files[module]} imports {', '.join(to)}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
