#!/usr/bin/env python3
"""Writes docs/conformance.md from the records in conformance/results.

    conformance/table.py            writes the page
    conformance/table.py --check    exit code 1 if the page is not what the records give
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "conformance.md"
RESULTS = HERE / "results"

HOLDS = "holds"
ASCENDING = ("v6", "v7", "ulid")


class Row:
    """A library with its record, and the text of its cells."""

    def __init__(self, library: dict, record: dict):
        self.library, self.modes = library, record["modes"]
        self.promises = library["promises"]
        self.kind = library["kind"].split()[0]
        self.record = record

    def verdicts(self, mode: str, *rules: str) -> list[dict]:
        report = self.modes[mode].get("report") or {"verdicts": []}
        return [verdict for verdict in report["verdicts"] if verdict["rule"] in rules]

    def obstacle(self, mode: str) -> str | None:
        """Why a mode has no verdict, if so."""
        found = self.modes[mode]
        if "not_measured" in found:
            return "not measured"
        if found["report"] is None:
            return "waits among the first 256 ids" if found["outcome"] == "waits" else f"**{found['outcome']}**"
        return None

    def failing(self, mode: str, *rules: str) -> list[dict]:
        return [verdict for verdict in self.verdicts(mode, *rules) if verdict["status"] == "fails"]

    def of_kind(self) -> dict:
        """What the check says about the most frequent kind of ids, in one thread."""
        return self.modes["one"]["report"]["kinds"][0]


def promised(text: str, promise: bool) -> str:
    """A cell for what does not hold: bold if it breaks a promise."""
    return f"**{text}**" if promise else f"not promised: {text}"


def repeated(row: Row, mode: str, promise: bool) -> str:
    if row.failing(mode, "no-duplicates"):
        return promised(f"{row.modes[mode]['report']['duplicates']['repeated']:,} repeated", promise)
    return HOLDS


def out_of_order(row: Row, mode: str) -> int:
    """How many ids are not greater than the one before, over all streams."""
    orders = [kind["order"] for kind in row.modes[mode]["report"]["kinds"]]
    return sum(order["breaks_within"] + order["breaks_across"] + order["equal"] for order in orders)


def ordered(row: Row, mode: str, promise: bool) -> str:
    if row.kind not in ASCENDING:
        return "–"
    if count := out_of_order(row, mode):
        return promised(f"{count:,} out of order", True) if promise else "not promised"
    return HOLDS if promise else "not promised, holds"


def layout(row: Row) -> str:
    if why := row.obstacle("one"):
        return why
    rules = ("readable", "one-case", "variant", "one-kind", "layout")
    if failing := row.failing("one", *rules):
        text = "the layout of an early draft" if failing[0]["rule"] == "layout" else failing[0]["found"]
        return promised(text, "draft" not in row.library["kind"])
    found = row.of_kind()["kind"]
    return HOLDS if found == row.kind else f"**the ids are {found}**"


def unique(mode: str):
    def cell(row: Row) -> str:
        promise = row.promises["unique_after_fork"] if mode == "fork" else True
        return row.obstacle(mode) or repeated(row, mode, promise)

    return cell


def order(mode: str):
    def cell(row: Row) -> str:
        scope = row.promises["order"]
        promise = scope in ("thread", "process") or (scope == "single" and mode == "one")
        return row.obstacle(mode) or ordered(row, mode, promise)

    return cell


def clock(mode: str):
    """Uniqueness and order while the clock is set. That ids are unique follows from the order, where that is promised."""

    def cell(row: Row) -> str:
        if why := row.obstacle(mode):
            return why
        promises = row.promises
        frozen = promises.get("order_while_frozen", promises["order"] is not None)
        promise = promises["order_after_step_back"] if mode == "back" else frozen
        cells = [repeated(row, mode, promise)]
        if cells[0] == HOLDS or promise:
            cells.append(ordered(row, mode, promise))
        if cells[-1] == "not promised":
            cells[-1] = "order not promised"
        outcome = row.modes[mode]["outcome"]
        if outcome == "waits":
            cells.insert(0, f"waits after {row.modes[mode]['report']['ids']:,} ids")
        elif outcome:
            cells.insert(0, f"{outcome}, after {row.modes[mode]['report']['ids']:,} ids")
        wrong = [cell for cell in cells if cell not in (HOLDS, "–")]
        return "; ".join(wrong).replace("not promised, holds", "holds; order not promised") or HOLDS

    return cell


def duration(milliseconds: float) -> str:
    for unit, length in (("years", 31_557_600_000), ("days", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000)):
        if milliseconds >= 2 * length:
            return f"{milliseconds / length:,.0f} {unit}"
    return f"{milliseconds:,.0f} ms"


def time(row: Row) -> str:
    if row.kind == "v4":
        return "–"
    if why := row.obstacle("one"):
        return why
    if failing := row.failing("one", "not-ahead", "not-future", "not-before"):
        ahead = row.of_kind()["time"]["ahead_ms"]
        text = f"{duration(ahead)} ahead" if ahead and ahead > 0 else failing[0]["found"]
        return promised(text, "draft" not in row.library["kind"])
    return HOLDS


def counter(row: Row) -> str:
    """What the counter looks like: a description, which nobody promises."""
    if row.obstacle("one") or row.kind == "v4":
        return "–"
    found = row.of_kind()["counter"]
    text = found["looks_like"] if found else "–"
    notes = [verdict for verdict in row.failing("one", "counter-no-wrap", "counter-start", "clock-sequence")]
    return "; ".join([text, *(promised(note["found"], row.promises["order"] is not None) for note in notes)])


def random(row: Row) -> str:
    if row.kind in ("v1", "v6"):
        return "–"
    if why := row.obstacle("one"):
        return why
    if "random" in row.library.get("not_judged", {}):
        return "not judged"
    drawn = row.of_kind()["random"]
    if row.failing("one", "random"):
        return "**fails**"
    return f"{drawn['bits']}" if drawn else "0"


# Since this day, the check looks for the source of random ids.
SOURCES_SINCE = "2026-11-28"


def next_id(row: Row) -> str:
    """Whether the next id can be computed from those before."""
    if row.kind != "v4":
        return "–"
    if why := row.obstacle("one"):
        return why
    if row.record["recorded"] < SOURCES_SINCE:
        return "not measured"
    if failing := row.failing("one", "unguessable"):
        source = re.sub("^these ids come from |; the next id is.*", "", failing[0]["found"])
        return promised(f"predicted: {source}", row.promises.get("unguessable", False))
    return HOLDS


# The heading of each column, the mode whose record its cells link to, and how a cell is written.
COLUMNS = [
    ("Layout", "one", layout),
    ("Unique: 1 thread", "one", unique("one")),
    ("4 threads", "threads", unique("threads")),
    ("2 processes", "processes", unique("processes")),
    ("after a fork", "fork", unique("fork")),
    ("Order: 1 thread", "one", order("one")),
    ("in each of 4 threads", "threads", order("threads")),
    ("Clock set back by 5 s", "back", clock("back")),
    ("Clock stands still", "frozen", clock("frozen")),
    ("Times", "one", time),
    ("Random bits", "one", random),
    ("Next id", "one", next_id),
    ("Counter", "one", counter),
]

HEAD = """\
# Which generators are right: a table of libraries

`make conformance` wrote this page from the [records](../conformance/results). It installs the libraries of
[libraries.json](../conformance/libraries.json) in these versions from their registries, has a
[small program](../conformance/README.md) print ids of each, and checks the ids with [`idgen check`](check.md). The page says
what was measured on {dates}, with {count:,} ids of each library in each mode ({clock_count:,} where the clock was set), on one
Linux computer with two cores. The libraries of this repository are the first rows, and the same program checks them.
The rows of this repository were measured before version 7 held the fraction of the millisecond, so its counter had 26 bits then.

**How to read it.** *Holds*: the check found nothing against it. That proves nothing for other numbers of ids, or other
computers. In **bold** is what contradicts the documentation of the library, or the meaning of a unique id. *Not promised*: the
documentation that we found does not promise it; [below](#what-each-library-promises) is what we took for its promise. If you read the documentation differently, please
tell us. *Not measured*: it could not be had, and the record says why. Each cell links to its record, with the commands and
what the check found; `conformance/run.py show LIBRARY MODE` repeats it and prints the whole report.

- **Layout**: version, variant, and the place of the time, by RFC 9562, or the ULID's form.
- **Unique**: no id is repeated, also between threads, processes, and the parent and the children of twenty forks, each
  right after an id. Uniqueness after a fork is a promise only where the documentation mentions forks.
- **Order**: each id is greater than the one before it. Four threads run at the same time, and the order in each is judged. In
  Node, threads are workers, which share no generator. Python switches between threads as often as it can (`sys.setswitchinterval`).
- **Clock set back by 5 s**, **clock stands still**: libfaketime sets the clock of the program. The cell says if ids are repeated or
  out of order then. *Waits*: the generator made so many ids of one time, and then none for {deadline} seconds, which RFC 9562 allows.
  Go programs do not read the clock through the C library.
- **Times**: no time is over 10 ms ahead of the clock. Ids are made in bursts of 100,000.
- **Random bits**: how many bits are drawn anew for each id, as far as they pass the tests. 0 is what a monotonic ULID has by its
  specification, except for the first id of a millisecond; the next id can then be guessed. It is empty for versions 1 and 6.
- **Next id**: whether the check recognizes the source of ids of version 4, and [predicts those that come next](check.md#ids-that-can-be-predicted).
- **Counter**: what the ids look like, not what the program does.
"""


def link(text: str, row: Row, mode: str, lines: dict[str, int]) -> str:
    if text == "–":
        return text
    return f"[{text}](../conformance/results/{row.library['id']}.json#L{lines[mode]})"


def mode_lines(text: str) -> dict[str, int]:
    """The line of a record's file at which each mode begins."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if start := re.match(r'  "(\w+)": \{', line):
            found[start[1]] = number
    return found


def page(manifest: dict, folder: Path) -> str:
    """The page, for the libraries that have a record in the folder."""
    registry = {name: ecosystem["name"] for name, ecosystem in manifest["ecosystems"].items()}
    rows, lines, promises, runtimes, dates = [], [], [], {}, set()
    for library in manifest["libraries"]:
        path = folder / f"{library['id']}.json"
        if not path.exists():
            continue
        text = path.read_text()
        row = Row(library, json.loads(text))
        at = mode_lines(text)
        if row.record["version"] != library["version"]:
            raise SystemExit(f"{path} is of version {row.record['version']}, and libraries.json names {library['version']}")
        rows.append(row)
        runtimes[library["ecosystem"]] = row.record["runtime"]
        dates.add(row.record["recorded"])
        name = f"{library['package']} {library['version']}" if library["package"] else row.record["runtime"]
        where = registry[library["ecosystem"]] if library["package"] else "standard library"
        if library["id"].startswith("idgen-"):
            where = "this repository"
        head = f"[{name}]({library['docs']}), {where}: `{library['call']}`"
        cells = [link(cell(row), row, mode, at) for _, mode, cell in COLUMNS]
        kind = library["kind"].replace("ulid", "ULID")
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in [head, kind, *cells]) + " |")
        note = "".join(f" Not judged, {rule}: {why}." for rule, why in library.get("not_judged", {}).items())
        promises.append(f"| `{library['call']}` of {name} | {library['promises']['source']}.{note} |")
    if not rows:
        raise SystemExit(f"{folder} has no records")
    count = max(row.record["count"] for row in rows)
    packages = {(row.library["ecosystem"], row.library["package"]) for row in rows}
    heading = ["Library", "Kind", *(heading for heading, _, _ in COLUMNS)]
    head = HEAD.format(dates=" and ".join(sorted(dates)), count=count, clock_count=min(count, 100_000), deadline=15)
    ran = "; ".join(f"{registry[name]}: {runtime}" for name, runtime in runtimes.items())
    return "\n".join(
        [head, f"{len(rows)} generators of {len(packages)} libraries. What ran them: {ran}.", "",
         "| " + " | ".join(heading) + " |", "|" + "---|" * len(heading), *lines, "",
         (HERE / "findings.md").read_text(), "## What each library promises", "", "| generator | promise |", "|---|---|", *promises, ""]  # fmt: skip
    )


def main() -> int:
    manifest = json.loads((HERE / "libraries.json").read_text())
    written = page(manifest, RESULTS)
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() != written:
            print(f"{PAGE} is not what conformance/table.py writes: run it", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
