"""One id per call: every kind in every form."""

from __future__ import annotations

import base64
import inspect
import pickle
import time
import uuid

import idgen
import pytest
from table import ASCENDING, ROWS, UUIDS

#: The arguments of Python for each setting of the table.
ARGUMENTS = {
    "clock": {"clock"},
    "state": {"state"},
    "policy": {"tolerance", "when_behind", "longest_wait"},
    "node": {"node"},
    "secret": {"key"},
    "utc_offset_secs": {"utc_offset"},
}
#: What is in no setting of the table: randomness for tests, the version of a random tail, and leases.
OTHERS = {"seed", "version", "lease"}

#: Rows get ids from a class with a policy for the clock, which the prefixes of weeks do not need.
WITHOUT_ROWS = {"week"}


def class_of(kind: str) -> type:
    found = getattr(idgen, kind.title().replace("_", ""))
    assert isinstance(found, type)
    return found


def test_the_classes_and_functions_are_those_of_the_table() -> None:
    bases = {idgen.Generator: 128, idgen.ShortGenerator: 64}
    public = [getattr(idgen, name) for name in idgen.__all__]
    classes = {one: bases[one.__base__] for one in public if isinstance(one, type) and one.__base__ in bases}
    assert classes == {class_of(kind): row["bits"] for kind, row in ROWS.items()}
    for ending in ("_str", "_bytes", "_int", "_base64"):
        named = {name.removesuffix(ending) for name in idgen.__all__ if name.endswith(ending)}
        named -= {"to", "from"}
        assert named == set(ROWS if ending == "_str" else UUIDS), ending


@pytest.mark.parametrize("kind", ROWS)
def test_each_class_has_the_settings_of_the_table(kind: str) -> None:
    row = ROWS[kind]
    settings = [*row["settings"], *row["layout"]]
    expected: set[str] = set().union(*(ARGUMENTS.get(setting, {setting}) for setting in settings))
    assert set(inspect.signature(class_of(kind)).parameters) - OTHERS == expected


@pytest.mark.parametrize("kind", ROWS)
def test_bounds_and_rows_are_those_of_the_table(kind: str) -> None:
    row = ROWS[kind]
    given = {"server_id": 7} if "server_id" in row["layout"] else {}
    if row["bounds"] in ("ids", "swapped"):
        first, last = idgen.bounds(kind, 0, **given)  # type: ignore[call-overload]
        assert type(first) is type(last) is (uuid.UUID if row["bits"] == 128 else int)
    else:
        with pytest.raises(ValueError, match="prefixed_bounds" if row["bounds"] else "does not begin"):
            idgen.bounds(kind, 0)  # type: ignore[call-overload]
    if row["rows"] and kind not in WITHOUT_ROWS:
        assert len(idgen.ids_for_rows([10**18], class_of(kind))) == 1
    else:
        with pytest.raises(TypeError):
            idgen.ids_for_rows([10**18], class_of(kind))


@pytest.mark.parametrize("kind", UUIDS)
def test_each_kind_has_each_form(kind: str) -> None:
    id = getattr(idgen, kind)()
    assert type(id) is uuid.UUID
    if UUIDS[kind]:
        assert id.version == UUIDS[kind] and id.variant == uuid.RFC_4122
    forms = {form: getattr(idgen, f"{kind}_{form}")() for form in ("str", "bytes", "int", "base64")}
    read = [
        uuid.UUID(forms["str"]),
        uuid.UUID(bytes=forms["bytes"]),
        uuid.UUID(int=forms["int"]),
        uuid.UUID(bytes=base64.b64decode(forms["base64"] + "==")),
    ]
    assert {len(forms["str"]), len(forms["base64"]), len(forms["bytes"])} == {36, 22, 16}
    assert forms["str"] == str(read[0])
    if kind != "ulid":
        assert [id.version for id in read] == [UUIDS[kind]] * 4
    assert len({id, *read}) == 5


@pytest.mark.parametrize("kind", UUIDS)
def test_no_id_is_repeated(kind: str) -> None:
    make = getattr(idgen, kind)
    assert len({make() for _ in range(20_000)}) == 20_000


@pytest.mark.parametrize("kind", ASCENDING)
def test_ids_ascend(kind: str) -> None:
    make, text = getattr(idgen, kind), getattr(idgen, f"{kind}_str")
    ids = [make() for _ in range(20_000)]
    assert all(a < b for a, b in zip(ids, ids[1:]))
    texts = [text() for _ in range(20_000)]
    assert str(ids[-1]) < texts[0] and texts == sorted(texts)


def test_ids_have_the_current_time() -> None:
    before = time.time()
    ids = [idgen.v1(), idgen.v6(), idgen.v7()]
    after = time.time()
    for id in ids:
        made = idgen.timestamp(id)
        assert made is not None and made.tzinfo is not None
        # Version 7 is rounded down to a millisecond.
        assert before - 0.001 <= made.timestamp() <= after


def test_the_node_is_random() -> None:
    node = idgen.v1().node
    assert node >> 40 & 1 == 1
    assert idgen.v1().node == node != idgen.v6().node


def test_is_safe_is_set_for_version_1() -> None:
    assert idgen.v1().is_safe is uuid.SafeUUID.safe
    assert idgen.v4().is_safe is idgen.v7().is_safe is uuid.SafeUUID.unknown


def test_short_ids() -> None:
    ids = [idgen.short() for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    assert len({id >> 16 & 0xFFFF for id in ids}) == 1, "one node"
    assert abs(ids[-1] - (int(time.time()) << 32)) < 10 << 32
    assert int(idgen.short_str()) not in ids


def test_mysql_short_ids() -> None:
    first = idgen.mysql_short(7)
    assert idgen.mysql_short(7) == first + 1
    assert int(idgen.mysql_short_str(7)) == first + 2
    assert first >> 56 == 7
    for wrong, error in [(256, OverflowError), (-1, OverflowError), ("7", TypeError), (1.0, TypeError)]:
        with pytest.raises(error, match="server_id") as caught:
            idgen.mysql_short(wrong)  # type: ignore[arg-type]
        assert error is TypeError or f"0 to 255, not {wrong}" in str(caught.value)
        with pytest.raises(error, match="server_id"):
            idgen.mysql_short_str(wrong)  # type: ignore[arg-type]
        with pytest.raises(error, match="server_id"):
            idgen.MysqlShort(server_id=wrong)  # type: ignore[arg-type]
    # As a number with a sign, these are negative: their column must be BIGINT UNSIGNED.
    assert idgen.mysql_short(127) < 1 << 63 <= idgen.MysqlShort(128)() < idgen.mysql_short(255)


def test_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        idgen.v7(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        idgen.v7(node=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        idgen.to_str()  # type: ignore[call-arg]


def test_functions_have_names_and_can_be_pickled() -> None:
    for function in (idgen.v7, idgen.v4_str, idgen.to_base64, idgen.short):
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__module__.startswith("idgen")
        assert function.__doc__
