"""UUIDs that would pass for another form on the way through a statement of SQLAlchemy."""

from __future__ import annotations

import uuid
import warnings
from typing import Any

import idgen
import pytest
import sqlalchemy as sa
from idgen.sqlalchemy import Base64UUID, BinaryUUID, SwappedUUID
from sqlalchemy.dialects import mysql, postgresql, sqlite

ID = idgen.v1()
TABLE = sa.Table(
    "mixed",
    sa.MetaData(),
    sa.Column("n", sa.Integer, primary_key=True),
    sa.Column("binary", BinaryUUID()),
    sa.Column("swapped", SwappedUUID()),
    sa.Column("base64", Base64UUID()),
    sa.Column("uuid", sa.Uuid()),
    sa.Column("char36", sa.CHAR(36)),
)
C = TABLE.c
OWN = [C.binary, C.swapped]


def wrong(own: Any) -> list[Any]:
    """Statements that would store, return or miss the bytes of a column in another form."""
    guid, text = sa.literal(ID), sa.literal(str(ID))
    return [
        sa.update(TABLE).values(uuid=own),
        sa.update(TABLE).values({own: C.uuid}),
        sa.update(TABLE).ordered_values((C.char36, own)),
        sa.update(TABLE).values(uuid=sa.select(own).scalar_subquery()),
        sa.insert(TABLE).values({C.n: 1, own: guid}),
        sa.insert(TABLE).values([{"n": 1, own.name: text}]),
        sa.insert(TABLE).from_select(["n", "uuid"], sa.select(C.n, own)),
        *(set_of(sa.select(own), sa.select(C.uuid)) for set_of in (sa.union, sa.intersect, sa.except_)),
        sa.select(sa.union_all(sa.select(C.char36), sa.select(own)).subquery()),
        *(sa.select(sa.cast(own, kind)) for kind in (sa.Uuid(), sa.String(36), sa.Text(), Base64UUID())),
        sa.select(sa.cast(C.char36, own.type)),
        sa.select(sa.case((C.n == 1, own), else_=C.uuid)),
        sa.select(sa.case({guid: 1}, value=own, else_=0)),
        sa.select(sa.func.coalesce(own, C.uuid)),
        sa.select(sa.func.NULLIF(C.char36, own)),
        sa.select(sa.func.ifnull(own, guid)),
        *texts(own),
    ]


def texts(own: Any) -> list[Any]:
    """Newer versions of SQLAlchemy warn here, because the types of bytes have no such operators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        conditions = [own.like("%ab%"), own.contains(str(ID)), own.not_like(str(ID))]
    return [sa.select(C.n).where(condition) for condition in conditions]


def right(own: Any) -> list[Any]:
    same = sa.literal(ID, own.type)
    return [
        sa.update(TABLE).values({own: ID, "uuid": ID, "char36": str(ID)}),
        sa.update(TABLE).values({own: own, "uuid": C.uuid, "char36": sa.null()}),
        sa.insert(TABLE).values([{"n": 1, own.name: ID}, {"n": 2, own.name: None}]),
        sa.insert(TABLE).values({"n": 3, own.name: same}),
        sa.insert(TABLE).from_select(["n", own.name], sa.select(C.n + 10, own)),
        sa.union(sa.select(own), sa.select(same), sa.select(sa.null())),
        sa.select(sa.case((C.n == 1, own), else_=None), sa.case({same: 1}, value=own, else_=0)),
        sa.select(sa.func.coalesce(own, same), sa.func.nullif(own, own), sa.func.hex(own)),
        sa.select(sa.cast(C.n, sa.String(36)), sa.cast(C.uuid, sa.String(36))),
        sa.select(C.n).where(C.char36.like("ab%"), C.char36.contains("ab")),
    ]


@pytest.mark.parametrize("own", OWN, ids=lambda column: column.name)
@pytest.mark.parametrize("dialect", [sqlite, mysql, postgresql], ids=lambda module: module.dialect.name)
def test_another_form_is_refused(own: Any, dialect: Any) -> None:
    for statement in wrong(own):
        with pytest.raises(sa.exc.CompileError, match=r"in different ways|would take for a text"):
            print(statement.compile(dialect=dialect.dialect()))
        assert str(statement)
    for statement in right(own):
        statement.compile(dialect=dialect.dialect())


@pytest.mark.parametrize("own", OWN, ids=lambda column: column.name)
def test_one_form_has_an_effect(own: Any) -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        TABLE.create(connection)
        for statement in right(own):
            connection.execute(statement)
        assert connection.scalars(sa.select(own).where(C.n == 13)).one() == ID
        assert connection.execute(right(own)[5]).scalars().all() in ([None, ID], [ID, None])
        assert isinstance(connection.scalar(sa.select(own).where(C.n == 1)), uuid.UUID)
    engine.dispose()
