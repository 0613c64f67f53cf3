"""How the adapters read UUIDs: strictly, because another number or text is rarely meant as a UUID."""

from __future__ import annotations

import uuid
from typing import Any

from idgen import _idgen

_DIGITS = frozenset(b"0123456789abcdefABCDEF-")


def read_uuid(value: Any) -> uuid.UUID:
    """The id in a uuid.UUID, in 16 bytes, or in a text as uuid.UUID reads it: hyphens, braces and urn:uuid:
    are optional. ValueError for other texts and bytes, TypeError for other objects.
    """
    if isinstance(value, uuid.UUID):
        return value
    if isinstance(value, str):
        digits = value.strip().lower().removeprefix("urn:").removeprefix("uuid:").strip("{}").replace("-", "")
        try:
            return _idgen.from_hex(digits)
        except ValueError:
            raise ValueError(
                f"{value!r} is not a UUID: 32 hexadecimal digits are needed. idgen.parse reads other formats"
            ) from None
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        if is_text(data):
            raise ValueError(f"{data!r} is text, not the 16 bytes of a UUID: decode it first")
        return _idgen.from_bytes(data)
    # A class of another package with the attributes of uuid.UUID.
    content, number = getattr(value, "bytes", None), getattr(value, "int", None)
    if isinstance(content, bytes) and len(content) == 16 and number == int.from_bytes(content, "big"):
        return _idgen.from_bytes(content)
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    raise TypeError(f"a UUID is a uuid.UUID, a text or 16 bytes, not {kind}")


def read_stored(value: Any, swapped: bool, place: str) -> uuid.UUID:
    """The id in the 16 bytes of a column."""
    if isinstance(value, str) or is_text(bytes(value)):
        raise ValueError(
            f"{place} holds the text {value!r} instead of the 16 bytes of a UUID: convert the column first, "
            "or if it has the database's type UUID, use UUIDField or sqlalchemy.Uuid for it. docs/python.md "
            "says how"
        )
    return _idgen.from_swapped(bytes(value)) if swapped else _idgen.from_bytes(bytes(value))


def is_text(data: bytes) -> bool:
    """Whether bytes are hexadecimal digits and hyphens. The variant of RFC 9562 is none of them."""
    return data != b"" and _DIGITS.issuperset(data)
