"""The lookups of BinaryUUIDField: they find what those of Django's UUIDField find."""

from __future__ import annotations

import re
import sys
import uuid
from typing import Any, cast

from django.core.exceptions import FieldError
from django.db.models import CharField, Value, lookups
from django.db.models.expressions import ExpressionList
from django.db.models.functions import Replace

from idgen.django import _sql

_TEXT = (
    lookups.Contains,
    lookups.IContains,
    lookups.StartsWith,
    lookups.IStartsWith,
    lookups.EndsWith,
    lookups.IEndsWith,
    lookups.IExact,
    lookups.Regex,
    lookups.IRegex,
)
_PATTERNS = (lookups.Regex, lookups.IRegex)
_COMPARISONS = (
    lookups.Exact,
    lookups.GreaterThan,
    lookups.GreaterThanOrEqual,
    lookups.LessThan,
    lookups.LessThanOrEqual,
    lookups.In,
    lookups.Range,
)
#: The lookups whose right side is a list or the rows of a subquery, which has no place for a conversion.
ROWS = (lookups.In,)


def mixin_for(lookup: Any, comparison: Any, text: Any) -> Any:
    """One of two classes, for a lookup that compares values or texts; None for another one."""
    if issubclass(lookup, _TEXT):
        return text
    return comparison if issubclass(lookup, _COMPARISONS) else None


_made: dict[tuple[Any, Any], Any] = {}


def derived(mixin: Any, lookup: Any) -> Any:
    """A lookup with the methods of a mixin before its own: one class, for all fields that have the lookup.

    It is an attribute of the mixin's module, because pickle finds a class by its module and its name, and a
    queryset is pickled with its lookups, such as for a cache or a queue of tasks.
    """
    if (mixin, lookup) not in _made:
        # Lookups of other packages may have the names of Django's.
        place = f"{mixin.__name__.strip('_')}_{lookup.__module__}_{lookup.__qualname__}"
        name = re.sub(r"\W", "_", place)
        made = type(name, (mixin, lookup), {"__module__": mixin.__module__})
        setattr(sys.modules[mixin.__module__], name, made)
        _made[mixin, lookup] = made
    return _made[mixin, lookup]


class _OnText:
    """Compares the text of a UUID, as UUIDField's lookups do, instead of its bytes."""

    lhs: Any
    rhs: Any
    rhs_is_direct_value: Any
    lookup_name: Any

    def process_lhs(self, compiler: Any, connection: Any, lhs: Any = None) -> Any:
        stored = _sql.form((lhs or self.lhs).output_field, connection)
        if stored == "native":
            return super().process_lhs(compiler, connection, lhs)  # type: ignore[misc]
        sql, given = lookups.Lookup.process_lhs(cast(Any, self), compiler, connection, lhs)
        digits, params = _sql.text(sql, given, cast(_sql.Form, stored), connection)
        # As BuiltinLookup does, but with the internal type of text.
        wrapped = connection.ops.lookup_cast(self.lookup_name, "CharField")
        return wrapped % digits, params

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        stored = _sql.form(self.lhs.output_field, connection)
        written = self.rhs
        try:
            if isinstance(self.rhs, uuid.UUID):
                self.rhs = str(self.rhs)
            # Without a native type, the text has no hyphens.
            if stored != "native" and not isinstance(self, _PATTERNS):
                if self.rhs_is_direct_value():
                    self.rhs = str(self.rhs).replace("-", "")
                else:
                    self.rhs = Replace(self.rhs, Value("-"), Value(""), output_field=CharField())
            return super().process_rhs(compiler, connection)  # type: ignore[misc]
        finally:
            self.rhs = written


class _OnBytes:
    """Compares the stored value, with what other columns and expressions store converted to the same form."""

    lhs: Any
    rhs: Any
    rhs_is_direct_value: Any

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        written = self.rhs
        try:
            self.rhs = self._typed(written)
            sql, params = super().process_rhs(compiler, connection)  # type: ignore[misc]
            # The expressions of a list are converted one by one.
            if not self.rhs_is_direct_value() and not isinstance(self.rhs, ExpressionList):
                rows = isinstance(self, ROWS)
                sql = converted(sql, self.rhs, self.lhs.output_field, connection, rows=rows)
            return sql, params
        finally:
            self.rhs = written

    def resolve_expression_parameter(self, compiler: Any, connection: Any, sql: str, param: Any) -> Any:
        param = self._typed(param)
        sql, params = super().resolve_expression_parameter(compiler, connection, sql, param)  # type: ignore[misc]
        if hasattr(param, "resolve_expression"):
            param = param.resolve_expression(compiler.query)
            sql = converted(sql, param, self.lhs.output_field, connection)
        return sql, params

    def _typed(self, rhs: Any) -> Any:
        """A value of this field, where Django would take it for one of UUIDField."""
        if isinstance(rhs, Value) and not hasattr(cast(Any, rhs)._output_field_or_none, "uuid_form"):
            return Value(rhs.value, output_field=self.lhs.output_field)
        return rhs


def converted(
    sql: str, expression: Any, field: Any, connection: Any, *, rows: bool = False, stored: bool = False
) -> str:
    """The SQL of an expression, in the form in which the field stores UUIDs."""
    try:
        found = _sql.form(expression.output_field, connection)
    except (AttributeError, FieldError):
        # An expression without a type, such as RawSQL.
        return sql
    wanted = _sql.form(field, connection)
    # Without a form it is no UUID. PostgreSQL itself refuses to compare a text with one.
    if found is None or found == wanted or (wanted == "native" and found == "text"):
        return sql
    if wanted != "bytes" or found == "swapped" or rows:
        raise FieldError(
            f"{field} stores UUIDs as {wanted}, and {expression.output_field} as {found} on this database: "
            "they cannot be compared or assigned in SQL. Use one kind of field, or read the values first"
        )
    return _sql.as_bytes(sql, connection, stored)


def register(field: Any) -> None:
    """Gives a class of fields these lookups."""
    for kinds, mixin in ((_TEXT, _OnText), (_COMPARISONS, _OnBytes)):
        for lookup in kinds:
            field.register_lookup(derived(mixin, lookup))
