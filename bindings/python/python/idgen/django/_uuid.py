"""BinaryUUIDField."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.core import checks, exceptions
from django.db import NotSupportedError
from django.db.models.fields import UUIDField
from django.utils.translation import gettext_lazy as _

from idgen import _idgen, _texts
from idgen.django import _lookups

if TYPE_CHECKING:
    from idgen.django._sql import Form


class BinaryUUIDField(UUIDField):  # type: ignore[type-arg]
    """A UUID in 16 bytes: ``BINARY(16)`` on MySQL and MariaDB, where Django's own UUIDField takes 32
    characters; the native type on PostgreSQL; ``BLOB`` on SQLite.

    ``swapped=True`` stores version 1 ids as MySQL's ``UUID_TO_BIN(id, 1)`` does, in the order of time.

    It is a UUIDField for forms, serializers and filters, and has the same lookups. To convert the column of
    a UUIDField, use ``idgen.django.operations.AlterUUIDField``: AlterField does not convert the values.
    """

    description = _("Universally unique identifier, in 16 bytes")

    def __init__(self, *args: Any, swapped: bool = False, **kwargs: Any) -> None:
        self.swapped = swapped
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        if self.swapped:
            kwargs["swapped"] = True
        return name, path, args, kwargs

    def uuid_form(self, connection: Any) -> Form:
        """How this database stores the values."""
        if self.swapped:
            return "swapped"
        return "native" if connection.vendor == "postgresql" else "bytes"

    def db_type(self, connection: Any) -> str:
        if connection.vendor == "mysql":
            return "binary(16)"
        if connection.vendor == "postgresql":
            return "bytea" if self.swapped else "uuid"
        return "blob"

    def cast_db_type(self, connection: Any) -> str:
        if self.uuid_form(connection) != "native":
            # The database would take the first 16 bytes of a text.
            raise NotSupportedError(
                f"Cast() cannot make the 16 bytes of a {type(self).__name__}: read the values first"
            )
        return self.db_type(connection)

    def get_internal_type(self) -> str:
        return "BinaryUUIDField"

    def to_python(self, value: Any) -> Any:
        if value is None or isinstance(value, uuid.UUID):
            return value
        try:
            if isinstance(value, int):
                return _idgen.from_int(value)
            return _texts.read_uuid(value)
        except (TypeError, ValueError):
            raise exceptions.ValidationError(
                self.error_messages["invalid"], code="invalid", params={"value": value}
            ) from None

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        value = self.to_python(value)
        if value is None or self.uuid_form(connection) == "native":
            return value
        data = _idgen.to_swapped(value) if self.swapped else _idgen.to_bytes(value)
        return connection.Database.Binary(data)

    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:
        """Converts an expression, such as F("a_uuid_field"), that is assigned to the column."""
        if hasattr(value, "as_sql"):
            return _lookups.converted("%s", value, self, connection, stored=True)
        return "%s"

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if value is None or isinstance(value, uuid.UUID):
            return value
        return _texts.read_stored(value, self.swapped, f"the column of {self}")

    def value_to_string(self, obj: Any) -> str:
        value = self.value_from_object(obj)
        return "" if value is None else str(value)

    def check(self, **kwargs: Any) -> list[checks.CheckMessage]:
        from idgen.django import _plan

        return [*super().check(**kwargs), *_plan.check_columns(self, kwargs.get("databases") or ())]
