"""ShortIdField."""

from __future__ import annotations

import decimal
from typing import Any

from django.core import validators
from django.db import connection, models
from django.db.models import lookups
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from idgen.django import _lookups


class ShortIdField(models.PositiveBigIntegerField):  # type: ignore[type-arg]
    """A 64-bit id: ``BIGINT UNSIGNED`` on MySQL and MariaDB, ``NUMERIC(20)`` on PostgreSQL.

    SQLite's integers have a sign: it refuses ids of 2**63 and more, which device ids reach in 2038.
    In JSON the ids need text, because JavaScript rounds such numbers: see idgen.django.rest.
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

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        value = self.get_prep_value(value) if not hasattr(value, "as_sql") else value
        if isinstance(value, int):
            if not 0 <= value < 1 << 64:
                raise ValueError(f"{value} is not a 64-bit id for {self}: these are 0 to {(1 << 64) - 1}")
            if connection.vendor == "sqlite" and value >= 1 << 63:
                raise ValueError(
                    f"SQLite cannot store {value} in {self}, because its integers have a sign: use a text"
                )
        return super().get_db_prep_save(value, connection)

    @cached_property
    def validators(self) -> Any:
        # Django's own limit, that of bigint, is not the column's.
        if connection.vendor == "postgresql":
            limits = [validators.MinValueValidator(0), validators.MaxValueValidator((1 << 64) - 1)]
            return [*super(models.IntegerField, self).validators, *limits]
        return super().validators

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else int(value)


class _WholeRange:
    """Finds ids of 2**63 and more on PostgreSQL, where Django's lookups assume a bigint column."""

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        if connection.vendor == "postgresql":
            return super(lookups.IntegerFieldOverflow, self).process_rhs(  # type: ignore[misc]
                compiler, connection
            )
        return super().process_rhs(compiler, connection)  # type: ignore[misc]


# Older versions of Django do not compare values with the range of a type.
if hasattr(lookups, "IntegerFieldOverflow"):
    for _lookup in (
        lookups.IntegerFieldExact,
        lookups.IntegerGreaterThan,
        lookups.IntegerGreaterThanOrEqual,
        lookups.IntegerLessThan,
        lookups.IntegerLessThanOrEqual,
    ):
        ShortIdField.register_lookup(_lookups.derived(_WholeRange, _lookup))
