"""Where Python programs hand ids to: everything takes them, as they are uuid.UUID objects.

This is what the list in docs/python.md says.
"""

from __future__ import annotations

import copy
import csv
import decimal
import io
import json
import pickle
import uuid
import weakref
from typing import Any

import idgen
import pytest
from servers import Server

MAKERS = [
    idgen.v1,
    idgen.v4,
    idgen.v6,
    idgen.v7,
    idgen.ulid,
    idgen.week,
    idgen.prefixed,
    lambda: idgen.batch("v7", 1)[0],
    idgen.V7(),
    lambda: idgen.parse("bM14DLq6ECaVZFuMZWAk2w"),
]
pytestmark = pytest.mark.parametrize("make", MAKERS)


def test_isinstance(make: Any) -> None:
    id = make()
    assert isinstance(id, uuid.UUID) and type(id) is uuid.UUID


def test_equality_and_hash(make: Any) -> None:
    id = make()
    twin = uuid.UUID(str(id))
    assert id == twin and twin == id and hash(id) == hash(twin) and {id: 1}[twin] == 1
    assert not id < twin and id <= twin and id != uuid.UUID(int=id.int ^ 1)


def test_attributes(make: Any) -> None:
    id = make()
    twin = uuid.UUID(int=id.int)
    for name in dir(twin):
        if not name.startswith("_") and name != "is_safe":
            assert getattr(id, name) == getattr(twin, name)
    with pytest.raises(TypeError, match="immutable"):
        id.int = 5


def test_pickle_and_copy(make: Any) -> None:
    id = make()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(id, protocol))
        assert back == id and back.is_safe is id.is_safe and type(back) is uuid.UUID
    assert copy.copy(id) == copy.deepcopy(id) == id


def test_weakref(make: Any) -> None:
    id = make()
    assert weakref.ref(id)() is id


def test_formatting(make: Any) -> None:
    id = make()
    assert f"{id}" == str(id) == "%s" % id and json.loads(json.dumps({"id": id}, default=str)) == {
        "id": str(id)
    }
    out = io.StringIO()
    csv.writer(out).writerow([id])
    assert out.getvalue().strip() == str(id) and decimal.Decimal(id.int) == id.int


def test_orjson(make: Any) -> None:
    orjson = pytest.importorskip("orjson")
    id = make()
    assert orjson.loads(orjson.dumps({"id": id, "list": [id]})) == {"id": str(id), "list": [str(id)]}


def test_msgspec(make: Any) -> None:
    msgspec = pytest.importorskip("msgspec")
    id = make()
    assert msgspec.json.decode(msgspec.json.encode(id), type=uuid.UUID) == id
    assert msgspec.msgpack.decode(msgspec.msgpack.encode([id]), type=list[uuid.UUID]) == [id]
    assert msgspec.convert({"id": id}, dict[str, uuid.UUID])["id"] is id


def test_pydantic_strict(make: Any) -> None:
    pydantic = pytest.importorskip("pydantic")

    class Order(pydantic.BaseModel):  # type: ignore[misc,name-defined]
        model_config = pydantic.ConfigDict(strict=True)
        id: uuid.UUID = pydantic.Field(default_factory=make)

    order = Order()
    assert type(order.id) is uuid.UUID
    assert Order.model_validate_json(order.model_dump_json()) == order
    assert Order(id=order.id) == order and order.model_dump()["id"] is order.id


def test_pydantic_versions(make: Any) -> None:
    pydantic = pytest.importorskip("pydantic")
    id = make()
    if id.variant != uuid.RFC_4122 or id.version not in (1, 4, 6, 7, 8):
        id = idgen.v7()
    wanted = getattr(pydantic, f"UUID{id.version}")
    assert pydantic.TypeAdapter(wanted).validate_python(id) is id


def test_psycopg(make: Any) -> None:
    pytest.importorskip("psycopg")
    from psycopg.adapt import PyFormat, Transformer

    id = make()
    transformer = Transformer()
    assert transformer.get_dumper(id, PyFormat.BINARY).dump(id) == id.bytes
    assert bytes(transformer.get_dumper(id, PyFormat.TEXT).dump(id) or b"") == id.hex.encode()


def test_asyncpg(make: Any) -> None:
    """The class of asyncpg derives from uuid.UUID and compares with it."""
    asyncpg = pytest.importorskip("asyncpg.pgproto.pgproto")
    id = make()
    assert asyncpg.UUID(str(id)) == id and id == asyncpg.UUID(id.bytes)
    assert idgen.to_base64(asyncpg.UUID(id.bytes)) == idgen.to_base64(id)


def test_pymysql(make: Any, server: Server) -> None:
    """A real server gets the text of the object itself, and the bytes for BINARY(16)."""
    id = make()
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT %s, %s, HEX(%s)", (id, idgen.to_bytes(id), idgen.to_bytes(id)))
        assert cursor.fetchone() == (str(id), id.bytes, id.hex.upper())


def test_sqlalchemy(make: Any) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine("sqlite://")
    ids = sqlalchemy.Table(
        "ids", sqlalchemy.MetaData(), sqlalchemy.Column("id", sqlalchemy.Uuid, primary_key=True, default=make)
    )
    with engine.begin() as connection:
        ids.create(connection)
        connection.execute(ids.insert())
        (found,) = connection.execute(sqlalchemy.select(ids.c.id)).scalars()
        assert connection.execute(sqlalchemy.select(ids).where(ids.c.id == found)).one()
    engine.dispose()


def test_django(make: Any) -> None:
    pytest.importorskip("django")
    from django.db import models
    from django.forms import UUIDField

    id = make()
    assert models.UUIDField().to_python(id) is id and models.UUIDField().get_prep_value(id) is id
    assert UUIDField().clean(id) == id


def test_numpy_and_pandas(make: Any) -> None:
    pandas = pytest.importorskip("pandas")
    id = make()
    assert pandas.Series([id, id]).nunique() == 1 and pandas.Series([id])[0] is id


def test_arrow(make: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    id = make()
    assert pyarrow.array([id], pyarrow.uuid()).to_pylist() == [id]
