"""The bounds of a time: generated ids lie between those of their time, and others do not."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import idgen
import pytest

DAY = datetime(2026, 11, 21, tzinfo=timezone.utc)
NEXT = DAY + timedelta(days=1)
MS = timedelta(milliseconds=1)
SECRET = b"a secret of at least 16 bytes"
KINDS: dict[str, Callable[[Any], Any]] = {
    "v1": lambda clock: idgen.V1(clock=clock),
    "v6": lambda clock: idgen.V6(clock=clock),
    "v7": lambda clock: idgen.V7(clock=clock),
    "ulid": lambda clock: idgen.Ulid(clock=clock),
    "fixed_prefix": lambda clock: idgen.FixedPrefix(clock=clock),
    "short": lambda clock: idgen.Short(clock=clock),
}


def key_of(kind: str) -> Callable[[Any], Any]:
    """Only swapped ids of version 1 are in the order of time."""
    return idgen.to_swapped if kind == "v1" else lambda id: id


def made(kind: str, at: datetime) -> list[Any]:
    ids = KINDS[kind](lambda: at)
    return [key_of(kind)(ids()) for _ in range(20)]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_lie_within_the_bounds_of_their_time(kind: str) -> None:
    key = key_of(kind)
    small, large = idgen.bounds(kind, DAY, NEXT)  # type: ignore[call-overload]
    step = timedelta(seconds=1) if kind == "short" else MS
    for at in (DAY, DAY + timedelta(hours=7, microseconds=1_003), NEXT - step):
        ids = made(kind, at)
        assert all(key(small) <= id <= key(large) for id in ids), at
        first, last = idgen.bounds(kind, at)  # type: ignore[call-overload]
        assert all(key(first) <= id <= key(last) for id in ids), at
    assert all(id < key(small) for id in made(kind, DAY - step))
    assert all(id > key(large) for id in made(kind, NEXT))
    nanoseconds = [int(at.timestamp()) * 10**9 for at in (DAY, NEXT)]
    assert idgen.bounds(kind, *nanoseconds) == (small, large)  # type: ignore[call-overload]
    text, data = (idgen.bounds(kind, DAY, NEXT, form=form) for form in ("str", "bytes"))  # type: ignore[call-overload]
    assert text == (str(small), str(large))
    assert [int.from_bytes(part, "big") for part in data] == [int(small), int(large)]


def test_bounds_are_ids_of_the_kind() -> None:
    for kind, version in (("v1", 1), ("v6", 6), ("v7", 7), ("fixed_prefix", 8)):
        pair = idgen.bounds(kind, DAY, NEXT)  # type: ignore[call-overload]
        assert [(type(id), id.version, id.variant) for id in pair] == [
            (uuid.UUID, version, uuid.RFC_4122)
        ] * 2
    small, large = idgen.bounds("mysql_short", DAY, NEXT, server_id=7)
    first = idgen.inspect(small).mysql
    last = idgen.inspect(large).mysql
    assert first and last and (first.server_id, first.startup, first.counter) == (7, DAY, 0)
    assert last.startup == NEXT - timedelta(seconds=1)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"prefix": "keyed", "key": SECRET},
        {"prefix": "keyed", "key": SECRET, "writer": "b", "interval": "6h"},
        {"tail": "random", "version": 8},
        {"prefix": "md5-week", "interval": "week", "tail": "random"},
        {"interval": "hour", "bits": 12},
    ],
)
def test_prefixed_ids_lie_within_the_bounds_of_their_intervals(arguments: dict[str, Any]) -> None:
    hours = [DAY + timedelta(hours=hour) for hour in range(0, 72, 5)]
    pairs = idgen.prefixed_bounds(DAY, DAY + timedelta(days=3), **arguments)
    for hour in hours:
        ids = idgen.Prefixed(clock=lambda hour=hour: hour, **arguments).batch(50)
        assert all(sum(small <= id <= large for small, large in pairs) == 1 for id in ids), hour
    if arguments.get("tail") != "random":
        later = idgen.Prefixed(clock=lambda: DAY + timedelta(days=3), **arguments).batch(50)
        assert not any(small <= id <= large for id in later for small, large in pairs)


def test_wrong_arguments() -> None:
    for arguments, options, error, says in (
        (("v4", DAY), {}, ValueError, "v4"),
        (("week", DAY), {}, ValueError, "prefixed_bounds"),
        (("prefixed", DAY), {}, ValueError, "prefixed_bounds"),
        (("v9", DAY), {}, ValueError, "v9"),
        (("v7", NEXT, DAY), {}, ValueError, "later end"),
        (("v7", DAY, DAY), {}, ValueError, "later end"),
        (("v7", DAY.replace(tzinfo=None)), {}, ValueError, "time zone"),
        (("v7", "2026-11-21"), {}, TypeError, "str"),
        (("v7", datetime(1969, 1, 1, tzinfo=timezone.utc)), {}, OverflowError, "1969"),
        (("short", datetime(2107, 1, 1, tzinfo=timezone.utc)), {}, OverflowError, "2107"),
        (("short", DAY), {"form": "uuid"}, ValueError, "64-bit"),
        (("v7", DAY), {"form": "hex"}, ValueError, "hex"),
        (("v7", DAY), {"prefix": "ff"}, TypeError, "prefix"),
        (("short", DAY), {"server_id": 1}, TypeError, "server_id"),
        (("mysql_short", DAY), {}, TypeError, "server_id"),
        (("mysql_short", DAY), {"server_id": 256}, OverflowError, "256"),
        (("fixed_prefix", DAY), {"prefix": "xyz"}, ValueError, "xyz"),
    ):
        with pytest.raises(error, match=says):
            idgen.bounds(*arguments, **options)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="key"):
        idgen.prefixed_bounds(DAY, NEXT, "keyed")


def failure(vector: dict[str, Any], call: Callable[[], Any]) -> None:
    error = OverflowError if vector["error"] == "time-out-of-range" else ValueError
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == vector["message"]


def test_the_shared_vectors() -> None:
    file = json.loads((Path(__file__).parents[3] / "tests/vectors/bounds.json").read_text())
    for vector in file["bounds"]:
        times = [int(vector[name]) * 100 for name in ("start", "end")]
        kind = vector["kind"].replace("-", "_")
        settings = vector["settings"]

        def call(**form: Any) -> Any:
            return idgen.bounds(kind, *times, **settings, **form)

        if "error" in vector:
            failure(vector, call)
            continue
        short = kind in ("short", "mysql_short")
        found = call(form="str")
        if kind == "ulid":
            found = tuple(map(idgen.to_base32, call()))
        elif short:
            found = tuple(map(str, call()))
        assert found == (vector["first"], vector["last"]), vector
    for vector in file["prefixed"]:
        times = [int(vector[name]) * 100 for name in ("start", "end")]
        given = dict(vector["settings"])
        arguments = {"prefix": given["prefix"], "interval": given["interval"], "form": "str"}
        tail, _, version = given["tail"].partition("-v")
        arguments["tail"] = tail
        if version:
            arguments["version"] = int(version)
        if "secret" in given:
            arguments["key"] = bytes.fromhex(given["secret"])
        for name, argument in (("writer", "writer"), ("bits", "bits"), ("utc_offset_secs", "utc_offset")):
            if name in given:
                arguments[argument] = given[name]
        if "error" in vector:
            failure(vector, lambda: idgen.prefixed_bounds(*times, **arguments))
            continue
        assert [list(pair) for pair in idgen.prefixed_bounds(*times, **arguments)] == vector["ranges"], given
