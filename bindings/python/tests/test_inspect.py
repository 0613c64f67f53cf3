"""inspect, timestamp and odds."""

from __future__ import annotations

import copy
import datetime
import pickle
import uuid
from typing import Any

import idgen
import pytest

UTC = datetime.timezone.utc


def test_the_examples_of_rfc_9562_are_read(rfc_vectors: list[dict[str, Any]]) -> None:
    assert len(rfc_vectors) == 5
    for vector in rfc_vectors:
        for given in (vector["uuid"], uuid.UUID(vector["uuid"]), uuid.UUID(vector["uuid"]).bytes):
            seen = idgen.inspect(given)
            assert seen.id == uuid.UUID(vector["uuid"]) and seen.version == vector["version"]
            assert seen.format == ("hyphenated" if isinstance(given, str) else None)
            assert seen.clock_sequence == vector.get("clock_sequence")
            assert seen.node == (int(vector["node"], 16) if "node" in vector else None)
            when = vector.get("utc") and datetime.datetime.fromisoformat(vector["utc"].replace("Z", "+00:00"))
            assert seen.timestamp == when == idgen.timestamp(given)
            if when:
                assert seen.unix_ns == int(when.timestamp()) * 10**9


def test_short_ids(mysql_vectors: dict[str, Any]) -> None:
    for vector in mysql_vectors["uuid_short_live"]:
        seen = idgen.inspect(vector["short"])
        assert seen == idgen.inspect(str(vector["short"])) or seen.format == "int"
        assert seen.id == vector["short"] and seen.version is None
        assert seen.mysql is not None and seen.device is not None
        assert seen.mysql.server_id == vector["server_id"]
        assert seen.mysql.startup <= datetime.datetime.fromtimestamp(vector["now"], UTC)
        assert seen.device.node == vector["short"] >> 16 & 0xFFFF
        assert idgen.inspect(vector["uuid"]).version == 1


@pytest.mark.parametrize("digits", range(20, 40))
def test_integers_are_not_read_as_text(digits: int) -> None:
    """32 digits are hexadecimal in a text, 26 a ULID."""
    number = int("12345678901234567890" * 2) // 10 ** (40 - digits)
    seen = idgen.inspect(number)
    if number < 1 << 64:
        assert seen.id == number and seen.device is not None
    else:
        assert seen.id == uuid.UUID(int=number) and seen.format == "int"


def test_times_beyond_datetime_have_unix_ns_only() -> None:
    id = uuid.UUID(int=((1 << 48) - 1) << 80 | 7 << 76 | 2 << 62)
    seen = idgen.inspect(id)
    assert seen.timestamp is None and seen.unix_ns == ((1 << 48) - 1) * 10**6
    with pytest.raises(OverflowError):
        idgen.timestamp(id)
    assert idgen.timestamp(uuid.UUID(int=1 << 76 | 2 << 62)) == datetime.datetime(1582, 10, 15, tzinfo=UTC)
    assert idgen.timestamp(idgen.v4()) is None
    assert idgen.inspect(1 << 64).id == uuid.UUID(int=1 << 64)


@pytest.mark.parametrize(
    "wrong, error",
    [
        ("nothing", ValueError),
        (-1, ValueError),
        (1 << 128, ValueError),
        (None, TypeError),
        (1.5, TypeError),
        (b"short", ValueError),
    ],
)
def test_bad_input_is_refused(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        idgen.inspect(wrong)


def test_inspections_are_immutable_and_compare() -> None:
    seen = idgen.inspect(idgen.v7())
    assert seen == copy.copy(seen) == pickle.loads(pickle.dumps(seen)) and hash(seen) == hash(copy.copy(seen))
    assert seen != idgen.inspect(idgen.v7()) and seen != 1
    assert repr(seen).startswith("Inspection(id=UUID(")
    with pytest.raises(AttributeError):
        seen.version = 4
    with pytest.raises(AttributeError):
        del seen.version


def test_odds_are_the_known_values() -> None:
    found = idgen.odds("v4", devices=10, rate_per_sec=1e6, years=10)
    assert 0 < found.probability < 1e-3 < found.ids and found.formula
    # Birthday bound by hand: N(N-1)/2 of 2^122.
    assert found.expected_collisions == pytest.approx(found.ids * (found.ids - 1) / 2 / 2**122)
    assert idgen.odds("v7", rate_per_sec=1e6, years=10).probability == 0
    tails = [
        idgen.odds("prefixed", devices=9, rate_per_sec=1e5, years=1, prefix=prefix, tail=tail).probability
        for prefix in ("sequential", "keyed", "md5-week")
        for tail in ("ascending", "random")
    ]
    assert tails[0] > tails[2] and tails[0] == tails[4] and tails[1] == tails[3] < tails[5], tails
    for wrong in ({"devices": 0}, {"rate_per_sec": -1.0}, {"years": float("nan")}, {"interval": "eon"}):
        settings: dict[str, Any] = {"rate_per_sec": 1.0, "years": 1.0, **wrong}
        with pytest.raises(ValueError):
            idgen.odds("v4", **settings)
    with pytest.raises(ValueError):
        idgen.odds("v5", rate_per_sec=1, years=1)
