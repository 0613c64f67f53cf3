"""Each row of docs/drivers.md about Python: how ids are bound and read, and what the trap is."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import Callable
from typing import Any

import idgen
import mysql.connector
import psycopg
import pymysql
import pytest
from servers import Server

ID = idgen.v7()
SHORT = (1 << 63) | idgen.short()
COLUMNS = "b BINARY(16), c CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, s BIGINT UNSIGNED"


def settings(server: Server) -> dict[str, Any]:
    return {"host": server.host, "port": server.port, "user": server.user, "password": server.password}


DRIVERS: dict[str, Callable[[Server], Any]] = {
    "pymysql": lambda server: pymysql.connect(**settings(server), database=server.database),
    "mysql.connector": lambda server: mysql.connector.connect(
        **settings(server), database=server.database, collation="utf8mb4_general_ci"
    ),
}


@pytest.mark.parametrize("driver", DRIVERS)
def test_drivers_of_mysql_and_mariadb(driver: str, server: Server) -> None:
    native = server.flavor == "mariadb"
    connection = DRIVERS[driver](server)
    cursor = connection.cursor()
    cursor.execute(f"CREATE TABLE ids ({COLUMNS}{', u UUID' if native else ''})")
    try:
        row = [idgen.to_bytes(ID), str(ID), SHORT, *([str(ID)] if native else [])]
        cursor.execute(f"INSERT INTO ids VALUES ({', '.join(['%s'] * len(row))})", row)
        cursor.execute("SELECT * FROM ids")
        read = cursor.fetchone()
        assert bytes(read[0]) == ID.bytes and read[1:3] == (str(ID), SHORT)
        assert idgen.from_bytes(bytes(read[0])) == ID
        if native:
            assert read[3] == str(ID)

        def found(column: str, value: Any) -> Any:
            cursor.execute(f"SELECT COUNT(*) FROM ids WHERE {column} = %s", [value])
            return cursor.fetchone()[0]

        assert found("b", ID.bytes) == found("c", str(ID)) == found("s", SHORT) == 1
        # The texts of an id in capitals, and an id as text in a column of bytes, find nothing.
        assert found("c", str(ID).upper()) == found("b", str(ID)) == 0
        if driver == "pymysql":
            # An object is written as its text: right for a text, and nothing for bytes.
            assert found("c", ID) == 1 and found("b", ID) == 0
        else:
            with pytest.raises(mysql.connector.errors.Error):
                found("b", ID)
        if native:
            assert found("u", str(ID)) == found("u", str(ID).upper()) == 1
            # mysql.connector writes bytes as a text, which is no UUID; PyMySQL says that they are binary.
            assert found("u", ID.bytes) == (1 if driver == "pymysql" else 0)
    finally:
        cursor.execute("DROP TABLE ids")
        connection.close()


def test_drivers_of_postgres(postgres: Server) -> None:
    with psycopg.connect(**settings(postgres), dbname=postgres.database, autocommit=True) as connection:
        connection.execute("CREATE TABLE ids (u uuid, b bytea, s numeric(20), i bigint)")
        values = [ID, ID.bytes, SHORT, SHORT >> 1]
        connection.execute("INSERT INTO ids VALUES (%s, %s, %s, %s)", values)
        read = connection.execute("SELECT * FROM ids").fetchone()
        assert read is not None and read == (ID, ID.bytes, SHORT, SHORT >> 1)
        assert type(read[0]) is uuid.UUID
        for column, value in zip("ubsi", values):
            query = f"SELECT COUNT(*) FROM ids WHERE {column} = %s"
            assert connection.execute(query, [value]).fetchone() == (1,)  # type: ignore[arg-type]
        with pytest.raises(psycopg.errors.UndefinedFunction):
            connection.execute("SELECT * FROM ids WHERE b = %s", [ID])
        asyncio.run(with_asyncpg(postgres))
        connection.execute("DROP TABLE ids")


async def with_asyncpg(server: Server) -> None:
    import asyncpg

    connection = await asyncpg.connect(**settings(server), database=server.database)
    try:
        read = await connection.fetchrow(
            "SELECT * FROM ids WHERE u = $1 AND b = $2 AND s = $3", ID, ID.bytes, SHORT
        )
        # A class of its own, derived from uuid.UUID; numeric is a Decimal.
        assert isinstance(read["u"], uuid.UUID) and read["u"] == ID and int(read["s"]) == SHORT
        assert idgen.to_bytes(read["u"]) == ID.bytes
        with pytest.raises(asyncpg.exceptions.DataError):
            await connection.fetchrow("SELECT * FROM ids WHERE b = $1", ID)
    finally:
        await connection.close()


def test_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE ids (b BLOB, c TEXT, s INTEGER)")
    connection.execute("INSERT INTO ids VALUES (?, ?, ?)", [ID.bytes, str(ID), SHORT >> 1])
    assert connection.execute("SELECT * FROM ids").fetchone() == (ID.bytes, str(ID), SHORT >> 1)
    assert connection.execute("SELECT COUNT(*) FROM ids WHERE b = ?", [str(ID)]).fetchone() == (0,)
    with pytest.raises(sqlite3.Error):
        connection.execute("SELECT * FROM ids WHERE b = ?", [ID])
    with pytest.raises(OverflowError):
        connection.execute("INSERT INTO ids (s) VALUES (?)", [SHORT])
    connection.close()


def test_parquet_and_polars_read_what_arrow_has(tmp_path: Any) -> None:
    """pandas cannot read its own fixed_size_binary from Parquet: write it with pyarrow."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    import idgen.arrow

    table = pa.table({"id": idgen.arrow.array("v7", 3)})
    pq.write_table(table, tmp_path / "ids.parquet")
    read = pq.read_table(tmp_path / "ids.parquet")["id"].to_pylist()
    assert [idgen.from_bytes(id).version for id in read] == [7, 7, 7]
    frame = pq.read_table(tmp_path / "ids.parquet").to_pandas()
    assert list(frame["id"]) == read
