"""How idgen.mysql runs statements on a connection of the caller."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from idgen._call import call
from idgen._idgen import MapError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from idgen._idgen import _Claiming

    # The columns, the rows, and how many rows the statement changed.
    _Answer = tuple[list[str], list[list[bytes | None]], int]
    # The next statement, or the result.
    _Step = tuple[str | None, Any]


def run_claim(claim: _Claiming, connection: object) -> Any:
    """Runs the statements of a call on a connection or cursor, and returns its result."""
    run = _runner(connection)
    statement, result = cast("_Step", claim.begin(None))
    while statement is not None:
        try:
            answer = run(statement)
        except Exception as error:
            number = _number(error)
            if number is None:
                raise
            try:
                statement, result = claim.failed(number, str(error), None)
            except MapError as failed:
                raise failed from error
        else:
            statement, result = claim.answered(answer, None)
    return result


async def run_claim_async(claim: _Claiming, connection: object) -> Any:
    """Runs the statements of a call on an asynchronous connection or cursor, and returns its result."""
    run = await _async_runner(connection)
    statement, result = cast("_Step", await call(claim.begin))
    while statement is not None:
        try:
            answer = await run(statement)
        except Exception as error:
            number = _number(error)
            if number is None:
                raise
            code: int = number
            reason = str(error)
            try:
                statement, result = await call(lambda done: claim.failed(code, reason, done))
            except MapError as failed:
                raise failed from error
        else:
            statement, result = await call(lambda done: claim.answered(answer, done))
    return result


def _runner(connection: Any) -> Callable[[str], _Answer]:
    """Returns a function that runs a statement on a connection, a cursor, or a Session of SQLAlchemy."""
    if callable(getattr(connection, "exec_driver_sql", None)):
        # Through SQLAlchemy, so that it knows that its transaction has begun.
        return lambda statement: _sqlalchemy(_at_once(connection.exec_driver_sql(statement), connection))
    if callable(getattr(connection, "cursor", None)):

        def run(statement: str) -> _Answer:
            cursor = _at_once(connection.cursor(), connection)
            try:
                return _execute(cursor, statement)
            finally:
                cursor.close()

        return run
    if _is_cursor(connection):
        return lambda statement: _execute(connection, statement)
    if _is_session(connection):
        return _runner(_at_once(connection.connection(), connection))
    raise _no_connection(connection)


async def _async_runner(connection: Any) -> Callable[[str], Awaitable[_Answer]]:
    """Returns the same for an asynchronous driver, or for AsyncConnection and AsyncSession of SQLAlchemy."""
    if callable(getattr(connection, "exec_driver_sql", None)):

        async def through(statement: str) -> _Answer:
            return _sqlalchemy(await _later(connection.exec_driver_sql(statement), connection))

        return through
    if callable(getattr(connection, "cursor", None)):

        async def run(statement: str) -> _Answer:
            # Some drivers return a cursor at once, others a coroutine.
            cursor = connection.cursor()
            if inspect.isawaitable(cursor):
                cursor = await cursor
            try:
                return await _execute_async(cursor, statement)
            finally:
                closed = cursor.close()
                if inspect.isawaitable(closed):
                    await closed

        return run
    if _is_cursor(connection):

        async def on_cursor(statement: str) -> _Answer:
            return await _execute_async(connection, statement)

        return on_cursor
    if _is_session(connection):
        return await _async_runner(await _later(connection.connection(), connection))
    raise _no_connection(connection)


def _is_cursor(connection: Any) -> bool:
    return callable(getattr(connection, "execute", None)) and callable(getattr(connection, "fetchall", None))


def _is_session(connection: Any) -> bool:
    return callable(getattr(connection, "execute", None)) and callable(
        getattr(connection, "connection", None)
    )


def _no_connection(connection: object) -> TypeError:
    return TypeError(
        "pass a connection or cursor of a MySQL driver, or a connection of SQLAlchemy or Django, "
        f"not {type(connection).__name__}"
    )


def _at_once(value: Any, owner: object) -> Any:
    """Returns the value, which must not be awaitable."""
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError(f"{type(owner).__name__} is asynchronous: use AsyncUuidMap with it")
    return value


async def _later(value: Any, owner: object) -> Any:
    """Awaits the value, which must be awaitable."""
    if not inspect.isawaitable(value):
        raise TypeError(f"{type(owner).__name__} is not asynchronous: use UuidMap with it")
    return await value


def _sqlalchemy(result: Any) -> _Answer:
    if not result.returns_rows:
        return [], [], result.rowcount
    names = list(result.keys())
    return names, [[_bytes(value) for value in row] for row in result.fetchall()], 0


def _execute(cursor: Any, statement: str) -> _Answer:
    _at_once(cursor.execute(statement), cursor)
    if cursor.description is None:
        return [], [], cursor.rowcount
    return _rows(cursor, cursor.fetchall())


async def _execute_async(cursor: Any, statement: str) -> _Answer:
    await _later(cursor.execute(statement), cursor)
    if cursor.description is None:
        return [], [], cursor.rowcount
    return _rows(cursor, await _later(cursor.fetchall(), cursor))


def _rows(cursor: Any, rows: Iterable[Any]) -> _Answer:
    names = [_name(column[0]) for column in cursor.description]
    return names, [_row(row, names) for row in rows], 0


def _name(name: str | bytes) -> str:
    return name if isinstance(name, str) else bytes(name).decode()


def _row(row: Mapping[str, object] | Iterable[object], names: Sequence[str]) -> list[bytes | None]:
    """A row of any class of cursor, even if its rows are dictionaries."""
    values = [row[name] for name in names] if isinstance(row, Mapping) else row
    return [_bytes(value) for value in values]


def _bytes(value: object) -> bytes | None:
    """A value as its text or its bytes, whatever type the driver returns."""
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    return str(value).encode()


def _number(error: Exception) -> int | None:
    """The number of a MySQL error: SQLAlchemy keeps the driver's error in ``orig``, Django its arguments."""
    driver = getattr(error, "orig", None)
    cause = driver if isinstance(driver, Exception) else error
    number = getattr(cause, "errno", None)
    if number is None and cause.args:
        number = cause.args[0]
    # Numbers of servers and drivers begin at 1000, but a trigger can signal any. An OSError, which is not
    # one of a driver (PEP 249), has another number.
    of_driver = any(base.__name__ in ("Error", "MySQLError") for base in type(cause).__mro__)
    least = 1 if of_driver else 1000
    return number if type(number) is int and least <= number <= 65_535 else None
