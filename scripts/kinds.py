#!/usr/bin/env python3
"""Writes the lists of kinds that need no decision, from tests/vectors/kinds.json.

    scripts/kinds.py            compares them with the table; `make forms` does this
    scripts/kinds.py --write    writes them

They are the lines between `begin kinds` and `end kinds` of the files below, and the imports and exports of Python. The tests of each language
compare what it offers with the table. Exit code 1 if a list differs.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = json.loads((ROOT / "tests/vectors/kinds.json").read_text())["kinds"]
WIDE = [kind for kind in KINDS if kind["bits"] == 128]
SHORT = [kind for kind in KINDS if kind["bits"] == 64]
# The endings of Python's functions, with the types that they return.
WIDE_FORMS = {"": "UUID", "_str": "str", "_bytes": "bytes", "_int": "int", "_base64": "str"}
SHORT_FORMS = {"": "int", "_str": "str"}
LONGEST_LINE = 110


def snake(kind: dict) -> str:
    return kind["name"].replace("-", "_")


def forms(kind: dict) -> dict[str, str]:
    return WIDE_FORMS if kind["bits"] == 128 else SHORT_FORMS


def alias(name: str, kinds: list[dict]) -> list[str]:
    """Returns the type of the names of some kinds, which may be written with a `_` or a `-`."""
    names = [name for kind in kinds for name in dict.fromkeys([snake(kind), kind["name"]])]
    line = f"{name}: TypeAlias = Literal[{', '.join(json.dumps(name) for name in names)}]"
    return [line] if len(line) <= LONGEST_LINE else [line.replace("[", "[\n    ", 1)[:-1], "]"]


def python_stub() -> list[str]:
    plain = [kind for kind in WIDE if kind["bounds"] in ("ids", "swapped")]
    lines = alias("_UuidKind", WIDE)
    lines += alias("_UuidTimeKind", [kind for kind in plain if not kind["layout"]])
    lines += alias("_FixedKind", [kind for kind in plain if kind["layout"]])
    lines += alias("_ShortKind", [kind for kind in SHORT if not kind["layout"]])
    lines += alias("_MysqlKind", [kind for kind in SHORT if kind["layout"]]) + [""]
    for kind in KINDS:
        argument = "server_id: int, /" if "server_id" in kind["layout"] else ""
        lines += [f"def {snake(kind)}{form}({argument}) -> {result}: ..." for form, result in forms(kind).items()]
    return [*lines, ""]


def typescript() -> list[str]:
    return [f"const KINDS = [{', '.join(json.dumps(kind['name']) for kind in KINDS)}];"]


REGIONS: dict[str, Callable[[], list[str]]] = {
    "bindings/python/python/idgen/_idgen.pyi": python_stub,
    "bindings/js/src/node.ts": typescript,
}


def between_marks(text: str, lines: list[str]) -> str:
    body = "\n".join(lines)
    found, times = re.subn(r"(?ms)^((?:#|//) begin kinds[^\n]*\n).*?^((?:#|//) end kinds)", rf"\1{body}\n\2", text)
    if times != 1:
        sys.exit("kinds.py: a file has no lines `begin kinds` and `end kinds`")
    return found


def exports(text: str) -> str:
    """Adds the classes and functions of all kinds to the imports and to `__all__`, in the order of ruff."""
    ours = {snake(kind) + form for kind in KINDS for form in forms(kind)}
    ours |= {snake(kind).title().replace("_", "") for kind in KINDS}

    def listed(block: re.Match[str]) -> str:
        quote = '"' if '"' in block[2] else ""

        def order(name: str) -> tuple[int, str]:
            # An import of V1 counts as a constant.
            is_constant = name.isupper() and not (quote and name in ours)
            return (0 if is_constant else 1 if name[0].isupper() else 2), name

        names = sorted(ours | set(re.findall(r"\w+", block[2])), key=order)
        return block[1] + "".join(f"    {quote}{name}{quote},\n" for name in names) + block[3]

    text = re.sub(r"(?s)(from idgen\._idgen import \(\n)(.*?)(\))", listed, text, count=1)
    return re.sub(r"(?s)(__all__ = \[\n)(.*?)(\])", listed, text, count=1)


def main() -> int:
    files = {name: between_marks((ROOT / name).read_text(), lines()) for name, lines in REGIONS.items()}
    package = "bindings/python/python/idgen/__init__.py"
    files[package] = exports((ROOT / package).read_text())
    changed = {name: text for name, text in files.items() if (ROOT / name).read_text() != text}
    for name, text in changed.items():
        if "--write" in sys.argv[1:]:
            (ROOT / name).write_text(text)
        else:
            print(f"{name} has other kinds than tests/vectors/kinds.json: run scripts/kinds.py --write", file=sys.stderr)
    return 1 if changed and "--write" not in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
