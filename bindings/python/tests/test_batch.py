"""Many ids per call."""

from __future__ import annotations

import array
import mmap
import uuid
from collections.abc import Callable
from typing import Any

import idgen
import pytest
from table import ASCENDING, UUIDS

TO_UUID: dict[str, Callable[[Any], uuid.UUID]] = {
    "uuid": lambda id: id,
    "str": uuid.UUID,
    "bytes": lambda data: uuid.UUID(bytes=data),
    "int": lambda number: uuid.UUID(int=number),
    "base64": idgen.from_base64,
}


def cut(data: bytes, size: int = 16) -> list[bytes]:
    return [bytes(data[at : at + size]) for at in range(0, len(data), size)]


@pytest.mark.parametrize("kind", UUIDS)
@pytest.mark.parametrize("count", [0, 1, 2, 1_000, 5_000])
def test_batch_has_each_form(kind: Any, count: int) -> None:
    ids: list[uuid.UUID] = []
    for form, read in TO_UUID.items():
        made = idgen.batch(kind, count, form)
        assert type(made) is list
        ids += map(read, made)
    ids += map(TO_UUID["bytes"], cut(idgen.batch(kind, count, form="buffer")))
    assert len(ids) == len(set(ids)) == 6 * count
    assert {type(id) for id in ids} <= {uuid.UUID}
    if kind in ASCENDING:
        assert ids == sorted(ids)
    if UUIDS[kind] and count:
        assert {id.version for id in ids} == {UUIDS[kind]}


def test_is_safe_is_set_in_batches() -> None:
    assert idgen.batch("v1", 1)[0].is_safe is uuid.SafeUUID.safe
    assert idgen.batch("v4", 1)[0].is_safe is uuid.SafeUUID.unknown


def test_short_ids() -> None:
    numbers = idgen.batch("short", 3_000)
    texts = idgen.batch("short", 3_000, form="str")
    data = idgen.batch("short", 3_000, form="bytes")
    joined = cut(idgen.batch("short", 3_000, form="buffer"), 8)
    all_of_them = [*numbers, *map(int, texts), *(int.from_bytes(d, "big") for d in [*data, *joined])]
    assert len(set(all_of_them)) == 12_000
    with pytest.raises(ValueError, match="64-bit"):
        idgen.batch("short", 3, form="uuid")
    numbers = idgen.MysqlShort(9).batch(100)
    assert numbers == list(range(numbers[0], numbers[0] + 100))


def test_batch_takes_generators() -> None:
    new = idgen.V7()
    assert idgen.batch(new, 100) < new.batch(100)
    assert len(idgen.batch(idgen.Short(), 100)) == 100


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("v9", 1), ValueError),
        (("v7", -1), ValueError),
        (("v7", 1, "text"), ValueError),
        (("mysql-short", 1), ValueError),
        ((7, 1), TypeError),
        ((None, 1), TypeError),
        (("v7", "1"), TypeError),
        (("v7", 1 << 60), MemoryError),
        (("v7", 1 << 60, "buffer"), MemoryError),
        (("v7", 1 << 70), OverflowError),
    ],
)
def test_batch_refuses_bad_input(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        idgen.batch(*arguments)


@pytest.mark.parametrize("form, width", [("bytes", 16), ("str", 36), ("base64", 22)])
@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 4_000])
def test_fill_writes_ids(form: str, width: int, count: int) -> None:
    for source in ("v7", idgen.V7()):
        buffer = bytearray(count * width)
        assert idgen.fill(source, buffer, form) == count  # type: ignore[arg-type]
        texts = cut(buffer, width)
        ids = [TO_UUID[form](text if form == "bytes" else text.decode()) for text in texts]
        assert ids == sorted(set(ids)) and all(id.version == 7 for id in ids)


def test_fill_any_writable_buffer() -> None:
    for buffer in (bytearray(32), array.array("Q", [0] * 4), mmap.mmap(-1, 32), memoryview(bytearray(32))):
        assert idgen.fill("v4", buffer) == 2
        assert len(set(cut(bytes(buffer)))) == 2


def test_an_array_of_wider_characters_is_refused() -> None:
    """NumPy's U36 has four bytes for each character: the texts would be in other elements."""
    np = pytest.importorskip("numpy")
    for dtype, form, fits in (
        ("U36", "str", False),
        ("S36", "str", True),
        ("u1", "str", True),
        ("U22", "base64", False),
        ("S22", "base64", True),
        ("c16", "bytes", True),
    ):
        buffer = np.zeros(36 * 16 * 22 // np.dtype(dtype).itemsize, dtype)
        if fits:
            assert idgen.fill("v7", buffer, form) > 0
        else:
            with pytest.raises(ValueError, match="do not divide"):
                idgen.fill("v7", buffer, form)


@pytest.mark.parametrize(
    "buffer, error",
    [
        (bytes(32), BufferError),
        (bytearray(31), ValueError),
        ("text", TypeError),
        (None, TypeError),
        (memoryview(bytearray(64))[::2], BufferError),
    ],
)
def test_fill_refuses_bad_buffers_and_forms(buffer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        idgen.fill("v4", buffer)
    with pytest.raises((error, ValueError)):
        idgen.fill("v4", buffer, "int")
    with pytest.raises(ValueError, match="64-bit"):
        idgen.fill(idgen.Short(), bytearray(16))  # type: ignore[arg-type]


@pytest.mark.parametrize("form, width", [("str", 36), ("base64", 22)])
def test_buffers_of_text_are_encoded_and_decoded(form: str, width: int) -> None:
    ids = idgen.batch("v4", 1_000, form="buffer")
    text = idgen.encode_buffer(ids, form)
    write = {"str": idgen.to_str, "base64": idgen.to_base64}[form]
    assert cut(text, width) == [write(id).encode() for id in cut(ids)]
    assert idgen.decode_buffer(text, form) == ids
    assert idgen.decode_buffer(b"", form) == b""
    broken = bytearray(text)
    broken[width * 10] = ord("!")
    with pytest.raises(ValueError, match="!"):
        idgen.decode_buffer(bytes(broken), form)
    for wrong in (text[:-1], ids[:-1]):
        with pytest.raises(ValueError):
            idgen.decode_buffer(wrong, form)
    with pytest.raises(ValueError):
        idgen.encode_buffer(ids[:-1], form)
    with pytest.raises(ValueError):
        idgen.encode_buffer(ids, "int")
