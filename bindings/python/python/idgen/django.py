"""Model fields for Django. Needs Django.

::

    class Order(models.Model):
        id = BinaryUUIDField(primary_key=True, default=idgen.v7, editable=False)
"""

from __future__ import annotations

import decimal
import uuid
from typing import Any

from django.core import exceptions, validators
from django.db import connection, models
from django.db.models import lookups
from django.forms import UUIDField as UUIDFormField
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from idgen import _idgen

__all__ = ["BinaryUUIDField", "ShortIdField"]


class BinaryUUIDField(models.Field):  # type: ignore[type-arg]
    """A UUID in 16 bytes: ``BINARY(16)`` on MySQL and MariaDB, where Django's own UUIDField takes 32
    characters; the native type on PostgreSQL; ``BLOB`` on SQLite.

    ``swapped=True`` stores version 1 ids as MySQL's ``UUID_TO_BIN(id, 1)`` does, in the order of time.
    """

    description = _("Universally unique identifier, in 16 bytes")
    default_error_messages = {"invalid": _("“%(value)s” is not a valid UUID.")}
    empty_strings_allowed = False

    def __init__(self, *args: Any, swapped: bool = False, **kwargs: Any) -> None:
        self.swapped = swapped
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        if self.swapped:
            kwargs["swapped"] = True
        return name, path, args, kwargs

    def db_type(self, connection: Any) -> str:
        if connection.vendor == "mysql":
            return "binary(16)"
        if connection.vendor == "postgresql":
            return "bytea" if self.swapped else "uuid"
        return "blob"

    def get_internal_type(self) -> str:
        return "BinaryUUIDField"

    def to_python(self, value: Any) -> Any:
        if value is None or isinstance(value, uuid.UUID):
            return value
        try:
            if isinstance(value, int):
                return _idgen.from_int(value)
            return _idgen.parse(value.strip() if isinstance(value, str) else value)
        except (TypeError, ValueError):
            raise exceptions.ValidationError(
                self.error_messages["invalid"], code="invalid", params={"value": value}
            ) from None

    def get_prep_value(self, value: Any) -> Any:
        return self.to_python(super().get_prep_value(value))

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        value = self.to_python(value)
        if value is None or (connection.vendor == "postgresql" and not self.swapped):
            return value
        data = _idgen.to_swapped(value) if self.swapped else _idgen.to_bytes(value)
        return connection.Database.Binary(data)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if value is None or isinstance(value, uuid.UUID):
            return value
        value = bytes(value)
        return _idgen.from_swapped(value) if self.swapped else _idgen.from_bytes(value)

    def value_to_string(self, obj: Any) -> str:
        value = self.value_from_object(obj)
        return "" if value is None else str(value)

    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**{"form_class": UUIDFormField, **kwargs})


class ShortIdField(models.PositiveBigIntegerField):  # type: ignore[type-arg]
    """A 64-bit id: ``BIGINT UNSIGNED`` on MySQL and MariaDB, ``NUMERIC(20)`` on PostgreSQL.

    SQLite's integers have a sign, so it refuses ids of 2**63 and more, which device ids reach in 2038.
    """

    description = _("64-bit id")

    def db_type(self, connection: Any) -> str:
        if connection.vendor == "mysql":
            return "bigint unsigned"
        if connection.vendor == "postgresql":
            return "numeric(20, 0)"
        return "integer"

    def rel_db_type(self, connection: Any) -> str:
        return self.db_type(connection)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        value = super().get_db_prep_value(value, connection, prepared)
        # Django would mark it as a bigint, which has a sign.
        if connection.vendor == "postgresql" and isinstance(value, int):
            return decimal.Decimal(value)
        return value

    @cached_property
    def validators(self) -> Any:
        # Django's own limit, that of bigint, is not the column's.
        if connection.vendor == "postgresql":
            limits = [validators.MinValueValidator(0), validators.MaxValueValidator((1 << 64) - 1)]
            return [*super(models.IntegerField, self).validators, *limits]
        return super().validators

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else int(value)


def _whole_range(lookup: Any) -> Any:
    """A lookup that finds ids of 2**63 and more on PostgreSQL, where Django assumes a bigint column."""

    class WholeRange(lookup):  # type: ignore[misc]
        def process_rhs(self, compiler: Any, connection: Any) -> Any:
            if connection.vendor == "postgresql":
                return super(lookups.IntegerFieldOverflow, self).process_rhs(  # type: ignore[misc]
                    compiler, connection
                )
            return super().process_rhs(compiler, connection)

    return WholeRange


# Older versions of Django do not compare values with the range of a type.
if hasattr(lookups, "IntegerFieldOverflow"):
    for _lookup in (
        lookups.IntegerFieldExact,
        lookups.IntegerGreaterThan,
        lookups.IntegerGreaterThanOrEqual,
        lookups.IntegerLessThan,
        lookups.IntegerLessThanOrEqual,
    ):
        ShortIdField.register_lookup(_whole_range(_lookup))
