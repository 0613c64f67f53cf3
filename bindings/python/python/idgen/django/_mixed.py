"""Refuses UUIDs that change their form on the way through a statement, where Django makes no comparison.

A BinaryUUIDField stores 16 bytes. An assignment to another field, a function of texts, an expression with
another output field, and a set operation take them as they are, and the result would be no UUID of the other
form: the statement would store, return or miss it without an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import FieldError
from django.db import models
from django.db.models import Case, ExpressionWrapper, Func, Max, Min, Subquery, Value, When
from django.db.models.functions import (
    Cast,
    Coalesce,
    FirstValue,
    Greatest,
    Lag,
    LastValue,
    Lead,
    Least,
    NthValue,
    NullIf,
)
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler, SQLInsertCompiler, SQLUpdateCompiler

from idgen.django import _sql

#: The expressions whose value is that of a source. Other functions may convert it, such as UUID_TO_BIN().
_PASSING = (
    *(Case, When, ExpressionWrapper, Subquery, Cast, Coalesce, Greatest, Least, NullIf, Max, Min),
    *(FirstValue, LastValue, NthValue, Lag, Lead),
)
#: The modules of functions whose sources are texts, whatever their result is.
_OF_TEXTS = ("django.db.models.functions.text", "django.db.models.functions.json")


def register() -> None:
    """Checks expressions, assignments, set operations and generated fields."""
    _wrap(SQLCompiler, "compile", _check_expression)
    _wrap(SQLCompiler, "get_combinator_sql", _check_combined)
    _wrap(SQLUpdateCompiler, "as_sql", _check_update)
    _wrap(SQLInsertCompiler, "prepare_value", _check_insert)
    if hasattr(models, "GeneratedField"):
        _wrap(models.GeneratedField, "generated_sql", _check_generated)


def _wrap(owner: Any, name: str, check: Callable[..., None]) -> None:
    plain = getattr(owner, name)

    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        check(self, *args)
        return plain(self, *args, **kwargs)

    setattr(owner, name, wrapped)


def _check_expression(compiler: Any, node: Any, *rest: Any) -> None:
    if not isinstance(node, (*_PASSING, Func)):
        return
    own = _field_of(node) if isinstance(node, _PASSING) else None
    for source in node.get_source_expressions():
        field = _field_of(source)
        form = _sql.form(field, compiler.connection)
        if form in ("bytes", "swapped") and type(node).__module__ in _OF_TEXTS:
            raise FieldError(
                f"{field} stores UUIDs as {form} on this database, which {type(node).__name__} would take "
                "for a text: read the values first"
            )
        # Cast() to bytes has its own error.
        if not (isinstance(node, Cast) and form == "text"):
            _same(own, field, compiler.connection)


def _check_combined(compiler: Any, combinator: Any, *rest: Any) -> None:
    wanted: list[Any] = []
    for query in compiler.query.combined_queries:
        query = query.clone()
        if not query.values_select and compiler.query.values_select:
            query.set_values(compiler.query.values_select)
        part = query.get_compiler(compiler.using, compiler.connection)
        if query.is_empty():
            continue
        part.setup_query()
        fields = [_field_of(column[0]) for column in part.select]
        for one, other in zip(wanted, fields):
            _same(one, other, compiler.connection)
        wanted = wanted or fields


def _check_update(compiler: Any, *rest: Any) -> None:
    for field, _, value in compiler.query.values:
        # Fields of this package convert what they can.
        if hasattr(value, "as_sql") and not hasattr(field, "uuid_form"):
            _same(field, _field_of(value), compiler.connection)


def _check_insert(compiler: Any, field: Any, value: Any, *rest: Any) -> None:
    # Django asks no field how an expression is inserted, so those of this package cannot convert it.
    if hasattr(value, "as_sql"):
        _same(field, _field_of(value), compiler.connection)


def _check_generated(field: Any, connection: Any, *rest: Any) -> None:
    query = Query(model=field.model, alias_cols=False)
    _same(field.output_field, _field_of(field.expression.resolve_expression(query)), connection)


def _field_of(expression: Any) -> Any:
    """The field of an expression's values; None if it has none, as a condition or RawSQL."""
    if isinstance(expression, Value) and expression.value is None:
        return None
    try:
        return expression.output_field
    except (AttributeError, FieldError):
        return None


def _same(one: Any, other: Any, connection: Any) -> None:
    forms = [_sql.form(field, connection) for field in (one, other)]
    if forms[0] != forms[1] and None not in forms and ("bytes" in forms or "swapped" in forms):
        raise FieldError(
            f"{one} stores UUIDs as {forms[0]}, and {other} as {forms[1]} on this database: they cannot be "
            "combined or assigned in SQL. Use one kind of field, or read the values first"
        )
