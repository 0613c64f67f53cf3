"""Converts columns of UUIDs from one form to another, for Django's and Alembic's migrations.

The forms: ``text`` (32 digits), ``hyphenated`` (36 characters), ``native`` (the type UUID), ``bytes`` (16
bytes) and ``swapped`` (16 bytes of UUID_TO_BIN(id, 1)).
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from idgen import _idgen, _texts

_TEXTS = ("text", "hyphenated", "native")
_BINARY = ("bytes", "swapped")


@dataclasses.dataclass(frozen=True)
class Column:
    """A column to convert; table and name are quoted, title is for messages."""

    table: str
    name: str
    title: str
    unique: bool
    indexed: bool
    nullable: bool


class Conversion(Protocol):
    """A conversion on one kind of database."""

    def check(self, columns: Iterable[Column]) -> None:
        """Raises ValueError if a value cannot be converted. Changes nothing."""

    def convert(self, column: Column) -> None:
        """Converts the values. The column may still need its final type."""


def conversion(
    vendor: str,
    before: str,
    after: str,
    execute: Callable[[str], Any],
    fetch: Callable[[], Any],
    batch: int = 10_000,
) -> Conversion:
    """The conversion for a database; execute runs a statement, and fetch returns a row of its result."""
    if not {before, after} & {*_BINARY, "native"}:
        raise ValueError(f"nothing to convert from {before} to {after}")
    kinds: dict[str, Callable[..., Conversion]] = {
        "mysql": _Mysql,
        "postgresql": _Postgres,
        "sqlite": _Sqlite,
    }
    if (kind := kinds.get(vendor)) is None:
        raise ValueError(f"there is no conversion of UUIDs for {vendor}")
    return kind(before, after, _Session(execute, fetch), batch)


class _Session:
    def __init__(self, execute: Callable[[str], Any], fetch: Callable[[], Any]) -> None:
        self.execute, self._fetch = execute, fetch

    def row(self, sql: str) -> Any:
        self.execute(sql)
        return self._fetch()


class _Base(Conversion):
    def __init__(self, before: str, after: str, session: _Session, batch: int) -> None:
        self.before, self.after, self.session, self.batch = before, after, session, batch

    def check(self, columns: Iterable[Column]) -> None:
        for column in columns:
            bad = self.bad(column)
            row = bad and self.session.row(
                f"SELECT COUNT(*), MIN({self.shown(column)}) FROM {column.table} "
                f"WHERE {column.name} IS NOT NULL AND NOT ({bad})"
            )
            if row and row[0]:
                raise ValueError(
                    f"{row[0]} values of {column.title} are no UUIDs, such as {row[1]!r}: correct or delete "
                    "them first. Nothing was changed"
                )
            same = self.same(column) if column.unique else None
            row = same and self.session.row(
                f"SELECT COUNT({column.name}) - COUNT(DISTINCT {same}), 0 FROM {column.table}"
            )
            if row and row[0]:
                raise ValueError(
                    f"{column.title} is unique, but {row[0]} of its texts are the same UUID as another one: "
                    "delete or change them first. Nothing was changed"
                )

    def shown(self, column: Column) -> str:
        """The column, for a message."""
        return column.name

    def bad(self, column: Column) -> str | None:
        """A condition that holds for the values that can be converted."""
        raise NotImplementedError

    def same(self, column: Column) -> str | None:
        """An expression that is equal for texts of the same UUID."""
        raise NotImplementedError


def _swap(digits: str) -> list[str]:
    """The parts of 32 digits, in the order of UUID_TO_BIN(id, 1)."""
    return [f"SUBSTR({digits}, {part})" for part in ("13, 4", "9, 4", "1, 8", "17, 16")]


def _swap_back(digits: str) -> list[str]:
    return [f"SUBSTR({digits}, {part})" for part in ("9, 8", "5, 4", "1, 4", "17, 16")]


def _hyphens(digits: str) -> str:
    parts = ("1, 8", "9, 4", "13, 4", "17, 4", "21, 12")
    return f"CONCAT_WS('-', {', '.join(f'SUBSTR({digits}, {part})' for part in parts)})"


class _Mysql(_Base):
    """Through VARBINARY(36), in which texts and bytes are stored together and told apart by their length."""

    def __init__(self, before: str, after: str, session: _Session, batch: int) -> None:
        super().__init__(before, after, session, batch)
        if before in _BINARY and after in _BINARY:
            raise ValueError(
                "MySQL and MariaDB cannot be converted between bytes and swapped bytes in one step, because "
                "both have the same length: convert to UUIDField or CHAR(36) first, and then back"
            )

    def kind(self, column: Column) -> str:
        table, name = (part.strip("`").replace("``", "`") for part in (column.table, column.name))
        table, name = (part.replace("\\", "\\\\").replace("'", "''") for part in (table, name))
        row = self.session.row(
            "SELECT DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() "
            f"AND TABLE_NAME = '{table}' AND COLUMN_NAME = '{name}'"
        )
        if row is None:
            raise ValueError(f"there is no column {column.title}")
        return str(row[0]).lower()

    def bad(self, column: Column) -> str | None:
        kind, name = self.kind(column), column.name
        if kind == "binary":
            return f"LENGTH({name}) = 16"
        digits = f"REPLACE({name}, '-', '')"
        text = f"LENGTH({digits}) = 32 AND LENGTH({name}) IN (32, 36) AND UNHEX({digits}) IS NOT NULL"
        # VARBINARY is what an interrupted conversion leaves.
        return f"LENGTH({name}) = 16 OR ({text})" if kind == "varbinary" else text

    def same(self, column: Column) -> str | None:
        if self.kind(column) in ("binary", "varbinary", "uuid"):
            return None
        return f"UPPER(REPLACE({column.name}, '-', ''))"

    def convert(self, column: Column) -> None:
        kind, name = self.kind(column), column.name
        if kind == ("binary" if self.after in _BINARY else "uuid" if self.after == "native" else "char"):
            # A conversion that was interrupted had finished this column.
            return
        if kind == "uuid":
            self.modify(column, "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin")
        self.modify(column, "VARBINARY(36)")
        digits = f"REPLACE({name}, '-', '')" if self.after in _BINARY else f"LOWER(HEX({name}))"
        if "swapped" in (self.before, self.after):
            swap = _swap(digits) if self.after == "swapped" else _swap_back(digits)
            digits = f"CONCAT({', '.join(swap)})"
        if self.after in _BINARY:
            value, left = f"UNHEX({digits})", f"LENGTH({name}) <> 16"
        else:
            value = digits if self.after == "text" else _hyphens(digits)
            left = f"LENGTH({name}) = 16"
        self.update(column, value, left)
        if (row := self.session.row(f"SELECT COUNT(*) FROM {column.table} WHERE {left}"))[0]:
            raise ValueError(
                f"{row[0]} rows of {column.title} were written during the conversion: stop the programs that "
                "write to the table, and run the migration again"
            )
        if self.after == "native":
            self.modify(column, "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin")

    def modify(self, column: Column, kind: str) -> None:
        null = "NULL" if column.nullable else "NOT NULL"
        self.session.execute(f"ALTER TABLE {column.table} MODIFY {column.name} {kind} {null}")

    def update(self, column: Column, value: str, left: str) -> None:
        """Converts the rows that are left, one range of the index after another."""
        name, table, after = column.name, column.table, ""
        change = f"UPDATE {table} SET {name} = {value} WHERE {left}"
        if not column.indexed:
            self.session.execute(change)
            return
        while True:
            last, rows = self.session.row(
                f"SELECT HEX(MAX(id)), COUNT(*) FROM (SELECT {name} AS id FROM {table} WHERE {left}{after} "
                f"ORDER BY {name} LIMIT {self.batch}) AS page"
            )
            if not rows:
                return
            self.session.execute(f"{change}{after} AND {name} <= X'{last}'")
            after = f" AND {name} > X'{last}'"


class _Postgres(_Base):
    def shown(self, column: Column) -> str:
        return f"{column.name}::text"

    def bad(self, column: Column) -> str | None:
        if self.before == "native":
            return None
        if self.before in _BINARY:
            return f"OCTET_LENGTH({column.name}) = 16"
        return (
            f"{column.name}::text ~* '^([0-9a-f]{{32}}|[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})$'"
        )

    def same(self, column: Column) -> str | None:
        return (
            f"LOWER(REPLACE({column.name}::text, '-', ''))" if self.before in ("text", "hyphenated") else None
        )

    def convert(self, column: Column) -> None:
        name = column.name
        digits = f"ENCODE({name}, 'hex')" if self.before in _BINARY else f"REPLACE({name}::text, '-', '')"
        if self.before == "swapped":
            digits = f"({' || '.join(_swap_back(digits))})"
        kind, value = {
            "native": ("uuid", f"({digits})::uuid"),
            "bytes": ("bytea", f"DECODE({digits}, 'hex')"),
            "swapped": ("bytea", f"DECODE({' || '.join(_swap(digits))}, 'hex')"),
            "text": ("varchar(32)", digits),
            "hyphenated": ("varchar(36)", f"({digits})::uuid::text"),
        }[self.after]
        self.session.execute(f"ALTER TABLE {column.table} ALTER COLUMN {name} TYPE {kind} USING {value}")


class _Sqlite(_Base):
    """With functions of Python: SQLite has no unhex() before version 3.41."""

    def bad(self, column: Column) -> str | None:
        return f"idgen_uuid_convert({column.name}, '{self.before}', '{self.after}') IS NOT NULL"

    def same(self, column: Column) -> str | None:
        return f"idgen_uuid_convert({column.name}, '{self.before}', 'bytes')"

    def convert(self, column: Column) -> None:
        self.session.execute(
            f"UPDATE {column.table} SET {column.name} = "
            f"idgen_uuid_convert({column.name}, '{self.before}', '{self.after}') "
            f"WHERE {column.name} IS NOT NULL"
        )


def add_functions(connection: Any) -> None:
    """Adds what the conversion of SQLite needs to a connection of the module sqlite3."""
    connection.create_function("idgen_uuid_convert", 3, _converted, deterministic=True)


def _converted(value: Any, before: str, after: str) -> Any:
    """A value in another form, or None if it is no UUID."""
    try:
        if before not in _BINARY:
            id = _texts.read_uuid(value) if isinstance(value, str) else None
        elif isinstance(value, bytes) and not _texts.is_text(value):
            id = _idgen.from_swapped(value) if before == "swapped" else _idgen.from_bytes(value)
        else:
            id = None
    except ValueError:
        id = None
    return None if id is None else _written(id, after)


def _written(id: uuid.UUID, form: str) -> Any:
    if form in _BINARY:
        return _idgen.to_swapped(id) if form == "swapped" else _idgen.to_bytes(id)
    return id.hex if form == "text" else str(id)
