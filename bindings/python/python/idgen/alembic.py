"""Converts columns of UUIDs in a migration of Alembic. Needs Alembic.

::

    from alembic import op
    import sqlalchemy as sa
    from idgen.alembic import convert_uuid
    from idgen.sqlalchemy import BinaryUUID

    def upgrade():
        convert_uuid(op, "orders", "id", BinaryUUID(), existing_type=sa.CHAR(36))

    def downgrade():
        convert_uuid(op, "orders", "id", sa.CHAR(36), existing_type=BinaryUUID())
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import sqlalchemy as sa

from idgen import _convert, _mixed
from idgen._compared import form

__all__ = ["convert_uuid"]


def convert_uuid(
    op: Any,
    table_name: str,
    column_name: str,
    type_: Any,
    *,
    existing_type: Any,
    batch: int = 10_000,
) -> None:
    """Gives a column another type for UUIDs and converts its values, with the foreign keys that refer to it.

    The types: BinaryUUID, SwappedUUID, sqlalchemy.Uuid, and CHAR or String of 32 (digits) or 36 characters.
    One of them stores 16 bytes or is the database's own type.

    First all values are read: if one is not a UUID, or if two texts are the same UUID in a unique column, a
    ValueError is raised and nothing is changed. MySQL and MariaDB commit each step, and nothing else may
    write to the tables meanwhile. There an interrupted conversion may be repeated: it continues where it
    ended, and finds the foreign keys to restore in the table idgen_uuid_conversion, which it then drops.

    batch: how many rows one statement converts on MySQL and MariaDB, in columns that have an index.
    """
    if batch < 1:
        raise ValueError(f"batch must be 1 or more, not {batch}")
    if op.get_context().as_sql:
        raise ValueError("convert_uuid reads the values, so it needs a connection: do not use --sql")
    bind = op.get_bind()
    new, old = sa.types.to_instance(type_), sa.types.to_instance(existing_type)
    before, after = _form(old, bind.dialect), _form(new, bind.dialect)
    if before == after:
        raise ValueError(f"{old!r} and {new!r} store UUIDs alike: there is nothing to convert")
    inspector, journal = sa.inspect(bind), _Journal(bind, f"{table_name}.{column_name}")
    existing = {name: inspector.get_foreign_keys(name) for name in inspector.get_table_names()}
    places, keys = _related(inspector, existing, journal.read(), table_name, column_name)
    for place in places:
        if place.default is not None:
            raise ValueError(f"{place.title} has the default {place.default}: remove it first")
    quote = bind.dialect.identifier_preparer.quote
    columns = [place.quoted(quote) for place in places]
    sqlite = bind.dialect.name == "sqlite"
    if sqlite:
        if bind.exec_driver_sql("PRAGMA foreign_keys").scalar():
            raise ValueError(
                "PRAGMA foreign_keys must be OFF during the conversion, which rebuilds the tables"
            )
        _convert.add_functions(bind.connection.driver_connection)
    answer: list[Any] = []

    def execute(sql: str) -> None:
        answer[:] = [bind.exec_driver_sql(sql)]

    conversion = _convert.conversion(
        "mysql" if bind.dialect.name == "mariadb" else bind.dialect.name,
        before,
        after,
        execute,
        lambda: answer[0].fetchone(),
        batch,
    )
    conversion.check(columns)
    if not sqlite:
        journal.write(keys)
        for table, key in keys:
            if key["name"] in {one["name"] for one in existing[table]}:
                op.drop_constraint(key["name"], table, type_="foreignkey")
    for place, column in zip(places, columns):
        conversion.convert(column)
        settings = {"type_": new, "existing_type": old, "existing_nullable": place.nullable}
        if sqlite:
            with _mixed.converting(), op.batch_alter_table(place.table) as table:
                table.alter_column(place.name, **settings)
        else:
            op.alter_column(place.table, place.name, existing_comment=place.comment, **settings)
    if not sqlite:
        for table, key in keys:
            op.create_foreign_key(
                key["name"],
                table,
                key["referred_table"],
                key["constrained_columns"],
                key["referred_columns"],
                **{name: value for name, value in key.get("options", {}).items() if name in _OPTIONS},
            )
        journal.end()


class _Journal:
    """The foreign keys of a conversion on MySQL and MariaDB, for a second run after an interruption."""

    def __init__(self, bind: Any, title: str) -> None:
        self._bind, self._title = bind, title
        self._table = sa.Table(
            "idgen_uuid_conversion",
            sa.MetaData(),
            sa.Column("title", sa.String(160), primary_key=True),
            sa.Column("foreign_keys", sa.Text, nullable=False),
        )
        # The other databases roll an interrupted conversion back.
        self._needed = bind.dialect.name in ("mysql", "mariadb")

    def read(self) -> list[tuple[str, Any]]:
        if not self._needed or not sa.inspect(self._bind).has_table(self._table.name):
            return []
        query = sa.select(self._table.c.foreign_keys).where(self._table.c.title == self._title)
        kept = self._bind.scalar(query)
        return [] if kept is None else [(table, key) for table, key in json.loads(kept)]

    def write(self, keys: list[tuple[str, Any]]) -> None:
        if self._needed and not self.read():
            self._table.create(self._bind, checkfirst=True)
            row = {"title": self._title, "foreign_keys": json.dumps(keys)}
            self._bind.execute(sa.delete(self._table).where(self._table.c.title == self._title))
            self._bind.execute(sa.insert(self._table), row)

    def end(self) -> None:
        if self._needed:
            self._table.drop(self._bind, checkfirst=True)


_OPTIONS = ("ondelete", "onupdate", "deferrable", "initially", "match")


@dataclasses.dataclass(frozen=True)
class _Place:
    table: str
    name: str
    nullable: bool
    unique: bool
    indexed: bool
    default: Any
    comment: str | None

    @property
    def title(self) -> str:
        return f"{self.table}.{self.name}"

    def quoted(self, quote: Any) -> _convert.Column:
        return _convert.Column(
            quote(self.table), quote(self.name), self.title, self.unique, self.indexed, self.nullable
        )


def _related(
    inspector: Any, existing: dict[str, list[Any]], dropped: list[tuple[str, Any]], table: str, column: str
) -> tuple[list[_Place], list[tuple[str, Any]]]:
    """The column and all that refer to it, directly or not; and the foreign keys between them."""
    tables = {name: list(keys) for name, keys in existing.items()}
    for name, key in dropped:
        if name in tables and key["name"] not in {one["name"] for one in tables[name]}:
            tables[name].append(key)
    if table not in tables:
        raise ValueError(f"there is no table {table}")
    for key in tables[table]:
        if column in key["constrained_columns"]:
            raise ValueError(f"{table}.{column} refers to {key['referred_table']}: convert that column")
    found, keys = {(table, column): None}, []
    waiting = [(table, column)]
    while waiting:
        place = waiting.pop()
        for name, of_table in tables.items():
            for key in of_table:
                referred = zip(key["referred_columns"], key["constrained_columns"])
                for target, own in referred:
                    if (key["referred_table"], target) == place:
                        if (name, key) not in keys:
                            keys.append((name, key))
                        if (name, own) not in found:
                            found[name, own] = None
                            waiting.append((name, own))
    return [_place(inspector, *place) for place in found], keys


def _place(inspector: Any, table: str, name: str) -> _Place:
    column = next((one for one in inspector.get_columns(table) if one["name"] == name), None)
    if column is None:
        raise ValueError(f"there is no column {table}.{name}")
    key = inspector.get_pk_constraint(table)["constrained_columns"]
    indexes = inspector.get_indexes(table)
    unique = [
        *([key] if key else []),
        *(one["column_names"] for one in inspector.get_unique_constraints(table)),
        *(one["column_names"] for one in indexes if one["unique"]),
    ]
    first = [*unique, *(one["column_names"] for one in indexes)]
    return _Place(
        table,
        name,
        nullable=column["nullable"],
        unique=[name] in unique,
        indexed=any(columns[:1] == [name] for columns in first),
        default=column.get("default"),
        comment=column.get("comment"),
    )


def _form(type_: Any, dialect: Any) -> str:
    """How the type stores UUIDs on this database."""
    found = form(type_, dialect)
    if found in ("swapped", "bytes", "native", "hyphenated") or isinstance(type_, sa.Uuid):
        return str(found)
    if found == "text" and (getattr(type_, "length", None) or 0) >= 32:
        return "text"
    raise ValueError(f"{type_!r} is no type of UUIDs: use BinaryUUID, SwappedUUID, Uuid, or CHAR of 32 or 36")
