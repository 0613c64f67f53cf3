"""SQL that turns stored UUIDs into text and back, for each database and form of a column."""

from __future__ import annotations

from typing import Any, Literal

from django.db.models import ForeignKey
from django.db.models.fields import CharField, TextField, UUIDField

from idgen import _idgen, _texts

#: How a column stores UUIDs. ``text`` is what UUIDField has without a type of the database: 32 digits.
Form = Literal["native", "text", "bytes", "swapped"]


def form(field: Any, connection: Any) -> Form | None:
    """How a field stores UUIDs on this database; None for fields of other values."""
    storage = getattr(field, "uuid_form", None)
    if storage is not None:
        return storage(connection)  # type: ignore[no-any-return]
    if isinstance(field, ForeignKey):
        return form(field.target_field, connection)
    if isinstance(field, UUIDField):
        return "native" if connection.features.has_native_uuid_field else "text"
    return "text" if isinstance(field, (CharField, TextField)) else None


def text(sql: str, params: Any, stored: Form, connection: Any) -> tuple[str, list[Any]]:
    """The text that UUIDField's lookups see: 36 characters for a native type, otherwise 32 digits."""
    params = list(params)
    if stored in ("native", "text"):
        # Django itself casts a native column to text.
        return sql, params
    digits = f"ENCODE({sql}, 'hex')" if connection.vendor == "postgresql" else f"LOWER(HEX({sql}))"
    if stored == "bytes":
        return digits, params
    parts = [f"SUBSTR({digits}, {part})" for part in ("9, 8", "5, 4", "1, 4", "17, 16")]
    whole = f"CONCAT({', '.join(parts)})" if connection.vendor == "mysql" else f"({' || '.join(parts)})"
    return whole, params * 4


def as_bytes(sql: str, connection: Any, stored: bool) -> str:
    """The 16 bytes of an expression that is a text or native. It occurs once, with its parameters.

    stored: whether the result is stored, so that a text that is no UUID is an error. Otherwise: NULL.
    """
    if connection.vendor == "sqlite":
        # unhex() is not in every SQLite that Python supports.
        return f"{'idgen_uuid' if stored else 'idgen_uuid_or_null'}({sql})"
    return f"UNHEX(REPLACE(CAST({sql} AS CHAR), '-', ''))"


def add_functions(connection: Any, **signal: Any) -> None:
    """Adds what :func:`as_bytes` needs on SQLite to a new connection: constraints call it, too, on any."""
    if connection.vendor == "sqlite":
        for name, function in (("idgen_uuid", _required), ("idgen_uuid_or_null", _optional)):
            connection.connection.create_function(name, 1, function, deterministic=True)


def _required(value: Any) -> Any:
    return value if value is None else _idgen.to_bytes(_texts.read_uuid(value))


def _optional(value: Any) -> Any:
    try:
        return _required(value)
    except (TypeError, ValueError):
        return None
