"""The codecs, against the standard library and values that MySQL computed."""

from __future__ import annotations

import base64
import random
import uuid
from collections.abc import Callable
from typing import Any

import idgen
import pytest
from idgen import _texts

ORDERED = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def digits(number: int, alphabet: str, count: int, spare: int) -> str:
    """The naive twin of the base 32 and 64 forms: spare zero bits, then digits from the highest on."""
    number <<= spare
    width = len(alphabet).bit_length() - 1
    return "".join(alphabet[number >> width * at & len(alphabet) - 1] for at in reversed(range(count)))


#: Each form, by the standard library alone.
ORACLES: dict[str, Callable[[uuid.UUID], Any]] = {
    "str": str,
    "hex": lambda id: id.hex,
    "urn": lambda id: id.urn,
    "braced": lambda id: f"{{{id}}}",
    "base64": lambda id: base64.b64encode(id.bytes).decode().rstrip("="),
    "base64url": lambda id: base64.urlsafe_b64encode(id.bytes).decode().rstrip("="),
    "ordered64": lambda id: digits(id.int, ORDERED, 22, 4),
    "base64sort": lambda id: digits(id.int, ORDERED, 22, 4),
    "base32": lambda id: digits(id.int, CROCKFORD, 26, 0),
    "base32hex": lambda id: base64.b32hexencode(id.bytes).decode().rstrip("="),
    "base32human": lambda id: digits(id.int, CROCKFORD, 26, 2),
    "int": lambda id: id.int,
    "bytes": lambda id: id.bytes,
    "guid": lambda id: id.bytes_le,
    "java_legacy": lambda id: id.bytes[7::-1] + id.bytes[:7:-1],
    "swapped": lambda id: id.bytes[6:8] + id.bytes[4:6] + id.bytes[:4] + id.bytes[8:],
    "timeuuid": lambda id: (
        id.bytes[6:8] + id.bytes[4:6] + id.bytes[:4] + bytes(byte ^ 0x80 for byte in id.bytes[8:])
    ),
}
AT_RANDOM = random.Random(1)
IDS = [
    *(uuid.UUID(int=number) for number in (0, 1, (1 << 128) - 1, 1 << 30, 1 << 60, 1 << 90, 1 << 120)),
    *(uuid.UUID(int=AT_RANDOM.getrandbits(bits)) for bits in range(1, 129)),
    *(uuid.UUID(int=AT_RANDOM.getrandbits(128)) for _ in range(500)),
]


@pytest.mark.parametrize("form", ORACLES)
def test_ids_round_trip_in_each_form(form: str) -> None:
    write, read = getattr(idgen, f"to_{form}"), getattr(idgen, f"from_{form}")
    for id in IDS:
        written = ORACLES[form](id)
        assert write(id) == written
        assert type(write(id)) is type(written)
        back = read(written)
        assert back == id and type(back) is uuid.UUID and back.is_safe is uuid.SafeUUID.unknown
        if isinstance(written, str):
            assert read(written.encode()) == read(bytearray(written.encode())) == id


@pytest.mark.parametrize("form", ORACLES)
def test_every_input_is_read(form: str) -> None:
    write = getattr(idgen, f"to_{form}")
    id = idgen.v7()
    for given in (
        id,
        str(id),
        id.bytes,
        bytearray(id.bytes),
        id.hex,
        id.urn,
        idgen.to_base64(id),
        str(id).upper(),
    ):
        assert write(given) == write(id)


def test_parse_reads_all_forms() -> None:
    for id in IDS:
        for form in ("str", "hex", "urn", "braced", "base64", "ordered64", "base32"):
            assert idgen.parse(ORACLES[form](id)) == id
        assert idgen.parse(id) == idgen.parse(id.bytes) == id


def test_codecs_agree_with_mysql(mysql_vectors: dict[str, Any]) -> None:
    assert len(mysql_vectors["codec"]) > 50
    for vector in mysql_vectors["codec"]:
        id = uuid.UUID(vector["uuid"])
        assert idgen.to_base64(id) == vector["base64"]
        assert idgen.to_bytes(id).hex() == vector["bin"]
        assert idgen.to_swapped(id).hex() == vector["bin_swapped"]
        assert idgen.from_swapped(bytes.fromhex(vector["bin_swapped"])) == id
        assert idgen.from_base64(vector["base64"]) == id


def test_ordered64_sorts_like_the_ids() -> None:
    assert sorted(IDS) == sorted(IDS, key=idgen.to_ordered64)


TEXT_READERS = [
    f"from_{form}"
    for form in (
        "str",
        "hex",
        "urn",
        "braced",
        "base64",
        "base64url",
        "ordered64",
        "base32",
        "base32hex",
        "base32human",
    )
]


@pytest.mark.parametrize("name", [*TEXT_READERS, "parse", "to_str"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "é" * 11,
        "6ccd780c-baba-1026-9564-5b8c656024dg",
        "6ccd780cbaba102695645b8c656024d",
        " " * 36,
        "\0" * 22,
        "\U0001f600",
    ],
)
def test_bad_text_is_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError):
        getattr(idgen, name)(text)


@pytest.mark.parametrize(
    "name",
    [
        *TEXT_READERS,
        "from_bytes",
        "from_swapped",
        "from_guid",
        "from_java_legacy",
        "from_timeuuid",
        "from_int",
        "parse",
        "to_str",
        "to_bytes",
    ],
)
@pytest.mark.parametrize("value", [None, 1.5, [], object(), uuid.UUID])
def test_bad_types_are_refused(name: str, value: object) -> None:
    with pytest.raises(TypeError):
        getattr(idgen, name)(value)


def test_an_id_has_only_one_text() -> None:
    """The last of 22 characters holds two bits: another tail would be a second text for the same id."""
    assert idgen.from_base64("AAAAAAAAAAAAAAAAAAAAAA") == uuid.UUID(int=0)
    with pytest.raises(ValueError, match="AAAAAAAAAAAAAAAAAAAAAB"):
        idgen.from_base64("AAAAAAAAAAAAAAAAAAAAAB")


def test_bytes_of_another_length_are_refused() -> None:
    for length in (0, 15, 17):
        for read in (idgen.from_bytes, idgen.from_swapped, idgen.to_str):
            with pytest.raises(ValueError):
                read(bytes(length))


def test_integers() -> None:
    assert idgen.from_int("5") == idgen.from_int(5) == uuid.UUID(int=5)
    assert idgen.from_int(True) == uuid.UUID(int=1)
    for wrong in (-1, 1 << 128, 1 << 4000, "-1", "05", "", str(1 << 128)):
        with pytest.raises(ValueError):
            idgen.from_int(wrong)


def test_a_class_derived_from_uuid_is_read() -> None:
    class Mine(uuid.UUID):
        pass

    id = Mine(int=1 << 100)
    assert idgen.to_str(id) == str(id) and idgen.parse(id) == id
    assert type(idgen.parse(id)) is uuid.UUID


def test_a_uuid_that_was_never_initialized_is_refused() -> None:
    with pytest.raises(AttributeError):
        idgen.to_str(uuid.UUID.__new__(uuid.UUID))


@pytest.mark.parametrize("number", [-1, 1 << 128, 1 << 200, "1", None])
def test_a_uuid_with_a_wrong_number_is_refused(number: object) -> None:
    id = uuid.UUID.__new__(uuid.UUID)
    object.__setattr__(id, "int", number)
    with pytest.raises(ValueError, match="128 bits"):
        idgen.to_str(id)


@pytest.mark.parametrize("text", ["8" + "0" * 25, "9" + "1" * 25, "9" * 26])
def test_a_number_of_the_length_of_a_ulid_is_ambiguous(text: str) -> None:
    """It is a ULID beyond the range, or a decimal number: neither is taken without a look."""
    for read in (idgen.parse, idgen.to_str, idgen.inspect):
        with pytest.raises(ValueError):
            read(text)
    assert idgen.from_int(text).int == int(text)


@pytest.mark.parametrize(
    "text", ["9_0_0_0_1", "+90002", "090003", " 5", "5 ", "\ufeff5", "-1", "5.0", "\u0665"]
)
def test_a_decimal_text_has_digits_only(text: str) -> None:
    with pytest.raises(ValueError):
        idgen.from_int(text)
    with pytest.raises(ValueError):
        idgen.parse(text)


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", " ", "\n", "\x00"])
def test_marks_around_a_text_are_refused(mark: str) -> None:
    id = idgen.v4()
    for write in (idgen.to_str, idgen.to_hex, idgen.to_base64, idgen.to_base32, idgen.to_urn):
        for text in (mark + write(id), write(id) + mark):
            with pytest.raises(ValueError):
                idgen.parse(text)


class Foreign:
    """As the classes of other packages, such as uuid_utils and asyncpg's own: not derived from uuid.UUID."""

    def __init__(self, id: uuid.UUID, *, data: Any = None) -> None:
        self.bytes = id.bytes if data is None else data
        self.int = id.int


def test_classes_of_other_packages_are_read() -> None:
    id = idgen.v7()
    assert idgen.to_base64(Foreign(id)) == idgen.to_base64(id)  # type: ignore[arg-type]
    assert idgen.parse(Foreign(id)) == id  # type: ignore[arg-type]
    assert _texts.read_uuid(Foreign(id)) == id
    for wrong in (
        Foreign(id, data=id.bytes_le),
        Foreign(id, data=b"short"),
        Foreign(id, data=str(id)),
        object(),
    ):
        with pytest.raises(TypeError, match=r"not (test_codecs\.Foreign|object)"):
            idgen.to_base64(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"not (test_codecs\.Foreign|object)"):
            _texts.read_uuid(wrong)
