"""Measures idgen and its peers, and prints the table of docs/python.md.

    make bench-python                               # or: scripts/python.sh bench
    scripts/python.sh bench --write docs/python.md  # puts the table into that file

All run in one process, in turns: a round gives each a few thousand calls, then the next has its turn, and
of the rounds each keeps its best. Whatever else the machine does hits all of them alike. The functions
are called from a loop over itertools.repeat, whose own cost (an empty built-in call) is printed, not
subtracted.
"""

from __future__ import annotations

import argparse
import base64
import gc
import itertools
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

import c_uuid_v7
import fastuuid
import idgen
import idgen.numpy
import idgen.uuid
import numpy as np
import shortuuid
import snowflake
import ulid
import uuid_utils
import uuid_utils.compat

#: A function without arguments, or a function and its one argument.
Call = Callable[[], object] | tuple[Callable[[Any], object], object]

ID = idgen.v7()
TEXT = str(ID)
OTHER, FAST = uuid_utils.UUID(TEXT), fastuuid.UUID(TEXT)
URL_TEXT = idgen.to_base64url(ID)
SNOWFLAKE = snowflake.SnowflakeGenerator(1)


def of_urandom() -> object:
    """Version 4 by numpy alone: random bytes, in which version and variant are set."""
    ids = np.frombuffer(bytearray(os.urandom(16_000)), np.uint8).reshape(-1, 16)
    ids[:, 6] = ids[:, 6] & 0x0F | 0x40
    ids[:, 8] = ids[:, 8] & 0x3F | 0x80
    return ids


def thousand(make: Callable[[], Any]) -> Call:
    return lambda: [make() for _ in range(1_000)]


#: For each row: its name, the number of ids per call, our function, then those of the peers.
ROWS: list[tuple[str, int, Call, dict[str, Call]]] = [
    ("uuid4()", 1, idgen.uuid.uuid4, {
        "stdlib": uuid.uuid4, "uuid_utils": uuid_utils.uuid4, "uuid_utils.compat": uuid_utils.compat.uuid4,
        "fastuuid": fastuuid.uuid4}),
    ("uuid7()", 1, idgen.uuid.uuid7, {
        **({"stdlib": uuid.uuid7} if hasattr(uuid, "uuid7") else {}), "uuid_utils": uuid_utils.uuid7,
        "uuid_utils.compat": uuid_utils.compat.uuid7, "fastuuid": fastuuid.uuid7,
        "c_uuid_v7": c_uuid_v7.uuid7}),
    ("uuid1()", 1, idgen.uuid.uuid1, {
        "stdlib": uuid.uuid1, "uuid_utils": uuid_utils.uuid1, "uuid_utils.compat": uuid_utils.compat.uuid1,
        "fastuuid": fastuuid.uuid1}),
    ("uuid6()", 1, idgen.uuid.uuid6, {
        **({"stdlib": uuid.uuid6} if hasattr(uuid, "uuid6") else {}), "uuid_utils": uuid_utils.uuid6}),
    ("a v4 as text", 1, idgen.v4_str, {
        "stdlib": lambda: str(uuid.uuid4()), "uuid_utils": lambda: str(uuid_utils.uuid4()),
        "fastuuid": lambda: str(fastuuid.uuid4())}),
    ("a v7 as text", 1, idgen.v7_str, {
        "uuid_utils": lambda: str(uuid_utils.uuid7()), "fastuuid": lambda: str(fastuuid.uuid7()),
        "c_uuid_v7": lambda: str(c_uuid_v7.uuid7())}),
    ("to_str(id)", 1, (idgen.to_str, ID), {
        "stdlib": (str, ID), "uuid_utils": (str, OTHER), "fastuuid": (str, FAST)}),
    ("parse(text)", 1, (idgen.parse, TEXT), {
        "stdlib": (uuid.UUID, TEXT), "uuid_utils": (uuid_utils.UUID, TEXT),
        "fastuuid": (fastuuid.UUID, TEXT)}),
    ("from_str(text)", 1, (idgen.from_str, TEXT), {
        "stdlib": (uuid.UUID, TEXT), "uuid_utils": (uuid_utils.UUID, TEXT),
        "uuid_utils.compat": (uuid_utils.compat.UUID, TEXT), "fastuuid": (fastuuid.UUID, TEXT)}),
    ("to_base64url(id)", 1, (idgen.to_base64url, ID), {
        "stdlib": lambda: base64.urlsafe_b64encode(ID.bytes).rstrip(b"=").decode(),
        "shortuuid": (shortuuid.encode, ID)}),
    ("from_base64url(text)", 1, (idgen.from_base64url, URL_TEXT), {
        "stdlib": lambda: uuid.UUID(bytes=base64.urlsafe_b64decode(URL_TEXT + "==")),
        "shortuuid": (shortuuid.decode, "B9fPyEBTFDc3iZzQqXFZBP")}),
    ("a ULID as text", 1, lambda: idgen.to_base32(idgen.ulid()), {"python-ulid": lambda: str(ulid.ULID())}),
    ("a 64-bit id", 1, (idgen.mysql_short, 1), {"snowflake-id": (next, SNOWFLAKE)}),
    ("1,000 v4 as UUID", 1_000, lambda: idgen.batch("v4", 1_000), {
        "stdlib": thousand(uuid.uuid4), "uuid_utils": thousand(uuid_utils.uuid4),
        "uuid_utils.compat": thousand(uuid_utils.compat.uuid4),
        "fastuuid": lambda: fastuuid.uuid4_bulk(1_000)}),
    ("1,000 v7 as UUID", 1_000, lambda: idgen.batch("v7", 1_000), {
        "uuid_utils": thousand(uuid_utils.uuid7), "uuid_utils.compat": thousand(uuid_utils.compat.uuid7),
        "fastuuid": lambda: fastuuid.uuid7_bulk(1_000),
        "c_uuid_v7": thousand(c_uuid_v7.uuid7)}),
    ("1,000 v4 as text", 1_000, lambda: idgen.batch("v4", 1_000, "str"), {
        "stdlib": thousand(lambda: str(uuid.uuid4())),
        "uuid_utils": thousand(lambda: str(uuid_utils.uuid4())),
        "fastuuid": lambda: fastuuid.uuid4_as_strings_bulk(1_000)}),
    ("1,000 v4 in a numpy array", 1_000, lambda: idgen.numpy.array("v4", 1_000), {
        "os.urandom": of_urandom, "uuid_utils": thousand(lambda: uuid_utils.uuid4().bytes)}),
]  # fmt: skip

PEERS = ["stdlib", "uuid_utils", "uuid_utils.compat", "fastuuid", "c_uuid_v7", "shortuuid", "python-ulid",
         "snowflake-id", "os.urandom"]  # fmt: skip


#: They return objects of their own classes, which are no `uuid.UUID`.
OWN_TYPE = {"uuid_utils", "fastuuid", "c_uuid_v7"}


def heading(peer: str) -> str:
    return f"{peer} (own type)" if peer in OWN_TYPE else peer


def once(call: Call, count: int) -> float:
    turns = itertools.repeat(None, count)
    if isinstance(call, tuple):
        function, argument = call
        begin = time.perf_counter_ns()
        for _ in turns:
            function(argument)
        return (time.perf_counter_ns() - begin) / count
    begin = time.perf_counter_ns()
    for _ in turns:
        call()
    return (time.perf_counter_ns() - begin) / count


def best_of(calls: dict[str, Call], ids: int, rounds: int) -> dict[str, float]:
    """Nanoseconds per id: the best of the rounds, in each of which the functions take turns."""
    counts = {}
    for name, call in calls.items():
        # A turn takes about 100 microseconds, so short that some turns are not interrupted.
        counts[name] = max(1, int(100_000 / max(1.0, min(once(call, 3), once(call, 3)))))
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            best[name] = min(best[name], once(call, counts[name]) / ids)
    return best


def number(nanos: float) -> str:
    return f"{nanos:.1f}" if nanos < 10 else f"{nanos:,.0f}"


def table(rounds: int) -> str:
    lines = [
        f"| ns an id | idgen | {' | '.join(heading(peer) for peer in PEERS)} |",
        f"|---|---|{'---|' * len(PEERS)}",
    ]
    for name, ids, ours, peers in ROWS:
        times = best_of({"idgen": ours, **peers}, ids, rounds)
        mine = times["idgen"]
        cells = [
            f"{number(times[peer])} ({times[peer] / mine:.1f}x)" if peer in times else "" for peer in PEERS
        ]
        lines.append(f"| {name} | **{number(mine)}** | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    # A text of 36 characters takes a call and a copy at the least.
    floor = best_of({"empty call": {}.keys}, 1, rounds)["empty call"]
    versions = ", ".join(
        f"{package} {version}"
        for package, version in re.findall(
            r"^(uuid[-_]utils|fastuuid|c[-_]uuid[-_]v7|shortuuid|python-ulid|snowflake[-_]id)==(.*)$",
            subprocess.run(
                [sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=True
            ).stdout,
            re.MULTILINE,
        )
    )
    return "\n".join(
        [
            *lines,
            "",
            f"CPython {platform.python_version()}, {processor()}; {versions}. "
            f"Best of {rounds} rounds; a call that does nothing takes {floor:.0f} ns in this loop. "
            "In brackets: the peer's time over idgen's.",
        ]
    )


def processor() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.machine()
    names = re.findall(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return f"{os.cpu_count()} cores of {names[0]}" if names else platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=300, help="how often each function is measured; the best time counts"
    )
    parser.add_argument("--write", type=pathlib.Path, help="a Markdown file with the markers of the table")
    args = parser.parse_args()
    gc.disable()
    text = table(args.rounds)
    print(text)
    if args.write:
        path = args.write if args.write.is_absolute() else pathlib.Path(__file__).parents[3] / args.write
        page = path.read_text()
        begin, end = "<!-- table: make bench-python -->\n", "\n<!-- end of table -->"
        if begin not in page or end not in page:
            raise SystemExit(f"{path} has no place for the table, between {begin.strip()} and {end.strip()}")
        head, rest = page.split(begin, 1)
        path.write_text(f"{head}{begin}{text}{end}{rest.split(end, 1)[1]}")


if __name__ == "__main__":
    main()
