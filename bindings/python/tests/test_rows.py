"""Ids for rows that exist: each has the time of its row, whatever the order of the rows."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Callable
from typing import Any

import idgen
import pytest

START = datetime.datetime(2026, 5, 1, 12, tzinfo=datetime.timezone.utc)


def _v1(**settings: Any) -> idgen.V1:
    return idgen.V1(node="02:00:00:00:00:01", **settings)


@pytest.mark.parametrize("make", [idgen.V7, idgen.V6, _v1])
def test_each_id_has_the_time_of_its_row(make: Callable[..., idgen.Generator]) -> None:
    # A fixed node has 16,384 clock sequences, one for each time that its clock is set back.
    choose = random.Random(1)
    times = [START + datetime.timedelta(milliseconds=choose.randrange(1000)) for _ in range(20_000)]
    ids = idgen.ids_for_rows(times, make)
    assert len(set(ids)) == len(times)
    for id, time in zip(ids, times):
        shown = idgen.timestamp(id)
        assert shown is not None and shown - time < datetime.timedelta(milliseconds=1)
    if make is not _v1:
        places = sorted(range(len(times)), key=times.__getitem__)
        assert [ids[place] for place in places] == sorted(ids)


def test_times_are_datetimes_of_any_zone_or_nanoseconds() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    nanoseconds = int(START.timestamp()) * 10**9
    times = (time for time in [START.astimezone(zone), nanoseconds + 3_000_000, nanoseconds - 10**9])
    shown = [idgen.timestamp(id) for id in idgen.ids_for_rows(times)]
    assert shown == [
        START,
        START + datetime.timedelta(milliseconds=3),
        START - datetime.timedelta(seconds=1),
    ]
    assert idgen.ids_for_rows([]) == []


def test_other_kinds() -> None:
    [ulid] = idgen.ids_for_rows([START], idgen.Ulid)
    assert ulid.int >> 80 == int(START.timestamp()) * 1000
    [fixed] = idgen.ids_for_rows([START], idgen.FixedPrefix)
    assert str(fixed).startswith("ffffffff")


@pytest.mark.parametrize(
    ("times", "error", "words"),
    [
        ([START.replace(tzinfo=None)], ValueError, "without time zone"),
        (["2026-05-01"], TypeError, "not a time: '2026-05-01'"),
        ([True], TypeError, "not a time: True"),
        ([1.5], TypeError, "not a time: 1.5"),
        ([START, -1], OverflowError, "1969"),
    ],
)
def test_what_is_no_time(times: list[Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        idgen.ids_for_rows(times)


def test_what_is_no_generator() -> None:
    for make in (idgen.Short, lambda **settings: None):
        with pytest.raises(TypeError, match="not a generator of 128-bit ids"):
            idgen.ids_for_rows([START], make)  # type: ignore[arg-type]
