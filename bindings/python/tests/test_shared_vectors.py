"""The vectors that all implementations share: tests/vectors/README.md describes them."""

from __future__ import annotations

import json
import pathlib
from datetime import datetime
from typing import Any
from uuid import UUID

import idgen
import pytest
from table import ROWS, VECTORS

# Those of weeks are the same as prefixed ids with md5-week.
KINDS: dict[str, Any] = {
    row["name"]: getattr(idgen, kind.title().replace("_", "")) for kind, row in ROWS.items() if kind != "week"
}


def load(name: str) -> dict[str, Any]:
    return json.loads((VECTORS / name).read_text())  # type: ignore[no-any-return]


def settings(case: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a generator's class."""
    given = dict(case["settings"])
    named: dict[str, Any] = {} if case["kind"] == "mysql-short" else {"seed": case["seed"]}
    if "tolerance_ms" in given:
        named["tolerance"] = given.pop("tolerance_ms") / 1000
    if "longest_wait_ms" in given:
        named["longest_wait"] = given.pop("longest_wait_ms") / 1000
    if "secret" in given:
        named["key"] = bytes.fromhex(given.pop("secret"))
    if "utc_offset_secs" in given:
        named["utc_offset"] = given.pop("utc_offset_secs")
    tail = given.pop("tail", None)
    if tail is not None:
        named["tail"], _, version = tail.partition("-v")
        if version:
            named["version"] = int(version)
    return {**given, **named}


def text(case: dict[str, Any], id: UUID | int) -> str:
    if isinstance(id, int):
        return str(id)
    return idgen.to_base32(id) if case["kind"] == "ulid" else str(id)


def replayable(case: dict[str, Any]) -> bool:
    """Python's generators take seeds and not bytes, cannot crash without the process, and really sleep."""
    steps = case["steps"]
    if case["seed"] is None or any("clock_after" in step or step["op"] == "crash" for step in steps):
        return False
    return "wait" not in case["settings"].values() or case["settings"].get("longest_wait_ms") == 0


CASES = [case for case in load("generators.json")["generators"] if replayable(case)]
LEASED = [case for case in load("leases.json")["generators"] if replayable(case)]


def test_most_cases_are_replayed() -> None:
    assert len(CASES) > 100 and {case["kind"] for case in CASES} == set(KINDS)
    assert len(LEASED) > 15


def lease_of(lease: dict[str, Any]) -> idgen.DeviceLease:
    return idgen.DeviceLease(
        lease["number"], *(int(lease[field]) * 100 for field in ("not_before", "not_after"))
    )


@pytest.mark.parametrize(
    "case", CASES + LEASED, ids=lambda case: f"{case['kind']}-{case['name']}-{case['seed']}"
)
def test_generators(case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    now = 0

    def clock() -> int:
        return now * 100

    arguments = settings(case)
    if case["kind"] != "v4":
        arguments["clock"] = clock
    if case["state"]:
        arguments["state"] = tmp_path / "ids.state"
    new: Any = None
    for step in case["steps"]:
        now = int(step.get("clock", now))
        if step["op"] == "close":
            new = None
            continue
        failed, ids = None, []
        try:
            if "lease" in step:
                # It outlives the generator, and a refused one changes nothing.
                arguments["lease"] = lease_of(step["lease"])
                if new:
                    new.set_lease(arguments["lease"])
            new = new or KINDS[case["kind"]](**arguments)
            count = step["count"]
            ids = [new() for _ in range(count)] if step["op"] == "next" else new.batch(count)
        except (ValueError, RuntimeError, OSError, OverflowError) as error:
            failed = error
        if "error" in step:
            assert str(failed) == step["message"]
            assert isinstance(failed, idgen.OutsideLeaseError) == (step["error"] == "outside-lease")
        else:
            assert failed is None
            if step["op"] != "skip":
                assert [text(case, id) for id in ids] == step["ids"]


def test_leases() -> None:
    for vector in load("leases.json")["leases"]:
        if "error" in vector:
            with pytest.raises((ValueError, OverflowError)) as raised:
                lease_of(vector)
            assert str(raised.value) == vector["message"]
            continue
        lease = lease_of(vector)
        assert lease.number == vector["number"]
        begin, end = lease.not_before, lease.not_after
        assert (begin.timestamp(), end.timestamp()) == (vector["first_sec"], vector["last_sec"])
        assert lease == idgen.DeviceLease(lease.number, begin, end)


#: The formats and the ends of their functions' names; integers are not texts in Python.
FORMATS = {
    "hyphenated": "str",
    "simple": "hex",
    "urn": "urn",
    "braced": "braced",
    "base64": "base64",
    "base64url": "base64url",
    "ordered64": "ordered64",
    "base32": "base32",
}


def decoder(vector: dict[str, Any]) -> Any:
    return getattr(idgen, f"from_{FORMATS[vector['format']]}")


def test_texts_of_any_form() -> None:
    for vector in load("codecs.json")["detected"]:
        if "id" in vector:
            assert str(idgen.parse(vector["text"])) == vector["id"]
        else:
            with pytest.raises(ValueError) as refused:
                idgen.parse(vector["text"])
            assert str(refused.value) == vector["message"]


def test_codecs() -> None:
    vectors = load("codecs.json")
    for forms in vectors["ids"]:
        id = UUID(forms["hyphenated"])
        for name, end in FORMATS.items():
            assert getattr(idgen, f"to_{end}")(id) == forms[name]
            assert getattr(idgen, f"from_{end}")(forms[name]) == id
        assert idgen.to_swapped(id).hex() == forms["swapped"]
        assert idgen.from_swapped(bytes.fromhex(forms["swapped"])) == id
    for vector in vectors["accepted"]:
        assert decoder(vector)(vector["text"]) == UUID(vector["id"])
    for vector in vectors["refused"]:
        if vector["format"] in FORMATS:
            with pytest.raises(ValueError) as raised:
                decoder(vector)(vector["text"])
            assert str(raised.value) == vector["message"]


def test_orders() -> None:
    for vector in load("orders.json")["orders"]:
        for order in ("guid", "java_legacy", "timeuuid"):
            # Cassandra refuses other versions than 1 in a timeuuid.
            if vector[order] is not None:
                assert getattr(idgen, f"to_{order}")(vector["uuid"]).hex() == vector[order]
                assert str(getattr(idgen, f"from_{order}")(bytes.fromhex(vector[order]))) == vector["uuid"]


def test_seals() -> None:
    vectors = load("seals.json")
    for vector in vectors["keys"]:
        secret = bytes.fromhex(vector["secret"])
        if "error" in vector:
            with pytest.raises(ValueError) as raised:
                idgen.SealKey(secret)
            assert str(raised.value) == vector["message"]
        else:
            check_answers(idgen.SealKey(secret), vector["answers"])
    for vector in vectors["rings"]:
        first, *others = (bytes.fromhex(secret) for secret in vector["secrets"])
        if "answers" in vector:
            times = [ms * 1_000_000 for ms in vector["from_unix_ms"]]
            check_answers(idgen.SealRing(first, list(zip(times, others, strict=True))), vector["answers"])
    for vector in vectors["types"]:
        first, *others = (bytes.fromhex(secret) for secret in vector["secrets"])
        times = [ms * 1_000_000 for ms in vector["from_unix_ms"]]
        ring = idgen.SealRing(first, list(zip(times, others, strict=True)))
        if "error" in vector:
            with pytest.raises(ValueError) as raised:
                idgen.TypeSeal(vector["prefix"], ring)
            assert str(raised.value) == vector["message"]
        else:
            check_type_answers(vector["prefix"], idgen.TypeSeal(vector["prefix"], ring), vector["answers"])


def check_type_answers(prefix: str, seal: idgen.TypeSeal, answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        if answer["do"] == "seal_int":
            sealed = seal.seal_int(int(answer["int"]))
            assert (sealed, idgen.to_typed(prefix, sealed)) == (UUID(answer["sealed"]), answer["text"])
            assert seal.open_int(sealed) == int(answer["int"])
        elif answer["do"] == "open_int" and "error" not in answer:
            assert seal.open_int(answer["sealed"]) == int(answer["int"])
        elif answer["do"] == "open_int":
            with pytest.raises(ValueError) as raised:
                seal.open_int(answer["sealed"])
            assert str(raised.value) == answer["message"]
        else:
            check_answers(seal, [answer])


def test_ids_of_other_generators() -> None:
    vectors = load("inspections.json")
    for vector in vectors["foreign_texts"]:
        check_foreign(idgen.foreign_texts(vector["text"]), vector["readings"])
    for vector in vectors["foreign_numbers"]:
        seen = idgen.foreign_numbers(int(vector["number"]), now=moment(vector["now"]))
        check_foreign(seen, vector["readings"])


def check_foreign(seen: list[idgen.ForeignId], expected: list[dict[str, Any]]) -> None:
    fields = ("kind", "time", "uuid")
    found = [
        dict(zip(fields, (one.kind, one.timestamp, one.uuid and str(one.uuid)), strict=True)) for one in seen
    ]
    wanted = [{name: one.get(name) for name in fields} for one in expected]
    assert found == [{**one, "time": one["time"] and moment(one["time"])} for one in wanted]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def check_answers(key: Any, answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        given, other = ("id", "sealed") if answer["do"] == "seal" else ("sealed", "id")
        call = getattr(key, answer["do"])
        if "error" in answer:
            with pytest.raises(ValueError) as raised:
                call(answer[given])
            assert str(raised.value) == answer["message"]
        else:
            assert call(answer[given]) == UUID(answer[other])
            if answer["do"] == "seal":
                assert key.open(answer[other]) == UUID(answer[given])
