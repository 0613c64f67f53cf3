"""Comparisons and joins of a BinaryUUIDField with other fields that hold UUIDs, wherever Django makes them.

The lookups of BinaryUUIDField itself are in ``_lookups``. Here is what Django compares without them: the
columns of a join, such as that of a generic relation, and a UUIDField, a text or a foreign key with a
subquery or expression whose values are 16 bytes. Both sides are compared as 16 bytes, or a FieldError says
why not.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import FieldError
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import CharField, Func, TextField, UUIDField
from django.db.models.fields.related import ForeignObject
from django.db.models.sql.datastructures import Join

from idgen.django import _lookups, _sql


class _AsBytes(Func):
    """The 16 bytes of a text or a native UUID; NULL for a text that is none."""

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]
        sql, params = compiler.compile(self.source_expressions[0])
        return _sql.as_bytes(sql, connection, False), params


def _refused(left: Any, left_form: Any, right: Any, right_form: Any) -> FieldError:
    return FieldError(
        f"{left} stores UUIDs as {left_form}, and {right} as {right_form} on this database: they cannot be "
        "compared in SQL. Use one kind of field, or read the values first"
    )


def _one_is_bytes(left: Any, left_form: Any, right: Any, right_form: Any) -> bool:
    """Whether one of two sides must be converted to 16 bytes; FieldError if that is not enough."""
    if left_form == right_form or None in (left_form, right_form):
        return False
    if "swapped" in (left_form, right_form):
        raise _refused(left, left_form, right, right_form)
    return "bytes" in (left_form, right_form)


def _form_of(expression: Any, connection: Any) -> _sql.Form | None:
    """How the values of an expression or a subquery are stored; None for plain values."""
    if not hasattr(expression, "as_sql"):
        return None
    try:
        return _sql.form(expression.output_field, connection)
    except (AttributeError, FieldError):
        # An expression without a type, such as RawSQL.
        return None


class _Comparison:
    """A lookup of another field than BinaryUUIDField, whose right side may have values of one, or reverse."""

    lhs: Any
    rhs: Any

    def process_lhs(self, compiler: Any, connection: Any, lhs: Any = None) -> Any:
        sql, params = super().process_lhs(compiler, connection, lhs)  # type: ignore[misc]
        found = _form_of(self.rhs, connection)
        own = _sql.form(getattr(lhs or self.lhs, "output_field", None), connection)
        if found == "bytes" and _one_is_bytes(self.lhs.output_field, own, self.rhs.output_field, found):
            sql = _sql.as_bytes(sql, connection, False)
        elif found == "swapped":
            _one_is_bytes(self.lhs.output_field, own, self.rhs.output_field, found)
        return sql, params

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        own = _sql.form(getattr(self.lhs, "output_field", None), connection)
        if isinstance(self.rhs, (list, tuple, set, frozenset)):
            for one in self.rhs:
                if _one_is_bytes("the column", own, one, _form_of(one, connection)):
                    raise _refused(self.lhs.output_field, own, one.output_field, _form_of(one, connection))
        sql, params = super().process_rhs(compiler, connection)  # type: ignore[misc]
        found = _form_of(self.rhs, connection)
        if own in ("bytes", "swapped") and _one_is_bytes(self.lhs.output_field, own, self.rhs, found):
            if isinstance(self, _lookups.ROWS):
                raise _refused(self.lhs.output_field, own, self.rhs.output_field, found)
            sql = _sql.as_bytes(sql, connection, False)
        return sql, params


class _Text:
    """A lookup of text, which bytes are not."""

    lhs: Any
    rhs: Any

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        found = _form_of(self.rhs, connection)
        if found in ("bytes", "swapped"):
            raise _refused(self.lhs.output_field, "text", self.rhs.output_field, found)
        return super().process_rhs(compiler, connection)  # type: ignore[misc]


def register() -> None:
    """Gives the fields whose values may be UUIDs these lookups, and joins their conversion."""
    for field in (UUIDField, CharField, TextField, ForeignObject):
        for lookup in list(field.get_class_lookups().values()):
            mixin = _lookups.mixin_for(lookup, _Comparison, _Text)
            if mixin is not None and not issubclass(lookup, mixin):
                field.register_lookup(_lookups.derived(mixin, lookup), lookup.lookup_name)
    if hasattr(BaseDatabaseOperations, "prepare_join_on_clause"):
        _convert_joins()
    else:
        _refuse_joins()


def _convert_joins() -> None:
    plain = BaseDatabaseOperations.prepare_join_on_clause

    def prepare_join_on_clause(
        self: Any, lhs_table: Any, lhs_field: Any, rhs_table: Any, rhs_field: Any
    ) -> Any:
        sides = plain(self, lhs_table, lhs_field, rhs_table, rhs_field)
        forms = [_sql.form(field, self.connection) for field in (lhs_field, rhs_field)]
        if _one_is_bytes(lhs_field, forms[0], rhs_field, forms[1]):
            return tuple(side if form == "bytes" else _AsBytes(side) for side, form in zip(sides, forms))
        return sides

    setattr(BaseDatabaseOperations, "prepare_join_on_clause", prepare_join_on_clause)  # noqa: B010


def _refuse_joins() -> None:
    """Before version 5, Django joins names of columns, which cannot be converted."""
    plain = Join.as_sql

    def as_sql(self: Any, compiler: Any, connection: Any) -> Any:
        field = self.join_field
        pairs = getattr(field, "related_fields", None) or getattr(
            getattr(field, "field", None), "reverse_related_fields", ()
        )
        for left, right in pairs or ():
            left_form, right_form = _sql.form(left, connection), _sql.form(right, connection)
            if _one_is_bytes(left, left_form, right, right_form):
                raise _refused(left, left_form, right, right_form)
        return plain(self, compiler, connection)

    setattr(Join, "as_sql", as_sql)  # noqa: B010
