"""Claims of AsyncUuidMap in a transaction of the caller, on real servers and through asynchronous drivers."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiomysql
import asyncmy
import asyncmy.errors
import idgen
import mysql.connector.aio
import pymysql
import pytest
import sqlalchemy
import sqlalchemy.ext.asyncio
from idgen.mysql import AsyncUuidMap, DuplicateError, MapError, NotInTransactionError, UuidMap
from servers import Server

# The server reports each known UUID of a batch, which aiomysql and asyncmy turn into Python warnings.
pytestmark = pytest.mark.filterwarnings("ignore:.*Duplicate entry")
indexes = pytest.mark.parametrize("index", ["unique", "dedup"])


@dataclasses.dataclass
class Transaction:
    """What a test hands to the map, and how it ends the transaction."""

    handed: Any
    begin: Callable[[], Awaitable[Any]]
    execute: Callable[[str], Awaitable[Any]]
    commit: Callable[[], Awaitable[Any]]
    rollback: Callable[[], Awaitable[Any]]


def address(server: Server) -> dict[str, Any]:
    return {"host": server.host, "port": server.port, "user": server.user, "password": server.password}


async def closed(connection: Any) -> None:
    """Closes a connection of aiomysql or asyncmy, whose statement may have been canceled, and its socket."""
    try:
        await connection.ensure_closed()
    except Exception:
        connection.close()
    # The transport closes its socket in the next turn of the event loop.
    await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def of_aiomysql(server: Server) -> AsyncIterator[Transaction]:
    connection = await aiomysql.connect(**address(server), db=server.database)
    cursor = await connection.cursor()
    await connection.begin()
    try:
        yield Transaction(
            connection, connection.begin, cursor.execute, connection.commit, connection.rollback
        )
    finally:
        await closed(connection)


@contextlib.asynccontextmanager
async def of_asyncmy(server: Server) -> AsyncIterator[Transaction]:
    connection = await asyncmy.connect(**address(server), db=server.database)
    cursor = connection.cursor()
    await connection.begin()
    try:
        yield Transaction(
            connection, connection.begin, cursor.execute, connection.commit, connection.rollback
        )
    finally:
        await closed(connection)


@contextlib.asynccontextmanager
async def of_dictionaries(server: Server) -> AsyncIterator[Transaction]:
    """A cursor whose rows are dictionaries."""
    connection = await aiomysql.connect(**address(server), db=server.database)
    cursor = await connection.cursor(aiomysql.DictCursor)
    await connection.begin()
    try:
        yield Transaction(cursor, connection.begin, cursor.execute, connection.commit, connection.rollback)
    finally:
        await closed(connection)


@contextlib.asynccontextmanager
async def of_connector(server: Server) -> AsyncIterator[Transaction]:
    connection = await mysql.connector.aio.connect(
        **address(server),
        database=server.database,
        collation="utf8mb4_general_ci",
        # With TLS on, the driver raises a TypeError at a server without it, like MariaDB in the tests.
        ssl_disabled=server.flavor == "mariadb",
    )
    await connection.start_transaction()
    cursor = await connection.cursor()
    begin = connection.start_transaction
    try:
        yield Transaction(connection, begin, cursor.execute, connection.commit, connection.rollback)
    finally:
        await connection.close()


async def begun_by_itself() -> None:
    """SQLAlchemy begins a transaction at the first statement."""


@contextlib.asynccontextmanager
async def of_sqlalchemy(server: Server) -> AsyncIterator[Transaction]:
    engine = sqlalchemy.ext.asyncio.create_async_engine(server.url("mysql+aiomysql"))
    async with engine.connect() as connection:
        run = connection.exec_driver_sql
        yield Transaction(connection, begun_by_itself, run, connection.commit, connection.rollback)
    await engine.dispose()


@contextlib.asynccontextmanager
async def of_session(server: Server) -> AsyncIterator[Transaction]:
    engine = sqlalchemy.ext.asyncio.create_async_engine(server.url("mysql+asyncmy"))
    async with sqlalchemy.ext.asyncio.AsyncSession(engine) as session:
        run = lambda statement: session.execute(sqlalchemy.text(statement))
        yield Transaction(session, begun_by_itself, run, session.commit, session.rollback)
    await engine.dispose()


drivers = pytest.mark.parametrize(
    "driver", [of_aiomysql, of_asyncmy, of_dictionaries, of_connector, of_sqlalchemy, of_session]
)


@drivers
@indexes
def test_the_pair_is_committed_with_the_rows(url: str, server: Server, driver: Any, index: Any) -> None:
    async def main() -> None:
        # On a busy machine, 300 ids one after the other may take longer than the limits that are usual.
        ids = AsyncUuidMap(url, index=index, timeout=600, answer_limit=60)
        await ids.install()
        known, new, several, undone = idgen.v7(), idgen.v7(), idgen.batch("v4", 300), idgen.v4()
        before = await ids.id_of(known)
        with server.connect(server.database) as other, other.cursor() as cursor:
            cursor.execute("CREATE TABLE orders (id BIGINT UNSIGNED PRIMARY KEY)")
        async with driver(server) as transaction:
            handed = transaction.handed
            assert await ids.id_of_within(handed, known) == before
            made = await ids.id_of_within(handed, new)
            assert await ids.id_of_within(handed, new) == made != before
            await transaction.execute(f"INSERT INTO orders VALUES ({made})")
            both = await ids.ids_of_within(handed, [*several, known, *several[:3]])
            assert len(set(both)) == 301 and both[-3:] == both[:3] and both[300] == before
            assert await ids.register_within(handed, undone) > made
            with pytest.raises(DuplicateError) as refused:
                await ids.register_within(handed, known)
            assert refused.value.existing_id == before
            # No part of it is visible before the commit.
            assert await ids.find_many([new, several[0]]) == [None, None]
            await transaction.commit()
            assert await ids.find(new) == made and await ids.find_many(several) == both[:300]

            left = idgen.v4()
            await transaction.begin()
            wasted = await ids.id_of_within(handed, left)
            await transaction.rollback()
        assert await ids.find(left) is None
        assert await ids.id_of(left) != wasted
        assert await ids.check() == []
        await ids.close()

    asyncio.run(main())


@drivers
@indexes
def test_the_event_loop_continues_during_a_claim(url: str, server: Server, driver: Any, index: Any) -> None:
    """A claim waits for another one, which only this event loop can commit."""

    async def main() -> None:
        ids = AsyncUuidMap(url, index=index)
        await ids.install()
        order = idgen.v7()
        async with driver(server) as first, driver(server) as second:
            made = await ids.id_of_within(first.handed, order)
            waiting = asyncio.create_task(ids.id_of_within(second.handed, order))
            turns = 0
            while turns < 30:
                await asyncio.sleep(0.01)
                turns += 1
            assert not waiting.done()
            await first.commit()
            assert await waiting == made
            await second.commit()
        assert await ids.find(order) == made
        await ids.close()

    asyncio.run(main())


@drivers
@indexes
def test_a_canceled_claim_creates_no_second_id(url: str, server: Server, driver: Any, index: Any) -> None:
    """The caller commits the rest of the transaction if the driver still can."""

    async def main() -> None:
        maps = [AsyncUuidMap(url, index=index, cache=0) for _ in range(2)]
        await maps[0].install()
        orders = idgen.batch("v4", 12)
        canceled = 0
        for number, order in enumerate(orders):
            with contextlib.suppress(Exception):
                async with driver(server) as transaction:
                    claim = asyncio.create_task(maps[0].id_of_within(transaction.handed, order))
                    # After so many turns of the event loop.
                    for _ in range(number * 2):
                        await asyncio.sleep(0)
                    claim.cancel()
                    try:
                        await claim
                    except asyncio.CancelledError:
                        canceled += 1
                    await transaction.commit()
            first, second = await asyncio.gather(*(ids.id_of(order) for ids in maps))
            assert first == second
        assert canceled > 0
        assert await maps[0].check() == []
        for ids in maps:
            await ids.close()

    asyncio.run(main())


@indexes
def test_errors_have_their_class_and_is_transient(url: str, server: Server, index: Any) -> None:
    async def main() -> None:
        ids = AsyncUuidMap(url, index=index)
        await ids.install()
        order = idgen.v7()
        alone = await aiomysql.connect(**address(server), db=server.database, autocommit=True)
        for call in (ids.id_of_within(alone, order), ids.ids_of_within(alone, [order])):
            with pytest.raises(NotInTransactionError, match="begin one") as refused:
                await call
            assert isinstance(refused.value.__cause__, pymysql.err.OperationalError)
        await closed(alone)
        async with of_asyncmy(server) as first, of_asyncmy(server) as second:
            made = await ids.id_of_within(first.handed, order)
            await second.execute("SET SESSION innodb_lock_wait_timeout = 1")
            with pytest.raises(MapError) as waited:
                await ids.id_of_within(second.handed, order)
            assert waited.value.is_transient
            assert isinstance(waited.value.__cause__, asyncmy.errors.OperationalError)
            await first.commit()
            await second.rollback()
            assert await ids.id_of_within(second.handed, order) == made
            for wrong in (None, 5, ids):
                with pytest.raises(TypeError, match="a connection or cursor"):
                    await ids.id_of_within(wrong, order)
        await ids.close()

    asyncio.run(main())


@pytest.mark.parametrize("driver", [of_aiomysql, of_asyncmy, of_dictionaries, of_connector, of_sqlalchemy])
def test_each_map_names_the_other_one(url: str, server: Server, driver: Any) -> None:
    """A connection of the wrong kind is refused, and the transaction is as it was."""
    blocking = UuidMap(url)
    blocking.install()

    async def main() -> None:
        ids = AsyncUuidMap(url)
        async with driver(server) as transaction:
            with pytest.raises(TypeError, match="use AsyncUuidMap"):
                blocking.id_of_within(transaction.handed, idgen.v4())
            assert await ids.id_of_within(transaction.handed, idgen.v4()) > 0
        connection = server.connect(server.database)
        connection.begin()
        engine = sqlalchemy.create_engine(server.url())
        with connection, engine.connect() as other:
            for wrong in (connection, other):
                with pytest.raises(TypeError, match="use UuidMap"):
                    await ids.id_of_within(wrong, idgen.v4())
                assert blocking.id_of_within(wrong, idgen.v4()) > 0
        engine.dispose()
        await ids.close()

    asyncio.run(main())
