"""numpy, Arrow and pandas."""

from __future__ import annotations

import uuid
from typing import Any

import idgen
import idgen.arrow
import idgen.numpy
import idgen.pandas
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

SOURCES: list[Any] = ["v1", "v4", "v7", "ulid", "prefixed", idgen.V7()]


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_numpy_arrays_hold_the_ids(kind: Any, count: int) -> None:
    ids = idgen.numpy.array(kind, count)
    assert ids.shape == (count, 16) and ids.dtype == np.uint8 and ids.flags.writeable and ids.flags.owndata
    assert len(np.unique(ids, axis=0)) == count if count else True
    texts = idgen.numpy.array(kind, count, form="str")
    assert texts.dtype == "S36" and len({uuid.UUID(text.decode()) for text in texts.tolist()}) == count
    short = idgen.numpy.array(kind, count, form="base64")
    assert short.dtype == "S22" and len({idgen.from_base64(text) for text in short.tolist()}) == count
    for wrong in ("uuid", "int", ""):
        with pytest.raises(ValueError):
            idgen.numpy.array(kind, count, form=wrong)


@pytest.mark.parametrize("form, write", [("str", idgen.to_str), ("base64", idgen.to_base64)])
def test_numpy_texts_are_encoded_and_decoded(form: str, write: Any) -> None:
    ids = idgen.numpy.array("v4", 1_000)
    texts = idgen.numpy.encode(ids, form)
    assert texts.tolist() == [write(id.tobytes()).encode() for id in ids]
    assert (idgen.numpy.decode(texts, form) == ids).all()
    # Every other row: not contiguous.
    assert (idgen.numpy.decode(idgen.numpy.encode(ids[::2], form), form) == ids[::2]).all()
    assert (idgen.numpy.decode(texts[::2], form) == ids[::2]).all()
    for wrong in (ids[:, :15], ids.astype(np.int8), ids[0]):
        with pytest.raises(ValueError):
            idgen.numpy.encode(wrong, form)
    with pytest.raises(ValueError):
        idgen.numpy.decode(texts.astype("S40"), form)
    broken = texts.copy()
    broken[7] = b"!"
    with pytest.raises(ValueError):
        idgen.numpy.decode(broken, form)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_arrow_arrays_hold_the_ids(kind: Any, count: int) -> None:
    ids = idgen.arrow.array(kind, count)
    ids.validate(full=True)
    assert ids.type == pa.binary(16) and len(set(ids.to_pylist())) == count
    typed = idgen.arrow.array(kind, count, form="uuid")
    typed.validate(full=True)
    assert typed.type == pa.uuid() and len({id for id in typed.to_pylist()}) == count
    assert all(type(id) is uuid.UUID for id in typed.to_pylist())
    texts = idgen.arrow.array(kind, count, form="str")
    texts.validate(full=True)
    assert texts.type == pa.string() and len({uuid.UUID(text) for text in texts.to_pylist()}) == count


def test_arrow_takes_the_buffer_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []
    batch = idgen.batch
    monkeypatch.setattr(
        "idgen._idgen.batch", lambda *args, **kwargs: made.append(batch(*args, **kwargs)) or made[0]
    )
    ids = idgen.arrow.array("v7", 100)
    assert ids.buffers()[1].address == pa.py_buffer(made[0]).address


def test_arrow_refuses_unknown_forms_and_large_counts() -> None:
    for wrong in ("int", "", "numpy"):
        with pytest.raises(ValueError):
            idgen.arrow.array("v7", 1, form=wrong)
    with pytest.raises(ValueError, match="several"):
        idgen.arrow.array("v7", 60_000_000, form="str")


@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_pandas_series_hold_the_ids(count: int) -> None:
    ids = idgen.pandas.series("v7", count, name="id")
    assert ids.name == "id" and ids.dtype == object and ids.nunique() == count
    assert ids.is_monotonic_increasing and all(type(id) is uuid.UUID for id in ids)
    texts = idgen.pandas.series("v7", count, form="str", index=range(5, 5 + count))
    assert list(texts.index) == list(range(5, 5 + count)) and pd.api.types.is_string_dtype(texts.dtype)
    assert [uuid.UUID(text).version for text in texts] == [7] * count
    compact = idgen.pandas.series(idgen.V4(), count, form="arrow")
    assert compact.dtype == pd.ArrowDtype(pa.binary(16)) and compact.nunique() == count
    frame = pd.DataFrame({"id": compact, "n": range(count)})
    assert frame.set_index("id")["n"].tolist() == list(range(count))
    with pytest.raises(ValueError):
        idgen.pandas.series("v7", 1, form="int")


@pytest.mark.parametrize("kind", ["short", idgen.Short()])
def test_an_array_of_128_bit_ids_refuses_64_bit_ids(kind: Any) -> None:
    for form in ("bytes", "uuid"):
        with pytest.raises(ValueError, match=r"^64-bit ids .* use pyarrow\.array"):
            idgen.arrow.array(kind, 3, form=form)
    with pytest.raises(ValueError, match=r"^64-bit ids .* use pyarrow\.array"):
        idgen.pandas.series(kind, 3, form="arrow")
    assert pa.array(idgen.batch(kind, 3), pa.uint64()).type == pa.uint64()
