"""Ids in Arrow arrays, without a copy. Needs pyarrow.

>>> import idgen.arrow
>>> idgen.arrow.array("v7", 1000).type
FixedSizeBinaryType(fixed_size_binary[16])
"""

from __future__ import annotations

import array as _array
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from idgen import _idgen

if TYPE_CHECKING:
    from idgen._idgen import Generator, _UuidKind

__all__ = ["array"]


def array(kind: _UuidKind | Generator, count: int, form: str = "bytes") -> Any:
    """Returns new ids of a kind or a generator.

    form: "bytes" for a FixedSizeBinaryArray of 16 bytes; "uuid" for Arrow's extension type of UUIDs on
    top of it (pyarrow 18 or later); "str" for a StringArray.

    >>> str(idgen.arrow.array("v4", 10, form="uuid").type)
    'extension<arrow.uuid>'
    """
    if form == "str":
        return _texts(kind, count)
    if form not in ("bytes", "uuid"):
        raise ValueError(f"an Arrow array has no form {form!r}: use bytes, uuid or str")
    data = pa.py_buffer(_idgen.batch(kind, count, form="buffer"))
    if data.size != count * 16:
        raise ValueError(
            "64-bit ids are not 16 bytes long: use pyarrow.array(idgen.batch(kind, count), pyarrow.uint64())"
        )
    ids = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), count, [None, data])
    return pa.ExtensionArray.from_storage(pa.uuid(), ids) if form == "uuid" else ids


def _texts(kind: _UuidKind | Generator, count: int) -> Any:
    if count * 36 >= 1 << 31:
        raise ValueError(f"one StringArray cannot hold {count} ids: create several of at most 59,652,323")
    data = bytearray(count * 36)
    _idgen.fill(kind, data, "str")
    ends = _array.array("i", range(0, (count + 1) * 36, 36))
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(data))
