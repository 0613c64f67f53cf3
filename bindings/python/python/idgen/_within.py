"""How idgen.mysql runs statements on a connection of the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from idgen._idgen import MapError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from idgen._idgen import _Claiming

    # The columns, the rows, and how many rows the statement changed.
    _Answer = tuple[list[str], list[list[bytes | None]], int]


def run_claim(claim: _Claiming, connection: object) -> list[int]:
    """Runs the statements of a claim on a connection or cursor, and returns the ids."""
    run = _runner(connection)
    statement, ids = claim.begin()
    while statement is not None:
        try:
            answer = run(statement)
        except Exception as error:
            number = _number(error)
            if number is None:
                raise
            try:
                statement, ids = claim.failed(number, str(error))
            except MapError as failed:
                raise failed from error
        else:
            statement, ids = claim.answered(answer)
    return cast("list[int]", ids)


def _runner(connection: Any) -> Callable[[str], _Answer]:
    """Returns what runs a statement on a connection or Session of SQLAlchemy, of the DB-API, or a cursor."""
    if callable(getattr(connection, "exec_driver_sql", None)):
        # Through SQLAlchemy, so that it knows that its transaction has begun.
        return lambda statement: _sqlalchemy(connection.exec_driver_sql(statement))
    if callable(getattr(connection, "cursor", None)):

        def run(statement: str) -> _Answer:
            cursor = connection.cursor()
            try:
                return _execute(cursor, statement)
            finally:
                cursor.close()

        return run
    if callable(getattr(connection, "execute", None)) and callable(getattr(connection, "fetchall", None)):
        return lambda statement: _execute(connection, statement)
    if callable(getattr(connection, "execute", None)) and callable(getattr(connection, "connection", None)):
        return _runner(connection.connection())
    raise TypeError(
        "a connection or cursor of a MySQL driver is needed, or one of SQLAlchemy or Django, "
        f"not {type(connection).__name__}"
    )


def _sqlalchemy(result: Any) -> _Answer:
    if not result.returns_rows:
        return [], [], result.rowcount
    names = list(result.keys())
    return names, [[_bytes(value) for value in row] for row in result.fetchall()], 0


def _execute(cursor: Any, statement: str) -> _Answer:
    cursor.execute(statement)
    if cursor.description is None:
        return [], [], cursor.rowcount
    names = [_name(column[0]) for column in cursor.description]
    return names, [_row(row, names) for row in cursor.fetchall()], 0


def _name(name: str | bytes) -> str:
    return name if isinstance(name, str) else bytes(name).decode()


def _row(row: Mapping[str, object] | Iterable[object], names: Sequence[str]) -> list[bytes | None]:
    """A row of any class of cursor, also of one that makes dictionaries."""
    values = [row[name] for name in names] if isinstance(row, Mapping) else row
    return [_bytes(value) for value in values]


def _bytes(value: object) -> bytes | None:
    """A value as its text or its bytes, whatever the driver makes of it."""
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
    # Numbers of servers and drivers begin at 1000. The number of an OSError is smaller.
    return number if type(number) is int and 1000 <= number <= 65_535 else None
