"""Ids with a type, in Python and in the libraries that store and validate them."""

from __future__ import annotations

import copy
import json
import pathlib
import pickle
import uuid

import idgen
import pydantic
import pytest
import sqlalchemy
from idgen.sqlalchemy import BinaryUUID, TypedUUID
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

VECTORS = pathlib.Path(__file__).parents[3] / "tests" / "vectors" / "typeid.json"
TEXT, ID = "user_01h455vb4pex5vsknk084sn02q", uuid.UUID("01890a5d-ac96-774b-bcce-b302099a8057")


class UserId(idgen.Typed, prefix="user"):
    pass


class OrderId(idgen.Typed, prefix="order_line"):
    pass


class Bare(idgen.Typed, prefix=""):
    pass


def test_the_published_cases_of_typeid() -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    for case in vectors["valid"]:
        id = uuid.UUID(case["uuid"])
        assert idgen.from_typed(case["typeid"]) == (case["prefix"], id)
        assert idgen.to_typed(case["prefix"], id) == case["typeid"]
    for case in vectors["invalid"]:
        with pytest.raises(ValueError):
            idgen.from_typed(case["typeid"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("User_01h455vb4pex5vsknk084sn02q", "found 'U' at offset 0"),
        ("user__01h455vb4pex5vsknk084sn02q", "found '_' at offset 4"),
        ("user_01h455vb4pexivsknk084sn02q", "found 'i' at offset 17"),
        ("user_01h455vb4pex5vsknk084sn02Q", "found 'Q' at offset 30"),
        ("user_91h455vb4pex5vsknk084sn02q", "0 to 7"),
        ("user_01h455vb4pex5vsknk084sn02q\n", r"found '\\n' at offset 31"),
        ("user_01h455vb4pex5vsknk084sn02", "found 25"),
        ("a" * 64 + "_01h455vb4pex5vsknk084sn02q", "at most 63 characters, found 64"),
        ("order_01h455vb4pex5vsknk084sn02q", "not an id with the prefix 'user'"),
        ("01890a5d-ac96-774b-bcce-b302099a8057", "not a typed id"),
    ],
)
def test_errors_name_the_character_and_its_place(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        UserId(text)


def test_an_id_of_a_type_is_a_uuid_with_another_text() -> None:
    id = UserId(TEXT)
    assert isinstance(id, uuid.UUID) and id == ID and hash(id) == hash(ID)
    assert (str(id), f"{id}", repr(id)) == (TEXT, TEXT, f"UserId({TEXT!r})")
    assert (id.bytes, id.hex, id.version, id.urn) == (ID.bytes, ID.hex, 7, ID.urn)
    assert type(id.id) is uuid.UUID and id.id == ID
    assert UserId(ID) == id == UserId(id) and UserId.new().version == 7
    assert str(Bare(ID)) == TEXT.removeprefix("user_")
    assert idgen.to_bytes(id) == ID.bytes and idgen.to_str(id) == str(ID)
    for same in (copy.copy(id), copy.deepcopy(id), pickle.loads(pickle.dumps(id))):
        assert type(same) is UserId and same == id


def test_ids_of_two_types_do_not_mix() -> None:
    assert UserId(ID) != OrderId(ID)
    with pytest.raises(ValueError, match="is not of the type OrderId"):
        OrderId(UserId(ID))
    with pytest.raises(TypeError, match="derive a class"):
        idgen.Typed(TEXT)
    with pytest.raises(ValueError, match="found 'U' at offset 0"):

        class Wrong(idgen.Typed, prefix="User"):
            pass


class User(pydantic.BaseModel):
    id: UserId


def test_pydantic_reads_and_writes_the_text() -> None:
    for user in (User(id=UserId(ID)), User.model_validate({"id": TEXT}), User.model_validate({"id": ID})):
        assert type(user.id) is UserId and user.id == ID
        assert user.model_dump_json() == f'{{"id":"{TEXT}"}}'
        assert user.model_dump() == {"id": user.id}
        assert User.model_validate_json(user.model_dump_json()) == user
    for wrong in ("order_01h455vb4pex5vsknk084sn02q", "user_", 7, None):
        with pytest.raises(pydantic.ValidationError):
            User.model_validate({"id": wrong})
        with pytest.raises(pydantic.ValidationError):
            User.model_validate_json(json.dumps({"id": wrong}))
    assert User.model_json_schema()["properties"]["id"]["type"] == "string"


class Base(DeclarativeBase):
    pass


class Row(Base):
    __tablename__ = "typed_rows"

    id: Mapped[UserId] = mapped_column(TypedUUID(UserId), primary_key=True, default=UserId.new)
    binary: Mapped[uuid.UUID] = mapped_column(BinaryUUID)
    plain: Mapped[uuid.UUID] = mapped_column(sqlalchemy.Uuid)


def test_sqlalchemy_stores_the_bytes() -> None:
    engine = sqlalchemy.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Row(id=UserId(TEXT), binary=UserId(TEXT), plain=UserId(TEXT)))
        session.add(Row(binary=UserId(TEXT), plain=UserId(TEXT)))
        session.commit()
        row = session.get_one(Row, UserId(TEXT))
        assert type(row.id) is UserId and str(row.id) == TEXT
        assert row.binary == row.plain == ID
        stored = session.execute(
            sqlalchemy.text("SELECT id, binary FROM typed_rows WHERE id = :id"), {"id": ID.bytes}
        )
        assert stored.one() == (ID.bytes, ID.bytes)
        assert session.scalar(sqlalchemy.select(Row.id).where(Row.id == TEXT)) == UserId(TEXT)
        for wrong in (OrderId(ID), "order_01h455vb4pex5vsknk084sn02q"):
            with pytest.raises(sqlalchemy.exc.StatementError, match="type"):
                session.scalar(sqlalchemy.select(Row.id).where(Row.id == wrong))
