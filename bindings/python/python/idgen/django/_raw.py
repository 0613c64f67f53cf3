"""Refuses uuid.UUID objects as parameters of raw statements on MySQL and MariaDB.

Their drivers write such an object as a text of 36 characters, which equals no 16 bytes: a statement would
find nothing. The statements that Django makes pass bytes for a BinaryUUIDField, so what is left is raw:
``raw()``, ``extra()``, ``RawSQL`` and ``cursor.execute``. Other databases refuse these objects themselves, or
have a type for them.
"""

from __future__ import annotations

import re
import sys
import uuid
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldError
from django.db.models.expressions import RawSQL
from django.db.models.sql.where import ExtraWhere

from idgen.django import _sql


class _RawUUID(uuid.UUID):
    """A parameter of a raw part of a statement that Django makes."""

    __slots__ = ()


def register() -> None:
    """Marks the parameters of the raw parts of statements."""
    for part in (RawSQL, ExtraWhere):
        setattr(part, "as_sql", _marking(part.as_sql))  # noqa: B010


def _marking(plain: Any) -> Any:
    def as_sql(self: Any, compiler: Any = None, connection: Any = None) -> Any:
        sql, params = plain(self, compiler, connection)
        if connection is not None and connection.vendor == "mysql" and _uuids(params):
            params = [_RawUUID(int=one.int) if isinstance(one, uuid.UUID) else one for one in params]
        return sql, params

    return as_sql


def watch(connection: Any, **signal: Any) -> None:
    """Checks each statement of a new connection."""
    if connection.vendor == "mysql" and _check not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, _check)


def _check(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
    rows = params if many and isinstance(params, (list, tuple)) else (params,)
    found = [one for row in rows for one in _uuids(row)]
    if found and (any(isinstance(one, _RawUUID) for one in found) or not _is_made_by_django()):
        connection = context["connection"]
        for column, form in _columns(connection):
            table = re.escape(column.model._meta.db_table)
            if re.search(rf"(?<!\w){table}(?!\w)", str(sql), re.IGNORECASE):
                function = "to_swapped" if form == "swapped" else "to_bytes"
                raise FieldError(
                    f"the parameter {found[0]!r} would be a text of 36 characters in this statement, but "
                    f"{column} stores 16 bytes: pass idgen.{function}(id) for it, or str(id) for a text"
                )
    return execute(sql, params, many, context)


def _uuids(params: Any) -> list[uuid.UUID]:
    values: Iterable[Any] = params.values() if isinstance(params, dict) else params or ()
    return [one for one in values if isinstance(one, uuid.UUID)]


def _is_made_by_django() -> bool:
    """Whether a compiler of Django executes the statement: MariaDB's own type takes uuid.UUID objects."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if module == "django.db.models.sql.compiler":
            return True
        # The wrappers of a cursor are between the compiler and this function, and nothing else.
        if frame.f_code.co_name not in (
            "execute",
            "executemany",
            "_execute_with_wrappers",
            "_check",
            "debug_sql",
        ):
            return False
        frame = frame.f_back
    return False


def _columns(connection: Any) -> Iterable[tuple[Any, _sql.Form]]:
    """The columns of 16 bytes of all models, also those of foreign keys."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_concrete_fields:
            form = _sql.form(field, connection)
            if form in ("bytes", "swapped"):
                yield field, form
