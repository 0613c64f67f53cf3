"""What the column types store, compared with the servers' own functions, and the schema that they create."""

from __future__ import annotations

import contextlib
import copy
import pickle
import uuid
from collections.abc import Iterator
from typing import Any

import idgen
import pytest
import sqlalchemy as sa
from idgen.sqlalchemy import Base64UUID, BinaryUUID, ShortId, TypedUUID
from servers import Server
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.orm import Session
from sqlalchemy.schema import CreateTable
from test_sqlalchemy import FORMS, Base, Row


class UserId(idgen.Typed, prefix="user"):
    pass


@contextlib.contextmanager
def stored_in(server: Server) -> Iterator[Row]:
    """Stores a row, and drops its tables at the end."""
    engine = sa.create_engine(server.url())
    Base.metadata.create_all(engine)
    row = Row()
    with Session(engine, expire_on_commit=False) as session:
        session.add(row)
        session.commit()
    yield row
    Base.metadata.drop_all(engine)
    engine.dispose()


def test_stored_values_are_those_of_the_servers_functions(server: Server) -> None:
    """The bytes and texts equal those of the server's own functions, and the columns have the right types."""
    with (
        stored_in(server) as row,
        server.connect(server.database) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT HEX(id), HEX(swapped), text, short FROM `rows`")
        assert cursor.fetchone() == (
            row.id.hex.upper(),
            idgen.to_swapped(row.swapped).hex().upper(),
            idgen.to_base64(row.text),
            row.short,
        )
        if server.flavor == "mysql":
            cursor.execute(
                "SELECT BIN_TO_UUID(id), BIN_TO_UUID(swapped, 1), "
                "BIN_TO_UUID(FROM_BASE64(CONCAT(text, '=='))) FROM `rows`"
            )
            assert cursor.fetchone() == (str(row.id), str(row.swapped), str(row.text))
        cursor.execute("SHOW FULL COLUMNS FROM `rows`")
        types = {
            name: (type.split("(20)")[0].replace("bigint unsigned", "bigint"), collation)
            for name, type, collation, *_ in cursor.fetchall()
        }
    assert types["id"] == types["swapped"] == types["parent_id"] == ("binary(16)", None)
    assert types["text"] == ("char(22)", "ascii_bin")
    assert types["short"][0] == "bigint"


def test_stored_values_are_those_of_postgres(postgres: Server) -> None:
    with stored_in(postgres) as row, postgres.connect(postgres.database) as connection:
        stored = connection.execute("SELECT encode(id, 'hex'), encode(swapped, 'hex'), text, short FROM rows")
        assert stored.fetchone() == (
            row.id.hex,
            idgen.to_swapped(row.swapped).hex(),
            idgen.to_base64(row.text),
            row.short,
        )
        # The server's own functions read the same ids.
        own = "SELECT encode(id, 'hex')::uuid, encode(decode(text || '==', 'base64'), 'hex')::uuid FROM rows"
        assert connection.execute(own).fetchone() == (row.id, row.text)
        columns = connection.execute(
            "SELECT column_name, data_type, numeric_precision, numeric_scale, character_maximum_length "
            "FROM information_schema.columns WHERE table_name = 'rows'"
        )
        types = {name: rest for name, *rest in columns}
    assert types["id"] == types["swapped"] == types["parent_id"] == ["bytea", None, None, None]
    assert types["text"] == ["character varying", None, None, 22]
    assert types["short"] == ["numeric", 20, 0, None]


def test_ddl() -> None:
    table = sa.Table(
        "t", sa.MetaData(), sa.Column("a", BinaryUUID), sa.Column("b", Base64UUID), sa.Column("c", ShortId)
    )

    def ddl(dialect: Any) -> str:
        return " ".join(str(CreateTable(table).compile(dialect=dialect)).split())

    assert (
        ddl(mysql.dialect()) == "CREATE TABLE t ( a BINARY(16), b CHAR(22) CHARACTER SET ascii "
        "COLLATE ascii_bin, c BIGINT UNSIGNED )"
    )
    assert ddl(postgresql.dialect()) == "CREATE TABLE t ( a BYTEA, b VARCHAR(22), c NUMERIC(20, 0) )"
    assert ddl(sqlite.dialect()) == "CREATE TABLE t ( a BLOB, b CHAR(22), c BIGINT )"
    assert BinaryUUID().python_type is Base64UUID().python_type is uuid.UUID and ShortId().python_type is int


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "asyncpg", "pg8000"])
def test_all_drivers_of_postgres_have_one_schema(driver: str) -> None:
    """Otherwise Alembic would report a change for ever."""
    from sqlalchemy.dialects.postgresql import asyncpg, pg8000, psycopg, psycopg2

    module = {"asyncpg": asyncpg, "pg8000": pg8000, "psycopg": psycopg, "psycopg2": psycopg2}[driver]
    table = sa.Table("t", sa.MetaData(), sa.Column("b", Base64UUID))
    ddl = " ".join(str(CreateTable(table).compile(dialect=module.dialect())).split())
    assert ddl == "CREATE TABLE t ( b VARCHAR(22) )"


def test_types_and_statements_are_pickled_and_copied() -> None:
    """As for Alembic, a cache of statements, and processes that share a schema."""
    table = sa.Table(
        "t",
        sa.MetaData(),
        *(sa.Column(name, kind) for name, kind in FORMS.items()),
        sa.Column("short", ShortId()),
        sa.Column("typed", TypedUUID(UserId)),
    )
    statement = sa.select(table).where(table.c.binary == idgen.v4(), table.c.typed == UserId.new())
    for dialect in (sqlite.dialect(), mysql.dialect(), postgresql.dialect()):
        for copied in (pickle.loads(pickle.dumps(statement)), copy.deepcopy(statement)):
            one, other = (query.compile(dialect=dialect) for query in (statement, copied))
            assert str(one) == str(other) and one.params == other.params
    for column, copied in zip(table.c, pickle.loads(pickle.dumps(table.metadata)).tables["t"].c):
        assert repr(column.type) == repr(copied.type) and type(column.type) is type(copied.type)
