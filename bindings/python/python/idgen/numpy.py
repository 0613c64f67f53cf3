"""Ids in numpy arrays. Needs numpy.

>>> import idgen.numpy
>>> idgen.numpy.array("v7", 1000).shape
(1000, 16)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from idgen import _idgen

if TYPE_CHECKING:
    import numpy.typing as npt

    from idgen._idgen import Generator, _UuidKind

__all__ = ["array", "decode", "encode"]

_WIDTHS = {"str": 36, "base64": 22}


def array(kind: _UuidKind | Generator, count: int, form: str = "bytes") -> npt.NDArray[Any]:
    """Returns new ids of a kind or a generator, written directly into a new array.

    form: "bytes" for an array of the shape (count, 16) and the type uint8; "str" for count texts of the
    type S36; "base64" for count texts of the type S22.

    >>> idgen.numpy.array("v4", 2, form="str").dtype
    dtype('S36')
    """
    if form == "bytes":
        ids = np.empty((count, 16), dtype=np.uint8)
        _idgen.fill(kind, ids)
        return ids
    texts = np.empty(count, dtype=f"S{_width(form)}")
    _idgen.fill(kind, texts.view(np.uint8), form)
    return texts


def encode(ids: npt.NDArray[np.uint8], form: str = "str") -> npt.NDArray[np.bytes_]:
    """Returns the texts (S36, or S22 for "base64") of a uint8 array of shape (n, 16), read-only.

    >>> idgen.numpy.encode(idgen.numpy.array("v4", 3), "base64").dtype
    dtype('S22')
    """
    if ids.dtype != np.uint8 or ids.ndim != 2 or ids.shape[1] != 16:
        raise ValueError(
            f"expected an array of the shape (n, 16) and the type uint8, not {ids.shape} {ids.dtype}"
        )
    width = _width(form)
    return np.frombuffer(_idgen.encode_buffer(ids.tobytes(), form), dtype=f"S{width}")


def decode(texts: npt.NDArray[np.bytes_], form: str = "str") -> npt.NDArray[np.uint8]:
    """Returns the ids of a text array (S36 or S22) as a uint8 array of shape (n, 16). It is read-only.

    Raises ValueError if one of the texts is not an id.

    >>> ids = idgen.numpy.array("v7", 3)
    >>> (idgen.numpy.decode(idgen.numpy.encode(ids)) == ids).all()
    np.True_
    """
    if texts.dtype != f"S{_width(form)}":
        raise ValueError(f"expected an array of the type S{_width(form)}, not {texts.dtype}")
    return np.frombuffer(_idgen.decode_buffer(texts.tobytes(), form), dtype=np.uint8).reshape(-1, 16)


def _width(form: str) -> int:
    try:
        return _WIDTHS[form]
    except KeyError:
        raise ValueError(f"no fixed-width text has the name {form!r}: use str or base64") from None
