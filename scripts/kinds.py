#!/usr/bin/env python3
"""Writes the lists of kinds that need no decision, from tests/vectors/kinds.json.

    scripts/kinds.py            compares them with the table; `make forms` does this
    scripts/kinds.py --write    writes them

They are the lines between `begin kinds` and `end kinds` of the files below, and the imports and exports of Python. Kinds with settings of their own
have functions that are written by hand, except in Python. The tests of each language compare what it offers with the table. Exit code 1 if a list
differs.
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


def python_classes() -> list[str]:
    """Returns the types of the classes of kinds without settings of their own. All have a seed."""
    arguments = {"node": "int | str", "clock": "_Clock", "state": "_Path", "seed": "int"}
    policy = ["tolerance: _Tolerance | None = None", 'when_behind: _WhenBehind = "restart"', "longest_wait: _Tolerance | None = None"]
    lines = []
    for kind in filter(is_plain, KINDS):
        settings = [*kind["settings"], "seed"]
        given = [f"{name}: {type_} | None = None" for name, type_ in arguments.items() if name in settings]
        given += policy if "policy" in settings else []
        words = ["", "    cls,", "    *,", *(f"    {argument}," for argument in given), ""] if len(given) > 1 else [f"cls, *, {given[0]}"]
        lines += ["@final", f"class {snake(kind).title().replace('_', '')}(Generator):"]
        lines += ["    def __new__(" + "\n    ".join(words) + ") -> Self: ...", ""]
    return lines


def typescript() -> list[str]:
    return [f"const KINDS = [{', '.join(json.dumps(kind['name']) for kind in KINDS)}];"]


def c_numbers() -> list[str]:
    """Returns the numbers of the header, with 0 for kinds that the C library does not make."""
    return [f"      {{{json.dumps(kind['name'])}, {'IDGEN_' + snake(kind).upper() if kind['c'] else 0}}}," for kind in KINDS]


def written(template: str, holds: Callable[[dict], bool], apart: str = "\n\n") -> Callable[[], list[str]]:
    """Returns what writes a template for each kind of the C library for which something holds."""
    return lambda: [apart.join(template.format(**words(kind)) for kind in KINDS if kind["c"] and holds(kind))]


def words(kind: dict) -> dict[str, object]:
    """Returns a kind with the words of a template that depend on it."""
    first, *others = kind["name"].split("-")
    has_text, has_state, has_node = kind["text"] == "base32", "state" in kind["settings"], "node" in kind["settings"]
    about = kind["doc"] + " Its ids ascend." * kind["ascending"]
    about += " Their text is that of [Format.BASE32]." * has_text + " A state is refused." * (not has_state)
    swapped = " They bound a column of swapped bytes: encode them as [Format.SWAPPED]." * (kind["bounds"] == "swapped")
    swift = 'func {0}(node: String? = nil) -> RowKind {{ RowKind({1}) {{ $0.settings.node = try $0.text("node", node) }} }}'
    camel, number = first + "".join(map(str.title, others)), "IDGEN_" + snake(kind).upper()
    return kind | {
        "camel": camel,
        "upper": snake(kind).upper(),
        "number": number,
        "kotlin_about": about,
        "swift_about": in_swift(about),
        "kotlin_swapped": swapped,
        "swift_swapped": in_swift(swapped),
        "with_node": ", with this node or a random one" * has_node,
        "node": ", node: String? = null" * has_node,
        "pass": ", node" * has_node,
        "overloads": "\n    @JvmOverloads" * has_node,
        "row_kind": swift.format(camel, number) if has_node else f"let {camel} = RowKind({number})",
    }


def in_swift(text: str) -> str:
    """Returns a comment with the links of Swift in place of Kotlin's."""
    return re.sub(r"\[Format\.(\w+)\]", lambda found: f"``Format/{found[1].lower()}``", text)


def is_plain(kind: dict) -> bool:
    return kind["bits"] == 128 and not kind["layout"]


def has_bounds(kind: dict) -> bool:
    return is_plain(kind) and kind["bounds"] is not None


def has_rows(kind: dict) -> bool:
    return is_plain(kind) and kind["rows"]


C_NUMBER = """\
/// {doc}
pub const {number}: i32 = {c};"""
KOTLIN_NUMBER = "private const val {upper} = {c}"
KOTLIN_GENERATOR = """\
        /** {kotlin_about} */
        @JvmStatic @JvmOverloads
        public fun {camel}(options: Options = Options()): UuidGenerator = of({upper}, options)"""
KOTLIN_ROWS = """\
    /** Ids of [UuidGenerator.{camel}]{with_node}. */
    public fun {camel}(times: List<Instant>{node}): List<Uuid> = of({upper}, times{pass})

    /** Ids of [UuidGenerator.{camel}] for Java{with_node}. */
    @JvmStatic{overloads}
    public fun {camel}Java(times: List<java.time.Instant>{node}): List<UUID> = forJava(times) {{ {camel}(it{pass}) }}"""
KOTLIN_BOUNDS = """\
    /** The ids of [UuidGenerator.{camel}].{kotlin_swapped} */
    @JvmStatic
    public fun {camel}(times: TimeSpan): UuidBounds = of({upper}, times)"""
SWIFT_GENERATOR = """\
    /// {swift_about}
    public static func {camel}(_ options: Options = Options()) throws -> UUIDGenerator {{ try of({number}, options) }}"""
SWIFT_BOUNDS = """\
    /// The ids of ``UUIDGenerator/{camel}(_:)``.{swift_swapped}
    public static func {camel}(_ times: some Times) throws -> (first: UUID, last: UUID) {{ try of({number}, times) }}"""
SWIFT_ROWS = """\
    /// Ids of ``UUIDGenerator/{camel}(_:)``{with_node}.
    public static {row_kind}"""

# What is between the marks of a file, one after another.
REGIONS: dict[str, list[Callable[[], list[str]]]] = {
    "bindings/python/python/idgen/_idgen.pyi": [python_stub, python_classes],
    "bindings/js/src/node.ts": [typescript],
    "bindings/c/src/settings.rs": [written(C_NUMBER, lambda _: True, "\n")],
    "bindings/c/tests/generators.c": [c_numbers],
    "bindings/kotlin/src/main/kotlin/io/github/idgen/Kinds.kt": [
        written(KOTLIN_NUMBER, lambda kind: kind["bits"] == 128, "\n"),
        written(KOTLIN_GENERATOR, is_plain),
        written(KOTLIN_ROWS, has_rows),
        written(KOTLIN_BOUNDS, has_bounds),
    ],
    "bindings/swift/Sources/Idgen/Kinds.swift": [
        written(SWIFT_GENERATOR, is_plain),
        written(SWIFT_BOUNDS, has_bounds),
        written(SWIFT_ROWS, has_rows),
    ],
}


def between_marks(text: str, regions: list[Callable[[], list[str]]]) -> str:
    bodies = iter(regions)
    marks = r"(?ms)^( *(?:#|//) begin kinds[^\n]*\n).*?^( *(?:#|//) end kinds)"
    if len(re.findall(marks, text)) != len(regions):
        sys.exit("kinds.py: a file does not have its lines `begin kinds` and `end kinds`")
    return re.sub(marks, lambda found: found[1] + "\n".join(next(bodies)()) + "\n" + found[2], text)


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
    files = {name: between_marks((ROOT / name).read_text(), regions) for name, regions in REGIONS.items()}
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
