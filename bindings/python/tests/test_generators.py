"""Generators as objects."""

from __future__ import annotations

import datetime
import itertools
import pathlib
import pickle
import time
import uuid
from typing import Any

import idgen
import prefixed_reference
import pytest

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=UTC)
NOON_NS = int(NOON.timestamp()) * 10**9
CLASSES: list[Any] = [idgen.V1, idgen.V6, idgen.V7, idgen.Ulid, idgen.Prefixed, idgen.FixedPrefix]


@pytest.mark.parametrize("make", [*CLASSES, idgen.V4, idgen.Week])
def test_each_generator_has_all_methods(make: Any) -> None:
    new = make()
    assert isinstance(new, idgen.Generator) and repr(new) == f"<idgen.{make.__name__}>"
    ids = [
        new(),
        next(new),
        *itertools.islice(new, 3),
        uuid.UUID(new.next_str()),
        uuid.UUID(bytes=new.next_bytes()),
    ]
    ids += [uuid.UUID(int=new.next_int()), idgen.from_base64(new.next_base64()), *new.batch(5)]
    assert len(set(ids)) == len(ids) == 14
    if make in (idgen.V6, idgen.V7, idgen.Ulid, idgen.Prefixed, idgen.FixedPrefix):
        assert ids == sorted(ids)
    with pytest.raises(TypeError):
        pickle.dumps(new)
    with pytest.raises(TypeError):
        idgen.Generator()


@pytest.mark.parametrize("make", CLASSES)
def test_seed_and_clock_determine_the_ids(make: Any) -> None:
    def run() -> list[uuid.UUID]:
        new = make(clock=lambda: NOON_NS, seed=1)
        return [new(), new(), *new.batch(3)]

    assert run() == run() != make(clock=lambda: NOON_NS, seed=2).batch(5)


@pytest.mark.parametrize("make", [idgen.V1, idgen.V6, idgen.V7])
@pytest.mark.parametrize(
    "clock",
    [lambda: NOON_NS, lambda: NOON, lambda: NOON.astimezone(datetime.timezone(datetime.timedelta(hours=5)))],
)
def test_clocks_return_nanoseconds_or_a_datetime(make: Any, clock: Any) -> None:
    assert idgen.timestamp(make(clock=clock)()) == NOON
    assert make(clock=time.time_ns)() != make(clock=lambda: datetime.datetime.now(UTC))()


def test_an_exception_of_the_clock_is_raised() -> None:
    def broken() -> int:
        raise LookupError("no time")

    for make in (*CLASSES, idgen.Week, idgen.Short):
        if make is idgen.Prefixed:
            continue
        new = make(clock=broken)
        for _ in range(2):
            with pytest.raises(LookupError, match="no time"):
                new()
    # These read their clock when they are created; no exception is left for the call of another generator.
    with pytest.raises(LookupError, match="no time"):
        idgen.MysqlShort(1, clock=broken)
    with pytest.raises(LookupError, match="no time"):
        idgen.Prefixed(clock=broken)
    assert idgen.Short()() and idgen.V7(clock=lambda: NOON_NS)()
    for answer, error in [
        (None, TypeError),
        ("x", TypeError),
        (1.5, TypeError),
        (1 << 80, ValueError),
        (datetime.datetime(2026, 1, 1), ValueError),
    ]:
        with pytest.raises(error):
            idgen.V7(clock=lambda: answer)()  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError):
        idgen.V7(clock=5)  # type: ignore[arg-type]


def test_a_clock_must_not_use_its_own_generator() -> None:
    def clock() -> int:
        new()
        return NOON_NS

    new = idgen.V7(clock=clock)
    with pytest.raises(RuntimeError, match="must not generate ids"):
        new()


def test_a_clock_out_of_range_is_an_error() -> None:
    with pytest.raises(OverflowError):
        idgen.V7(clock=lambda: -1)()
    with pytest.raises(OverflowError):
        idgen.Prefixed(clock=lambda: -1)


class Stepping:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = NOON_NS

    def __call__(self) -> int:
        return self.now


@pytest.mark.parametrize("make", [idgen.V6, idgen.V7, idgen.Ulid, idgen.Prefixed, idgen.FixedPrefix])
def test_the_policy_decides_when_the_clock_steps_back(make: Any) -> None:
    clock = Stepping()
    new = make(clock=clock)
    first = new()
    clock.now -= 5 * 10**9
    assert first < new(), "absorbed"
    clock.now -= 10 * 10**9
    assert first > new(), "it restarted at the time of the clock"
    clock.now = NOON_NS + 10**9
    assert first < new()

    strict = make(clock=clock, tolerance=datetime.timedelta(seconds=1), when_behind="error")
    strict()
    clock.now -= 2 * 10**9
    with pytest.raises(idgen.ClockBehindError):
        strict()
    with pytest.raises(idgen.ClockBehindError):
        strict.batch(10)

    restarting = make(clock=clock, tolerance=0.5, when_behind="restart")
    ids = [restarting() for _ in range(10)]
    clock.now -= 3600 * 10**9
    ids += [restarting() for _ in range(10)]
    assert len(set(ids)) == 20 and ids[-1] < ids[0]


def test_a_state_forbids_a_restart(tmp_path: pathlib.Path) -> None:
    now = NOON_NS
    new = idgen.V7(clock=lambda: now, state=tmp_path / "v7.state")
    new()
    now -= 3600 * 10**9
    with pytest.raises(idgen.ClockBehindError):
        new()


def test_the_policy_wait_waits_for_the_clock() -> None:
    started, back = time.monotonic_ns(), 0
    new = idgen.V7(
        clock=lambda: NOON_NS + time.monotonic_ns() - started - back, tolerance=0.02, when_behind="wait"
    )
    first = new()
    back = 60_000_000
    assert first < new()
    assert time.monotonic_ns() - started >= 40_000_000, "it waited until the clock was within the tolerance"


@pytest.mark.parametrize("make", CLASSES)
def test_no_id_is_repeated_after_a_restart_with_a_state(make: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "ids.state"
    settings = {"clock": lambda: NOON_NS, "seed": 1, "state": path}
    runs = []
    for _ in range(3):
        new = make(**settings)
        with pytest.raises(OSError, match="held by another"):
            make(**settings)
        runs.append([new(), new(), *new.batch(20)])
        del new
    ids = [id for run in runs for id in run]
    assert len(set(ids)) == len(ids)
    if make is not idgen.V1:
        assert ids == sorted(ids)


def test_a_damaged_state_is_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "ids.state"
    path.write_text("nonsense")
    with pytest.raises(OSError, match="damaged or not a state file"):
        idgen.V7(state=str(path))
    with pytest.raises(OSError, match="nowhere"):
        idgen.V7(state="/nowhere/ids.state")


@pytest.mark.parametrize("make", [idgen.V1, idgen.V6])
def test_ids_have_the_node(make: Any) -> None:
    for node in (0x9F6BDECED846, "9f6bdeced846", "9F:6B:DE:CE:D8:46"):
        assert make(node=node)().node == 0x9F6BDECED846
    assert make(node=0)().node == 0
    for wrong, error in [(-1, ValueError), (1 << 48, ValueError), ("xyz", ValueError), (1.0, TypeError)]:
        with pytest.raises(error):
            make(node=wrong)


def test_the_hardware_address() -> None:
    try:
        node = idgen.V1(node="mac")().node
    except ValueError as error:
        assert "no hardware address" in str(error)
    else:
        assert idgen.V6(node="mac")().node == node


def test_week_prefixes_are_those_of_mysql(mysql_vectors: dict[str, Any]) -> None:
    assert len(mysql_vectors["week_prefix"]) > 200
    for vector in mysql_vectors["week_prefix"]:
        at = vector["unix"] * 10**9
        if at < 0:
            continue
        assert idgen.Week(clock=lambda: at)().hex[:4] == vector["prefix"]
        ahead = idgen.Week(clock=lambda: at - 5 * 3600 * 10**9, utc_offset=5 * 3600)
        assert ahead().hex[:4] == vector["prefix"] and ahead().version == 4
    assert idgen.Week(version=8)().version == 8


def test_prefixed() -> None:
    day = int(NOON.timestamp()) // 86_400
    ids = idgen.Prefixed(clock=lambda: NOON_NS).batch(100)
    assert ids == sorted(ids) and {id.int >> 112 for id in ids} == {day & 0xFFFF} and ids[0].version == 8
    seen = idgen.inspect(ids[0])
    assert seen.prefix == day and seen.tail_time == NOON and seen.round is None

    keyed = idgen.Prefixed("keyed", "90s", key=b"0123456789abcdef", clock=lambda: NOON_NS)
    other = idgen.Prefixed("keyed", "90s", key=b"0123456789abcdef", writer="b", clock=lambda: NOON_NS)
    assert keyed().int >> 112 == keyed().int >> 112 != other().int >> 112
    number = int(NOON.timestamp()) // 90
    assert keyed().int >> 112 == prefixed_reference.keyed_prefix("0123456789abcdef", None, number)
    random_tail = idgen.Prefixed(tail="random", version=8)
    assert random_tail().version == 8 and idgen.Prefixed(tail="random")().version == 4


def test_prefixed_ids_are_those_of_the_reference(prefixed_vectors: dict[str, Any]) -> None:
    """The reference computes the vectors again, and the generators and inspect agree with them."""
    assert prefixed_vectors == prefixed_reference.vectors()
    for vector in prefixed_vectors["keyed_prefix"]:
        # At the start of a minute.
        new = idgen.Prefixed(
            "keyed",
            "minute",
            key=vector["secret"].encode(),
            writer=vector["writer"],
            clock=lambda: vector["number"] * 60 * 10**9,
        )
        assert new().int >> 112 == vector["prefix"]
    for vector in prefixed_vectors["keyed_id"]:
        interval = f"{vector['seconds']}s"
        seen = idgen.inspect(vector["id"], keyed_interval=interval)
        assert (seen.prefix, seen.round, seen.counter) == (
            vector["prefix"],
            vector["round"],
            vector["counter"],
        )
        assert seen.offset == datetime.timedelta(milliseconds=vector["offset_ms"]) and seen.tail_time is None
        at = vector["unix_ms"] * 10**6
        made = idgen.Prefixed("keyed", interval, key=vector["secret"].encode(), clock=lambda: at)()
        # Prefix, round and offset.
        assert made.hex[:12] == vector["id"][:12]
    for vector in prefixed_vectors["named_id"]:
        interval = f"{vector['seconds']}s"
        seen = idgen.inspect(vector["id"], keyed_interval=interval, named=True)
        assert (seen.prefix, seen.writer_tag, seen.round, seen.counter) == (
            vector["prefix"],
            vector["tag"],
            vector["round"],
            vector["counter"],
        )
        assert seen.offset == datetime.timedelta(milliseconds=vector["offset_ms"]) and seen.tail_time is None
        at, key = vector["unix_ms"] * 10**6, vector["secret"].encode()
        named = idgen.Prefixed("keyed", interval, key=key, writer=vector["writer"], clock=lambda: at)()
        # Prefix, tag, round and offset; the version is between them.
        assert (named.hex[:12], named.hex[13:16]) == (vector["id"][:12], vector["id"][13:16])
        assert idgen.inspect(vector["id"], keyed_interval=interval).writer_tag is None
    for vector in prefixed_vectors["sequential_named_id"]:
        interval, at = f"{vector['seconds']}s", vector["unix_ms"] * 10**6
        seen = idgen.inspect(vector["id"], keyed_interval=interval, named=True)
        assert (seen.prefix, seen.writer_tag, seen.counter) == (
            vector["prefix"],
            vector["tag"],
            vector["counter"],
        )
        made = idgen.Prefixed("sequential", interval, writer=vector["writer"], clock=lambda: at)()
        assert (made.hex[:12], made.hex[13:16]) == (vector["id"][:12], vector["id"][13:16])
    for vector in prefixed_vectors["time_id"]:
        seen = idgen.inspect(vector["id"])
        assert (seen.prefix, seen.counter, seen.round) == (vector["prefix"], vector["counter"], None)
        assert seen.tail_time == EPOCH + datetime.timedelta(milliseconds=vector["unix_ms"])


def test_fixed_prefix() -> None:
    for prefix, bits in (("ffffffff", "1" * 32), ("ffff", "1" * 16), ("0b101", "101"), ("0", "0000")):
        ids = idgen.FixedPrefix(prefix, clock=lambda: NOON_NS).batch(100)
        assert ids == sorted(ids)
        for id in ids:
            assert f"{id.int:0128b}".startswith(bits) and id.version == 8 and id.bytes[8] != 0x80
    assert idgen.inspect(idgen.FixedPrefix(clock=lambda: NOON_NS)()).tail_time == NOON
    for wrong in ("", "fffffffff", "0b2", "g"):
        with pytest.raises(ValueError, match="fixed prefix"):
            idgen.FixedPrefix(wrong)


def test_later_visits_of_a_prefix_follow_the_earlier_ones() -> None:
    now = NOON_NS
    new = idgen.Prefixed(bits=1, clock=lambda: now)
    first = new()
    # The prefix is used again two days later, here at an earlier time of the day.
    now += (2 * 86_400 - 3_600) * 10**9
    later = new()
    assert first.hex[:4] == later.hex[:4] and first < later


@pytest.mark.parametrize(
    "settings",
    [
        {"prefix": "other"},
        {"prefix": "keyed"},
        {"prefix": "keyed", "key": b"short"},
        {"key": b"0123456789abcdef"},
        {"prefix": "md5-week"},
        {"interval": "fortnight"},
        {"tail": "other"},
        {"version": 4},
        {"tail": "random", "version": 5},
        {"bits": 0},
        {"bits": 17},
        {"prefix": "keyed", "key": b"0123456789abcdef", "interval": "60d"},
        {"tolerance": -1},
        {"tolerance": float("nan")},
        {"when_behind": "sleep"},
    ],
)
def test_invalid_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as refused:
        idgen.Prefixed(**settings)
    assert "short" not in str(refused.value).replace("too short", ""), "the key is not shown"


@pytest.mark.parametrize("tolerance", [float("inf"), datetime.timedelta.max, 10**9])
def test_any_tolerance(tolerance: Any) -> None:
    """As in the other languages."""
    now = [NOON_NS]
    new = idgen.V7(clock=lambda: now[0], tolerance=tolerance, when_behind="error")
    first = new()
    now[0] -= 10**9 * 86_400 * 365 * (10 if tolerance != 10**9 else 1)
    assert new() > first
    for wrong in (float("nan"), -1.0, float("-inf"), True, "10"):
        for name in ("tolerance", "longest_wait"):
            arguments: dict[str, Any] = {name: wrong}
            with pytest.raises((TypeError, ValueError)):
                idgen.V7(**arguments)


@pytest.mark.parametrize("longest_wait", [0.05, datetime.timedelta(milliseconds=50)])
def test_the_longest_wait(longest_wait: Any) -> None:
    """The clock stands still, so that the wait would take a minute by default."""
    now = [NOON_NS]
    new = idgen.V7(clock=lambda: now[0], tolerance=0, when_behind="wait", longest_wait=longest_wait)
    first = new()
    now[0] -= 10**12
    with pytest.raises(idgen.ClockBehindError):
        new()
    now[0] += 10**12
    assert new() > first
    idgen.V7(clock=lambda: now[0], when_behind="wait", longest_wait=float("inf"))()
