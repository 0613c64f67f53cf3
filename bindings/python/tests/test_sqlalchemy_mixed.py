"""UUIDs that would pass for another form on the way through a statement of SQLAlchemy."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable
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
ROW = {C.binary: ID, C.swapped: ID, C.base64: ID, C.uuid: ID, C.char36: str(ID)}


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
        sa.select(sa.func.iif(C.n == 1, own, C.uuid)),
        sa.select(sa.func.lag(own, 1, guid).over(order_by=C.n)),
        sa.select(sa.func.max(own, type_=sa.Uuid())),
        *texts(own),
        *unknown(own),
        *generated(own),
        sa.insert(TABLE).values([(1, own, own)]),
        sa.insert(TABLE).from_select(["n", "uuid"], sa.select(sa.text("1"), own)),
        sa.select(sa.values(sa.column("uuid", sa.Uuid()), name="v").data([(own,)])),
        sa.select(C.n).where(C.uuid == sa.any_(sa.select(own).scalar_subquery())),
    ]


def unknown(own: Any) -> list[Any]:
    """SQLAlchemy does not know the type of these functions, whose value is that of an argument."""
    value = sa.func.ifnull(own, own)
    inner = sa.select(value.label("x")).subquery()
    return [
        sa.update(TABLE).values(uuid=value),
        sa.update(TABLE).values(uuid=sa.case((C.n == 1, value), else_=None)),
        sa.update(TABLE).values(uuid=sa.func.first_value(own).over(order_by=C.n)),
        sa.update(TABLE).values(uuid=sa.select(inner.c.x).scalar_subquery()),
        sa.update(TABLE).values(uuid=sa.select(inner).scalar_subquery()),
        sa.select(C.n).where(C.uuid == value),
        sa.select(C.n).where(C.uuid.in_(sa.select(value))),
        sa.union(sa.select(C.uuid), sa.select(sa.func.ifnull(own, own))),
    ]


def generated(own: Any) -> list[Any]:
    """Statements and tables with a column whose value is an expression if none is assigned."""

    def table(**settings: Any) -> sa.Table:
        column = sa.Column("uuid", sa.Uuid(), **settings)
        return sa.Table("generated", sa.MetaData(), sa.Column("n", sa.Integer), column)

    one = sa.select(own).scalar_subquery()
    return [
        sa.insert(table(default=one)).values(n=1),
        sa.update(table(onupdate=one)).values(n=1),
        sa.schema.CreateTable(sa.Table("t", sa.MetaData(), sa.Column("uuid", sa.Uuid(), server_default=own))),
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
        sa.insert(TABLE).values([[4, *ROW.values()], [5, *{**ROW, own: same}.values()]]),
        sa.insert(TABLE).from_select(["n", own.name], sa.select(sa.text("6"), own).limit(1)),
        sa.update(TABLE).values({own: sa.func.ifnull(own, same)}).where(C.n == 4),
        # It says that the bytes are already those of the other form.
        sa.update(TABLE).values(uuid=sa.type_coerce(own, sa.Uuid())).where(C.n == 0),
        sa.select(sa.func.lag(own, 1, same).over(order_by=C.n), sa.func.iif(C.n == 1, own, same)),
        sa.select(sa.func.max(own), sa.func.min(own, same), sa.func.now()),
    ]


def upserts(dialect: Any, column: Any, of: Callable[[Any], Any], where: Any = None) -> list[Any]:
    """Assigns to a column of a row that exists an expression of the row that was to be inserted."""
    insert = dialect.insert(TABLE).values(n=1)
    if dialect is mysql:
        value = of(insert.inserted)
        old = of({column.name: sa.func.values(column) for column in C})
        return [
            insert.on_duplicate_key_update({column.name: value}),
            insert.on_duplicate_key_update([("n", 1), (column.name, value)]),
            insert.on_duplicate_key_update({column.name: old}),
        ]
    value = of(insert.excluded)
    settings: dict[str, Any] = {"index_elements": ["n"], "where": where}
    found = [
        insert.on_conflict_do_update(set_={column.name: value}, **settings),
        insert.on_conflict_do_update(set_={"n": 1, column: value}, **settings),
    ]
    if dialect is sqlite and sa.__version__ >= "2.1":
        # Several clauses, of which the last one assigns.
        first = insert.on_conflict_do_nothing(["uuid"])
        found.append(first.on_conflict_do_update(set_={column: value}, where=where))
    return found


@pytest.mark.parametrize("own", OWN, ids=lambda column: column.name)
@pytest.mark.parametrize("dialect", [sqlite, mysql, postgresql], ids=lambda module: module.dialect.name)
def test_upserts_of_another_form_are_refused(own: Any, dialect: Any) -> None:
    other = C.binary if own is C.swapped else C.swapped
    wrong = [
        statement
        for column in (other, C.uuid, C.base64, C.char36)
        for statement in upserts(dialect, column, lambda row: row[own.name])
    ]
    wrong += upserts(dialect, own, lambda row: row["uuid"])
    wrong += upserts(dialect, other, lambda row: own)
    wrong += upserts(dialect, other, lambda row: sa.func.coalesce(row[own.name], own))
    wrong += upserts(dialect, own, lambda row: sa.func.coalesce(row[own.name], other))
    wrong += upserts(dialect, own, lambda row: sa.case((C.n == 1, row[own.name]), else_=row[other.name]))
    wrong += upserts(dialect, own, lambda row: sa.literal(ID))
    if dialect is not mysql:
        wrong += upserts(dialect, own, lambda row: ID, where=own == C.uuid)
    for statement in wrong:
        with pytest.raises(sa.exc.CompileError, match="in different ways"):
            print(statement.compile(dialect=dialect.dialect()))
    for of in (
        lambda row: row[own.name],
        lambda row: own,
        lambda row: ID,
        lambda row: sa.func.coalesce(row[own.name], own, sa.literal(ID, own.type)),
    ):
        for statement in upserts(dialect, own, of):
            statement.compile(dialect=dialect.dialect())
    if dialect is mysql:
        insert = mysql.insert(TABLE).values(n=1)
        insert.on_duplicate_key_update(insert.inserted).compile(dialect=mysql.dialect())
    else:
        insert = dialect.insert(TABLE).values(n=1)
        insert = insert.on_conflict_do_update(index_elements=["n"], set_=insert.excluded)
        insert.compile(dialect=dialect.dialect())


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
