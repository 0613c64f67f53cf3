"""The functions that the processes of the fork tests run; spawned processes import this module."""

from __future__ import annotations

from typing import Any

import idgen
import idgen.uuid
from table import UUIDS

NODE = 0x9F6BDECED846
COUNT = 3_000

#: All sources of ids, by name: functions, batches, and generators that were created before the fork.
GENERATORS: dict[str, Any] = {
    "V1": idgen.V1(),
    "V1 with node": idgen.V1(node=NODE),
    "V4": idgen.V4(),
    "V6": idgen.V6(),
    "V6 with node": idgen.V6(node=NODE),
    "V7": idgen.V7(),
    "Ulid": idgen.Ulid(),
    "Week": idgen.Week(),
    "Prefixed": idgen.Prefixed(),
    "FixedPrefix": idgen.FixedPrefix(),
    "Prefixed keyed": idgen.Prefixed("keyed", "minute", key=b"0123456789abcdef"),
    "Short": idgen.Short(),
    "MysqlShort": idgen.MysqlShort(5),
}
FUNCTIONS: dict[str, Any] = {
    **{kind: getattr(idgen, kind) for kind in (*UUIDS, "short")},
    **{f"{kind}_str": getattr(idgen, f"{kind}_str") for kind in UUIDS},
    "mysql_short": lambda: idgen.mysql_short(6),
    "uuid1 with node": lambda: idgen.uuid.uuid1(NODE),
    "uuid6 with node": lambda: idgen.uuid.uuid6(NODE),
    "uuid1 with sequence": lambda: idgen.uuid.uuid1(NODE, 5),
    "uuid6 with sequence": lambda: idgen.uuid.uuid6(NODE, 5),
    "uuid8": idgen.uuid.uuid8,
    "batch v1": lambda: idgen.batch("v1", 1)[0],
    "batch v7": lambda: idgen.batch("v7", 1)[0],
}
ALL: dict[str, Any] = {**FUNCTIONS, **GENERATORS}

#: Sources whose ids a new process (not a forked one) could repeat: only the node distinguishes processes.
NOT_ACROSS_PROCESSES = {
    "V1 with node",
    "V6 with node",
    "uuid1 with node",
    "uuid6 with node",
    "uuid1 with sequence",
    "uuid6 with sequence",
    "MysqlShort",
    "mysql_short",
}


def use_all() -> None:
    """Generates an id from each source, so that a fork copies its state."""
    for make in ALL.values():
        make()


def make_many(name: str) -> list[str]:
    """COUNT ids of one source, as text."""
    make = ALL[name]
    return [str(make()) for _ in range(COUNT)]


def make_all(names: list[str]) -> dict[str, list[str]]:
    """COUNT ids of each source."""
    return {name: make_many(name) for name in names}
