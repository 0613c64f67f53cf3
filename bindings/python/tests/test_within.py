"""Claims in a transaction of the caller, on real servers, with several drivers and frameworks."""

from __future__ import annotations

import dataclasses
import importlib.util
import threading
from collections.abc import Callable, Iterator
from typing import Any

import idgen
import mysql.connector
import pymysql
import pytest
import sqlalchemy
import sqlalchemy.orm
from idgen.mysql import DuplicateError, MapError, NotInTransactionError, UuidMap, metrics
from servers import Server

indexes = pytest.mark.parametrize("index", ["unique", "dedup"])


@dataclasses.dataclass
class Transaction:
    """What a test hands to the map, and how it ends the transaction."""

    handed: Any
    begin: Callable[[], Any]
    execute: Callable[[str], Any]
    commit: Callable[[], Any]
    rollback: Callable[[], Any]


def connect(server: Server, **settings: Any) -> Any:
    """PyMySQL as it is by default: without autocommit."""
    return pymysql.connect(
        host=server.host,
        port=server.port,
        user=server.user,
        password=server.password,
        **{"database": server.database, **settings},
    )


def of_pymysql(server: Server, **settings: Any) -> Iterator[Transaction]:
    connection = connect(server, **settings)
    connection.begin()
    yield Transaction(
        connection, connection.begin, connection.cursor().execute, connection.commit, connection.rollback
    )
    connection.close()


def of_cursor(server: Server) -> Iterator[Transaction]:
    connection = connect(server, autocommit=True)
    connection.begin()
    cursor = connection.cursor()
    yield Transaction(cursor, connection.begin, cursor.execute, connection.commit, connection.rollback)
    connection.close()


def of_dictionaries(server: Server) -> Iterator[Transaction]:
    return of_pymysql(server, cursorclass=pymysql.cursors.DictCursor)


def of_connector(server: Server) -> Iterator[Transaction]:
    connection = mysql.connector.connect(
        host=server.host,
        port=server.port,
        user=server.user,
        password=server.password,
        database=server.database,
        use_pure=True,
        # A collation that both servers know.
        collation="utf8mb4_general_ci",
    )
    connection.start_transaction()
    begin = connection.start_transaction
    run = connection.cursor().execute
    yield Transaction(connection, begin, run, connection.commit, connection.rollback)
    connection.close()


def begun_by_itself() -> None:
    """SQLAlchemy begins a transaction at the first statement."""


def of_sqlalchemy(server: Server) -> Iterator[Transaction]:
    engine = sqlalchemy.create_engine(server.url())
    with engine.connect() as connection:
        run = connection.exec_driver_sql
        yield Transaction(connection, begun_by_itself, run, connection.commit, connection.rollback)
    engine.dispose()


def of_session(server: Server) -> Iterator[Transaction]:
    engine = sqlalchemy.create_engine(server.url())
    with sqlalchemy.orm.Session(engine) as session:
        run = lambda statement: session.execute(sqlalchemy.text(statement))
        yield Transaction(session, begun_by_itself, run, session.commit, session.rollback)
    engine.dispose()


def of_mysqlclient(server: Server) -> Iterator[Transaction]:
    import MySQLdb  # type: ignore[import-untyped, import-not-found, unused-ignore]

    connection = MySQLdb.connect(
        host=server.host,
        port=server.port,
        user=server.user,
        password=server.password,
        database=server.database,
    )
    connection.begin()
    run = connection.cursor().execute
    yield Transaction(connection, connection.begin, run, connection.commit, connection.rollback)
    connection.close()


DRIVERS = [of_pymysql, of_cursor, of_dictionaries, of_connector, of_sqlalchemy, of_session]
# It has no wheels for Linux, and its build needs a C compiler and the headers of a client library.
if importlib.util.find_spec("MySQLdb"):
    DRIVERS.append(of_mysqlclient)


@pytest.fixture(params=DRIVERS)
def transaction(request: pytest.FixtureRequest, server: Server) -> Iterator[Transaction]:
    yield from request.param(server)


@indexes
def test_the_pair_is_committed_with_the_rows(
    url: str, server: Server, transaction: Transaction, index: Any
) -> None:
    # On a busy machine, 1,500 ids one after the other may take longer than the limits that are usual.
    ids = UuidMap(url, index=index, timeout=600, answer_limit=60)
    ids.install()
    known, new, several, undone = idgen.v7(), idgen.v7(), idgen.batch("v4", 1_500), idgen.v4()
    before = ids.id_of(known)
    with server.connect(server.database) as other, other.cursor() as cursor:
        cursor.execute("CREATE TABLE orders (id BIGINT UNSIGNED PRIMARY KEY)")

    assert ids.id_of_within(transaction.handed, known) == before
    made = ids.id_of_within(transaction.handed, new)
    assert ids.id_of_within(transaction.handed, new) == made != before
    transaction.execute(f"INSERT INTO orders VALUES ({made})")
    both = ids.ids_of_within(transaction.handed, [*several, known, *several[:3]])
    assert len(set(both)) == 1_501 and both[-3:] == both[:3] and both[1_500] == before
    assert ids.register_within(transaction.handed, undone) > made
    with pytest.raises(DuplicateError) as refused:
        ids.register_within(transaction.handed, known)
    assert refused.value.existing_id == before
    # No part of it is visible before the commit.
    assert ids.find_many([new, several[0]]) == [None, None]
    transaction.commit()
    assert ids.find(new) == made and ids.find_many(several) == both[:1_500]

    left = idgen.v4()
    transaction.begin()
    wasted = ids.id_of_within(transaction.handed, left)
    transaction.rollback()
    assert ids.find(left) is None
    assert ids.id_of(left) != wasted
    assert ids.check() == []


@indexes
def test_a_rollback_leaves_no_pair(url: str, server: Server, index: Any) -> None:
    ids = UuidMap(url, index=index)
    ids.install()
    order = idgen.v7()
    with connect(server) as connection:
        wasted = ids.id_of_within(connection, order)
        connection.rollback()
        assert ids.find(order) is None
        made = ids.id_of_within(connection, order)
        assert made != wasted
        connection.commit()
    assert ids.find(order) == made


@indexes
def test_without_a_transaction_nothing_is_claimed(url: str, server: Server, index: Any) -> None:
    ids = UuidMap(url, index=index)
    ids.install()
    order = idgen.v7()
    with connect(server, autocommit=True) as connection:
        for call in (ids.id_of_within, ids.register_within, lambda on, one: ids.ids_of_within(on, [one])):
            with pytest.raises(NotInTransactionError, match="begin one") as refused:
                call(connection, order)
            assert not refused.value.is_transient
            assert isinstance(refused.value.__cause__, pymysql.err.OperationalError)
        with connection.cursor() as cursor:
            tables = ["uuid_map"] + ["uuid_map_claim"] * (index == "dedup")
            for table in tables:
                cursor.execute(f"SELECT COUNT(*) FROM {table}")
                assert cursor.fetchone() == (0,)
        connection.begin()
        assert ids.id_of_within(connection, order) > 0


@indexes
def test_another_map_is_refused(url: str, server: Server, index: Any) -> None:
    ids = UuidMap(url, index=index)
    ids.install()
    name = f"{server.database}_other"
    with server.connect() as admin, admin.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        try:
            UuidMap(url.replace(server.database, name), index=index).install()
            with connect(server, database=name) as connection:
                with pytest.raises(MapError, match="holds another map"):
                    ids.id_of_within(connection, idgen.v4())
                cursor.execute(f"SELECT COUNT(*) FROM {name}.uuid_map")
                assert cursor.fetchone() == (0,)
        finally:
            cursor.execute(f"DROP DATABASE {name}")


@indexes
def test_session_limits_and_old_snapshots_do_not_matter(url: str, server: Server, index: Any) -> None:
    ids = UuidMap(url, index=index, cache=0)
    ids.install()
    orders = idgen.batch("v4", 50)
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        # If it is on, a row that is newer than the snapshot is an error on MariaDB.
        if server.flavor == "mariadb":
            cursor.execute("SET SESSION innodb_snapshot_isolation = OFF")
        cursor.execute("SET SESSION sql_select_limit = 7")
        connection.begin()
        cursor.execute("SELECT COUNT(*) FROM uuid_map")
        assert cursor.fetchone() == (0,)
        made = ids.ids_of(orders)
        assert ids.ids_of_within(connection, orders) == made
        assert ids.id_of_within(connection, orders[0]) == made[0]
        connection.commit()


@indexes
def test_two_racing_transactions_get_one_id(url: str, server: Server, index: Any) -> None:
    ids = UuidMap(url, index=index, cache=0)
    ids.install()
    for order in idgen.batch("v4", 10):
        got: list[tuple[int, bool]] = []
        barrier = threading.Barrier(4)

        def claim(
            commit: bool, barrier: threading.Barrier = barrier, order: Any = order, got: Any = got
        ) -> None:
            with connect(server) as connection:
                barrier.wait()
                while True:
                    try:
                        id = ids.id_of_within(connection, order)
                    except MapError as error:
                        connection.rollback()
                        assert error.is_transient, error
                        continue
                    (connection.commit if commit else connection.rollback)()
                    got.append((id, commit))
                    return

        threads = [threading.Thread(target=claim, args=(n != 0,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        committed = {id for id, commit in got if commit}
        assert len(got) == 4 and committed == {ids.find(order)}


@indexes
def test_a_lock_wait_timeout_is_transient(url: str, server: Server, index: Any) -> None:
    ids = UuidMap(url, index=index)
    ids.install()
    order = idgen.v7()
    with connect(server) as first, connect(server) as second:
        made = ids.id_of_within(first, order)
        second.cursor().execute("SET SESSION innodb_lock_wait_timeout = 1")
        with pytest.raises(MapError) as waited:
            ids.id_of_within(second, order)
        assert waited.value.is_transient
        assert isinstance(waited.value.__cause__, pymysql.err.OperationalError)
        assert waited.value.__cause__.args[0] == 1205
        first.commit()
        second.rollback()
        assert ids.id_of_within(second, order) == made


def test_objects_other_than_connections_are_refused(url: str, server: Server) -> None:
    ids = UuidMap(url)
    ids.install()
    for wrong in (None, 5, "mysql://", ids):
        with pytest.raises(TypeError, match="a connection or cursor"):
            ids.id_of_within(wrong, idgen.v4())
    with connect(server) as connection:
        with pytest.raises(TypeError):
            ids.id_of_within(connection, 5)  # type: ignore[arg-type]
    # An error that comes from neither the server nor the map is passed on unchanged.
    with pytest.raises(pymysql.err.InterfaceError):
        ids.id_of_within(connection, idgen.v4())


def test_a_read_only_map_claims_nothing(url: str, server: Server) -> None:
    ids = UuidMap(url)
    ids.install()
    order = idgen.v7()
    made = ids.id_of(order)
    reader = UuidMap(url, read_only=True)
    assert reader.id_of(order) == made and reader.find(idgen.v4()) is None
    with pytest.raises(MapError, match="read_only"):
        reader.id_of(idgen.v4())
    with connect(server) as connection, pytest.raises(MapError, match="read_only"):
        reader.id_of_within(connection, order)


def test_an_import_at_the_end_of_the_range_needs_permission(url: str) -> None:
    ids = UuidMap(url, id_bits=32)
    ids.install()
    last = [((1 << 32) - 10, idgen.v4())]
    with pytest.raises(MapError, match="allow_exhausting_import"):
        ids.import_pairs(last)
    assert UuidMap(url, allow_exhausting_import=True).import_pairs(last) == (1, 0)


def test_metrics_count_claims(url: str, server: Server) -> None:
    ids = UuidMap(url, table="counted")
    ids.install()
    calls, claims = 'idgen_map_calls_total{call="id_of"}', 'idgen_map_calls_total{call="id_of_within"}'
    before = metrics()
    orders = idgen.batch("v4", 5)
    for order in orders:
        ids.id_of(order)
    ids.id_of(orders[0])
    with connect(server) as connection:
        ids.id_of_within(connection, orders[1])
    after = metrics()
    grown = lambda name: after[name] - before.get(name, 0)
    assert grown(calls) == 6 and grown(claims) == 1
    assert grown("idgen_map_new_total") == 5 and grown("idgen_map_cached_total") == 1
    assert grown("idgen_map_found_total") == 1
    assert after['idgen_map_block_left{table="counted"}'] > 0
    assert all(type(value) is int for value in after.values())
