"""Generators of 64-bit ids."""

from __future__ import annotations

import datetime
import pathlib

import idgen
import pytest

NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
NOON_NS = int(NOON.timestamp()) * 10**9


def test_short() -> None:
    new = idgen.Short(node=0x9F6BDECED846, clock=lambda: NOON_NS)
    ids = [new(), next(new), int(new.next_str()), *new.batch(1_000)]
    assert {id >> 32 for id in ids} == {int(NOON.timestamp())}
    assert {id >> 16 & 0xFFFF for id in ids} == {0xD846}
    assert [(b - a) % 65_536 for a, b in zip(ids, ids[1:])] == [1] * 1_002
    assert repr(new) == "<idgen.Short>" and isinstance(new, idgen.ShortGenerator)

    full = idgen.Short(clock=lambda: NOON_NS, when_behind="error")
    assert len(set(full.batch(65_536))) == 65_536
    with pytest.raises(idgen.ClockBehindError):
        full()


def test_a_lease_begins_with_its_first_whole_second() -> None:
    assert idgen.DeviceLease(0, NOON_NS + 1, NOON_NS + 10**9).not_before == NOON + datetime.timedelta(
        seconds=1
    )
    assert idgen.DeviceLease(0, NOON_NS, NOON_NS + 10**9 - 1).not_after == NOON
    assert repr(idgen.DeviceLease(7, NOON, NOON)).startswith(
        "<idgen.DeviceLease 7 from 2026-11-21T12:00:00Z to 2026"
    )
    with pytest.raises(ValueError, match="no second lies in the lease"):
        idgen.DeviceLease(0, NOON_NS + 1, NOON_NS + 2)
    for number in (-1, 65_536):
        with pytest.raises(OverflowError, match="0 to 65535"):
            idgen.DeviceLease(number, NOON, NOON)
    for number in (True, "7", 1.0, None):
        with pytest.raises(TypeError, match="must be an int"):
            idgen.DeviceLease(number, NOON, NOON)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        idgen.Short().set_lease(7)  # type: ignore[arg-type]


def test_a_refused_lease_leaves_the_one_before_it(tmp_path: pathlib.Path) -> None:
    now = NOON_NS
    new = idgen.Short(
        clock=lambda: now, lease=idgen.DeviceLease(7, NOON, NOON), state=tmp_path / "short.state"
    )
    assert new() >> 16 & 0xFFFF == 7
    now += 10**9
    with pytest.raises(idgen.OutsideLeaseError, match="renew the lease"):
        new.batch(3)
    new.set_lease(idgen.DeviceLease(8, NOON, NOON + datetime.timedelta(days=1)))
    assert new() >> 16 & 0xFFFF == 8


def test_a_short_generator_restarts_with_another_node() -> None:
    now = NOON_NS
    new = idgen.Short(clock=lambda: now)
    ids = new.batch(100)
    now -= 3600 * 10**9
    ids += new.batch(100)
    nodes = [id >> 16 & 0xFFFF for id in ids]
    assert len(set(ids)) == 200 and {(node - nodes[0]) % 65_536 for node in nodes} == {0, 1}
    assert ids[-1] >> 32 == now // 10**9

    fixed = idgen.Short(clock=lambda: now, node=1)
    fixed()
    now -= 3600 * 10**9
    with pytest.raises(idgen.ClockBehindError):
        fixed()


def test_a_short_generator_waits_for_the_next_second() -> None:
    new = idgen.Short()
    ids = new.batch(65_536 + 10)
    assert len(set(ids)) == len(ids)
    assert ids[-1] >> 32 > ids[0] >> 32


def test_short_state(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "short.state"
    ids: list[int] = []
    for _ in range(3):
        new = idgen.Short(clock=lambda: NOON_NS, state=path)
        ids += new.batch(10)
        del new
    assert len(set(ids)) == 30 and len({id >> 16 & 0xFFFF for id in ids}) == 1
    path = tmp_path / "mysql.state"
    first = idgen.MysqlShort(3, clock=lambda: NOON_NS, state=path)
    last = first.batch(10)[-1]
    del first
    assert idgen.MysqlShort(3, clock=lambda: NOON_NS, state=path)() > last
