"""Generators of all kinds: the end of their life, and clocks that return no time."""

from __future__ import annotations

import pathlib
from typing import Any

import idgen
import pytest

CLOSABLE: dict[str, Any] = {
    "V1": idgen.V1,
    "V4": idgen.V4,
    "V6": idgen.V6,
    "V7": idgen.V7,
    "Ulid": idgen.Ulid,
    "Week": idgen.Week,
    "Prefixed": idgen.Prefixed,
    "FixedPrefix": idgen.FixedPrefix,
    "Short": idgen.Short,
    "MysqlShort": lambda **settings: idgen.MysqlShort(3, **settings),
}


@pytest.mark.parametrize("kind", CLOSABLE)
def test_a_closed_generator_makes_no_ids(kind: str) -> None:
    with CLOSABLE[kind]() as new:
        new()
    new.close()
    for call in (new, lambda: next(new), new.next_str, lambda: new.batch(3), lambda: idgen.batch(new, 3)):
        with pytest.raises(ValueError, match="the generator is closed: create a new one"):
            call()
    with pytest.raises(RuntimeError, match="own error"), CLOSABLE[kind]():
        raise RuntimeError("own error")


@pytest.mark.parametrize("kind", [kind for kind in CLOSABLE if kind not in ("V4", "Week")])
def test_a_closed_generator_releases_its_state(kind: str, tmp_path: pathlib.Path) -> None:
    """Also if a traceback keeps it alive."""
    make, path = CLOSABLE[kind], tmp_path / "ids.state"
    kept: list[Any] = []
    with make(state=path) as new:
        kept.append(new)
        first = new()
        with pytest.raises(OSError, match="held by another generator"):
            make(state=path)
    second = make(state=path)
    assert second() != first
    second.close()
    # What is refused has not taken the lock.
    for wrong in (
        {"clock": 7},
        {"clock": lambda: "noon"},
        {"tolerance": -1},
        {"when_behind": "never"},
        {"typo": 1},
    ):
        if kind == "MysqlShort" and "clock" not in wrong:
            continue
        with pytest.raises((TypeError, ValueError)):
            make(state=path, **wrong)()
        make(state=path).close()


@pytest.mark.parametrize("time", [None, True, 1.5, "1795262400000000000", [], 1 << 80])
def test_what_a_clock_must_not_return(time: Any) -> None:
    for kind in ("V1", "V6", "V7", "Ulid", "Week", "Prefixed", "FixedPrefix", "Short", "MysqlShort"):
        with pytest.raises((TypeError, ValueError)):
            CLOSABLE[kind](clock=lambda: time)()
