#!/usr/bin/env python3
"""Compares docs/languages.md with the sources of each language.

Each name of a cell must be public in that language, each public function and class of a language must be in a cell, and a row with
a gap must say why. A name may have a `*`, as in `fill_*`. Exit code 1 if something differs; `list LANGUAGE` prints its names.
"""

import re
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

PAGE = Path("docs/languages.md")
GAP = "–"


def sources(folder: str, ending: str) -> list[str]:
    return [file.read_text() for file in sorted(Path(folder).rglob(f"*.{ending}"))]


def names(pattern: str, texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in re.findall(pattern, text, re.MULTILINE)}


class Language:
    """The public names of a language. The page must have the `required` ones; the `others` are members and settings."""

    def __init__(self, required: set[str], others: set[str]) -> None:
        self.required = required
        self.others = others

    def has(self, name: str) -> bool:
        return any(fnmatchcase(known, name) for known in self.required | self.others)


def rust() -> Language:
    items = [line.split(" ", 1) for line in Path("crates/idgen/public.txt").read_text().splitlines() if line[0] != "#"]
    needed = {name for kind, name in items if kind in ("fn", "struct", "trait")}
    return Language(needed, {name for _, name in items})


def python() -> Language:
    package = Path("bindings/python/python/idgen")
    exported = (package / "__init__.py").read_text().split("__all__ = [")[1].split("]")[0]
    modules = {f"idgen.{file.stem}" for file in package.iterdir() if file.suffix in ("", ".py") and file.stem[0] != "_"}
    native = (package / "_idgen.pyi").read_text()
    members = names(r"^    def (\w+)", [native]) | {f"{name}=" for name in names(r"\b(\w+): ", [native])}
    members |= {f"{name}=" for name in names(r"\b(\w+): ", [(package / "_inspect.py").read_text()])}
    return Language(names(r'"(\w+)"', [exported]) | modules - {"idgen.py"}, members)


def typescript() -> Language:
    folder = Path("bindings/js/src")
    entries = re.findall(r'^    "\./?(\w*)": \{', (folder.parent / "package.json").read_text(), re.MULTILINE)
    needed = set()
    for entry in entries:
        text = (folder / f"{entry or 'index'}.ts").read_text()
        needed |= names(r"^export (?:const|abstract class|class|function) (\w+)", [text])
        for block in re.findall(r"^export \{([^}]*)\}", text, re.MULTILINE):
            needed |= {part.split(" as ")[-1].strip() for part in block.split(",") if not part.strip().startswith("type ")}
    texts = sources(str(folder), "ts")
    members = names(r"^  (?:readonly )?(\w+)\??[(:]", texts) | names(r"\b(\w+)\?: ", texts)
    return Language(needed - {""}, members)


def with_members(texts: list[str], top: str, member: str) -> Language:
    """The functions and types of each file, and what types and their extensions contain."""
    others: set[str] = set()
    for text in texts:
        for part in re.split(r"^(?=public |extension )", text, flags=re.MULTILINE):
            types = names(top, [part]) | names(r"^extension (\w+)", [part])
            others |= {f"{name}.{inner}" for name in types for inner in names(member, [part])}
    return Language(names(top, texts), others)


def kotlin() -> Language:
    top = r"^public (?:data |sealed |enum )*(?:class|object|fun) (\w+)"
    return with_members(
        sources("bindings/kotlin/src/main", "kt"),
        top,
        r"(?:\bpublic va[lr]|^ +(?:@\w+ )*(?:public )?(?:data |override )*(?:fun|va[lr]|class)) (\w+)",
    )


def swift() -> Language:
    top = r"^public (?:final )?(?:class|struct|enum|protocol|func) (\w+)"
    member = r"^ +(?:public )?(?:static )?(?:func|var|let|case) (\w+)"
    return with_members(sources("bindings/swift/Sources/Idgen", "swift"), top, member)


def c() -> Language:
    header = Path("bindings/c/include/idgen.h").read_text()
    settings = header.split("typedef struct idgen_settings {")[1].split("}")[0]
    fields = {f"settings.{name}" for name in names(r"^  [a-z].*\W(\w+);", [settings])}
    functions = names(r"^[a-z].*\W(idgen_\w+)\(", [header])
    return Language(functions | fields, names(r"^typedef struct (idgen_\w+)", [header]))


def command_line() -> Language:
    enum = Path("src/cli.rs").read_text().split("enum Command {")[1].split("}")[0]
    commands = {name.lower() for name in names(r"^    (\w+)\(", [enum])}
    options = set()
    for command in commands:
        texts = [Path(f"src/{command}.rs").read_text(), *sources(f"src/{command}", "rs")]
        options |= {f"{command} --{name.replace('_', '-')}" for name in names(r"^    (?:pub(?:\([a-z]+\))? )?(\w+): ", texts)}
        options |= {f"{command} {name.lower()}" for name in names(r"^    ([A-Z]\w+)[({,]", texts)}
    return Language(commands, options)


LANGUAGES = {
    "Rust": rust,
    "Python": python,
    "TypeScript": typescript,
    "Kotlin, Java": kotlin,
    "Swift": swift,
    "C": c,
    "command line": command_line,
}


def faults() -> Iterable[str]:
    known = {name: read() for name, read in LANGUAGES.items()}
    shown: dict[str, list[str]] = {name: [] for name in known}
    rows = [line.strip("|\n ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in row] for row in rows if row[0] != "what"]
    for row in rows:
        if len(row) != len(known) + 2:
            yield f"{row[0]}: {len(row)} cells instead of {len(known) + 2}"
            continue
        gaps = [language for language, cell in zip(known, row[1:-1], strict=True) if cell == GAP]
        if bool(gaps) != (row[-1] != GAP):
            yield f"{row[0]}: the last cell says why a language has a gap, and is {GAP} if none has"
        for language, cell in zip(known, row[1:-1], strict=True):
            found = re.findall(r"`([^`]+)`", cell)
            shown[language] += found
            if not found and cell != GAP:
                yield f"{row[0]}: {language}: a cell has names or {GAP}"
            yield from (f"{row[0]}: {language} has no {name}" for name in found if not known[language].has(name))
    for language, of in known.items():
        for name in sorted(of.required):
            if not any(fnmatchcase(name, pattern) for pattern in shown[language]):
                yield f"no row has {name} of {language}"


def main() -> int:
    if sys.argv[1:2] == ["list"]:
        print("\n".join(sorted(LANGUAGES[" ".join(sys.argv[2:])]().required)))
        return 0
    wrong = [f"{PAGE}: {fault}" for fault in faults()]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
