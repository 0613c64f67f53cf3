"""Changes of rows that devices made, applied in a transaction of the caller, on real servers."""

from __future__ import annotations

import asyncio
import multiprocessing
import uuid
from typing import Any

import aiomysql
import idgen
import pytest
from idgen.mysql import (
    Answer,
    AsyncUuidMap,
    Change,
    MapError,
    NotInTransactionError,
    Outcome,
    UuidMap,
)
from reconnecting import Reconnecting, connect
from servers import Server

# The server reports each known UUID of a batch, and MySQL each VALUES() of a statement that MariaDB needs
# in this form. aiomysql turns both into Python warnings.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*Duplicate entry"),
    pytest.mark.filterwarnings("ignore:.*VALUES function"),
]

SCHEMA = [
    "CREATE TABLE sync_lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL)",
    "CREATE TABLE sync_items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, "
    "note_list BIGINT UNSIGNED NULL, title VARCHAR(20) NOT NULL, done BOOLEAN NOT NULL, "
    "code BIGINT UNSIGNED NULL, score DOUBLE NULL, data VARBINARY(20) NULL, "
    "FOREIGN KEY (list_id) REFERENCES sync_lists (id))",
]
TABLES: dict[str, dict[str, str]] = {"sync_lists": {}, "sync_items": {"note_list": "sync_lists"}}
APPLIED, REPEATED = Outcome("applied"), Outcome("repeated")


def rows(server: Server, statement: str) -> list[tuple[Any, ...]]:
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


@pytest.fixture
def tables(server: Server) -> Any:
    with connect(server) as connection, connection.cursor() as cursor:
        for statement in SCHEMA:
            cursor.execute(statement)
    yield server
    with connect(server) as connection, connection.cursor() as cursor:
        # A test that failed may have left a transaction open.
        cursor.execute("SET lock_wait_timeout = 60")
        for table in ("sync_items", "sync_lists", "of_devices_row", "of_devices_open"):
            cursor.execute(f"DROP TABLE IF EXISTS {table}")


def a_list(row: uuid.UUID, number: int, title: str) -> Change:
    return Change("sync_lists", row, number, {"title": title})


def an_item(row: uuid.UUID, number: int, of: uuid.UUID, title: str = "x", **more: Any) -> Change:
    return Change("sync_items", row, number, {"list_id": of, "title": title, "done": False, **more})


def test_changes_are_applied_once(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    sync = ids.sync(
        TABLES, owner=lambda change: "not yours" if change.columns == {"title": "secret"} else None
    )
    with pytest.raises(MapError, match="install_sync"):
        sync.describe()
    ids.install_sync()
    assert sync.describe().startswith("sync_lists: key id")
    assert "note_list refers to sync_lists as declared" in sync.describe()
    shopping, milk, bread, foreign, late = (idgen.v7() for _ in range(5))
    values = {"code": 2**64 - 1, "score": 0.5, "data": b"\0'\xff", "note_list": None}
    batch = [
        an_item(milk, 1, shopping, "milk", **values),
        a_list(foreign, 1, "secret"),
        an_item(bread, 1, shopping, note_list=late),
        an_item(idgen.v7(), 1, idgen.v7()),
        a_list(shopping, 1, "shopping"),
        a_list(late, 0, "no number"),
        Change("sync_lists", str(idgen.v7()).upper(), 1, {"title": "x"}),
    ]

    def apply(batch: list[Change]) -> Answer:
        connection = connect(tables)
        connection.begin()
        answer = sync.apply(connection, batch)
        connection.commit()
        connection.close()
        return answer

    answer = apply(batch)
    kinds = [outcome.kind for outcome in answer.outcomes]
    assert kinds == ["applied", "refused", "applied", "waits", "applied", "refused", "refused"]
    assert answer.outcomes[1].reason == "not yours" and "canonical" in (answer.outcomes[6].reason or "")
    assert foreign not in answer.ids and answer.ids[milk] == ids.find(milk) != answer.ids[shopping]
    found = rows(tables, "SELECT id, list_id, title, done, code, score, data FROM sync_items ORDER BY title")
    assert found[0] == (answer.ids[milk], answer.ids[shopping], "milk", 0, 2**64 - 1, 0.5, b"\0'\xff")
    [open_reference] = sync.open_references()
    assert (open_reference.row, open_reference.column, open_reference.target) == (bread, "note_list", late)

    again = apply([batch[0], batch[4], a_list(shopping, 3, "food"), a_list(late, 1, "late")])
    # Of two changes of a row in one batch, the newest counts.
    older = Outcome("older", newest=3)
    assert again.outcomes == [REPEATED, older, APPLIED, APPLIED] and again.ids[milk] == answer.ids[milk]
    assert sync.open_references() == []
    deleted = apply([a_list(shopping, 2, "never"), Change("sync_items", milk, 2, None)])
    assert deleted.outcomes == [Outcome("older", newest=3), APPLIED]
    other = apply([batch[0], a_list(shopping, 3, "other")]).outcomes
    assert other[0] == Outcome("older", newest=2) and other[1].kind == "refused"
    assert [title for (title,) in rows(tables, "SELECT title FROM sync_items")] == ["x"]

    # A transaction that is rolled back has applied nothing.
    connection = connect(tables)
    connection.begin()
    assert sync.apply(connection, [a_list(idgen.v7(), 1, "gone")]).outcomes == [APPLIED]
    connection.rollback()
    assert rows(tables, "SELECT COUNT(*) FROM sync_lists WHERE title = 'gone'") == [(0,)]
    connection.autocommit(True)
    with pytest.raises(NotInTransactionError):
        sync.apply(connection, [a_list(idgen.v7(), 1, "x")])
    connection.close()
    assert apply([]).outcomes == []


def test_a_change_that_cannot_be_read_is_refused_alone(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    ids.install_sync()
    sync = ids.sync(TABLES)
    titles: list[Any] = [[], object(), 2**64, -(2**63) - 1, "\ud800", {"a": 1}]
    bad = [a_list(idgen.v7(), 1, title) for title in titles]
    for number in (-1, 2**64, "1", 1.5, None):
        bad.append(a_list(idgen.v7(), number, "x"))  # type: ignore[arg-type]
    for table, row, columns in (
        (7, idgen.v7(), {}),
        ("sync_lists", None, {}),
        ("sync_lists", idgen.v7(), [1]),
    ):
        bad.append(Change(table, row, 1, columns))  # type: ignore[arg-type]
    bad.append(Change("sync_lists", idgen.v7(), 1, {7: 1}))  # type: ignore[dict-item]
    connection = connect(tables)
    connection.begin()
    batch = [a_list(idgen.v7(), 1, "before"), *bad, a_list(idgen.v7(), 1, "after")]
    answer = sync.apply(connection, batch)
    connection.commit()
    assert [outcome.kind for outcome in answer.outcomes] == ["applied", *["refused"] * len(bad), "applied"]
    assert all(outcome.reason for outcome in answer.outcomes[1:-1])
    assert rows(tables, "SELECT COUNT(*) FROM sync_lists") == [(2,)]
    connection.close()
    with pytest.raises(MapError, match="no such table"):
        ids.sync(["nothing"]).describe()
    with pytest.raises(TypeError, match="a list of names"):
        ids.sync("sync_lists")


def test_a_driver_that_connects_again_applies_nothing_by_halves(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    ids.install_sync()
    sync = ids.sync(TABLES)
    failed = left = 0
    while True:
        row, item = idgen.v7(), idgen.v7()
        batch = [an_item(item, 1, row), a_list(row, 1, "l")]
        connection = Reconnecting(tables, left)
        try:
            assert sync.apply(connection, batch).outcomes == [APPLIED] * 2
        except MapError as error:
            assert error.is_transient or isinstance(error, NotInTransactionError)
            failed += 1
            connection.connection.rollback()
            again = Reconnecting(tables, -1)
            assert sync.apply(again, batch).outcomes == [APPLIED] * 2
            again.connection.commit()
        else:
            connection.connection.commit()
        found = rows(tables, "SELECT COUNT(*) FROM sync_items i JOIN of_devices m ON m.id = i.id")
        assert found == [(left + 1,)] == rows(tables, "SELECT COUNT(*) FROM sync_lists")
        if connection.left > 0:
            break
        left += 1
    assert failed > 10


def test_erased_rows_do_not_come_back(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    ids.install_sync()
    sync = ids.sync(TABLES, refuse_forgotten=True)
    row = idgen.v7()
    connection = connect(tables)
    connection.begin()
    first = sync.apply(connection, [a_list(row, 1, "l")]).ids[row]
    connection.commit()
    assert sync.forget(row) == first
    connection.begin()
    [outcome] = sync.apply(connection, [a_list(row, 1, "l")]).outcomes
    assert outcome.kind == "refused" and "erased" in (outcome.reason or "")
    connection.close()


def in_child(server: Server, sync: Any, row: uuid.UUID) -> None:
    connection = connect(server)
    connection.begin()
    assert sync.apply(connection, [a_list(row, 1, "child")]).outcomes == [APPLIED]
    connection.commit()


def test_a_forked_child_has_a_sync_of_its_own(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    ids.install_sync()
    sync = ids.sync(TABLES)
    sync.describe()
    child = multiprocessing.get_context("fork").Process(target=in_child, args=(tables, sync, idgen.v7()))
    child.start()
    child.join()
    assert child.exitcode == 0
    in_child(tables, sync, idgen.v7())
    assert rows(tables, "SELECT COUNT(*) FROM sync_lists WHERE title = 'child'") == [(2,)]


def test_coroutines(tables: Server) -> None:
    async def run() -> None:
        ids = AsyncUuidMap(tables.url("mysql"), table="of_devices")
        await ids.install()
        await ids.install_sync()
        sync = ids.sync(TABLES)
        assert "sync_items" in await sync.describe()
        connection = await aiomysql.connect(
            host=tables.host, port=tables.port, user=tables.user, password=tables.password, db=tables.database
        )
        row, item, late = idgen.v7(), idgen.v7(), idgen.v7()
        for expected in (APPLIED, REPEATED):
            await connection.begin()
            answer = await sync.apply(
                connection, [an_item(item, 1, row, note_list=late), a_list(row, 1, "l")]
            )
            await connection.commit()
            assert answer.outcomes == [expected] * 2 and answer.ids[row] == await ids.find(row)
        assert [reference.target for reference in await sync.open_references()] == [late]
        await connection.ensure_closed()
        await ids.close()

    asyncio.run(run())


def test_changes_and_outcomes_are_those_of_the_outboxes() -> None:
    row = "01900000-0000-7000-8000-000000000001"
    sent = {"table": "t", "row": row, "number": "2", "known": "1", "operation": "put", "columns": {"a": 1}}
    assert Change.from_json(sent) == Change("t", row, 2, {"a": 1}, known="1")
    assert Change.from_json({**sent, "operation": "replace"}).replaces
    assert Change.from_json({**sent, "operation": "delete", "columns": {}}).columns is None
    without = {name: value for name, value in sent.items() if name != "known"}
    assert Change.from_json(without).known is None
    for wrong in [
        {},
        {**sent, "number": 2},
        {**sent, "number": "-2"},
        {**sent, "number": None},
        {**sent, "operation": "upsert"},
        {**sent, "operation": "delete"},
        {**sent, "columns": [1]},
    ]:
        with pytest.raises(ValueError):
            Change.from_json(wrong)
    other = uuid.UUID(row)
    assert Outcome("repeated").to_json() == {"outcome": "applied"}
    assert Outcome("older", None, 7).to_json() == {"outcome": "older", "newest": "7"}
    assert Outcome("blocked", "x", 7, "t", other).to_json() == {
        "outcome": "blocked",
        "reason": "x",
        "table": "t",
        "row": row,
        "number": "7",
    }


def test_a_copy_overwrites_nothing_unseen(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    ids.install_sync()
    sync = ids.sync(TABLES)
    row = uuid.uuid4()
    with connect(tables) as connection:
        for change, kind in [
            (Change("sync_lists", row, 1, {"title": "a"}, known=0), "applied"),
            (Change("sync_lists", row, 2, {"title": "b"}, known=1), "applied"),
            (Change("sync_lists", row, 3, {"title": "copy"}, known=1), "older"),
            (Change("sync_lists", row, 3, {"title": "c"}, known=2, replaces=True), "applied"),
        ]:
            outcomes = sync.apply(connection, [change]).outcomes
            connection.commit()
            assert [outcome.kind for outcome in outcomes] == [kind], change
    assert rows(tables, "SELECT title FROM sync_lists") == [("c",)]
    wrong = ids.sync(TABLES, owner=lambda change: True)  # type: ignore[arg-type, return-value]
    with connect(tables) as connection, pytest.raises(TypeError, match="reason or None"):
        wrong.apply(connection, [Change("sync_lists", row, 9, None)])


def test_a_trigger_may_signal_any_number(tables: Server) -> None:
    ids = UuidMap(tables.url("mysql"), table="of_devices")
    ids.install()
    ids.install_sync()
    sync = ids.sync(TABLES)
    with connect(tables) as connection, connection.cursor() as cursor:
        for number in (500, 1040, 2001, 30001):
            cursor.execute("DROP TRIGGER IF EXISTS of_sync_lists")
            cursor.execute(
                "CREATE TRIGGER of_sync_lists BEFORE INSERT ON sync_lists FOR EACH ROW IF NEW.title = 'bad' "
                f"THEN SIGNAL SQLSTATE '45001' SET MYSQL_ERRNO = {number}, MESSAGE_TEXT = 'forbidden'; END IF"
            )
            batch = [a_list(uuid.uuid4(), 1, title) for title in ("good", "bad", "better")]
            outcomes = sync.apply(connection, batch).outcomes
            connection.commit()
            assert [outcome.kind for outcome in outcomes] == ["applied", "refused", "applied"], number
            assert "forbidden" in (outcomes[1].reason or ""), outcomes[1]
