"""Refuses comparisons in SQLAlchemy of a column type of idgen with one that stores UUIDs in another way.

Their values are never equal, so a statement would find nothing: ``sqlalchemy.literal(id) == column``, a join
with a column of ``sqlalchemy.Uuid``, or ``column.in_()`` with a subquery of texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import CompileError
from sqlalchemy.sql import operators
from sqlalchemy.sql.elements import (
    BinaryExpression,
    Case,
    ClauseList,
    CollectionAggregate,
    ColumnElement,
    ExpressionClauseList,
    FunctionFilter,
    Grouping,
    Label,
    Over,
    WithinGroup,
)
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.selectable import ScalarSelect

from idgen._checks import checks


def form(type_: Any, dialect: Any) -> str | None:
    """How a type stores UUIDs on this database: swapped, bytes, base64, native, text (32 or an unknown number
    of characters), or hyphenated; None for types of other values.
    """
    type_ = getattr(type_, "_variant_mapping", {}).get(dialect.name, type_)
    own: str | None = getattr(type_, "_idgen_form", None)
    if own is not None:
        return own
    if isinstance(type_, sa.TypeDecorator):
        return form(type_.load_dialect_impl(dialect), dialect)
    if isinstance(type_, sa.Uuid):
        native = isinstance(type_, sa.UUID) or (type_.native_uuid and dialect.supports_native_uuid)
        return "native" if native else "text"
    if isinstance(type_, sa.String) and not isinstance(type_, sa.Enum):
        return "hyphenated" if (type_.length or 0) >= 36 else "text"
    return None


_OWN = ("swapped", "bytes", "base64")
_OF_TEXTS = tuple(
    getattr(operators, name)
    for text in ("like_op", "ilike_op", "contains_op", "startswith_op", "endswith_op", "regexp_match_op")
    for name in (text, f"not_{text}")
)


#: Functions whose value is that of any argument, or that compare their arguments. SQLite's min and max do.
_OF_ALL = ("coalesce", "ifnull", "isnull", "nvl", "nullif", "greatest", "least", "min", "max")
#: Functions whose value is that of their first argument: aggregates, window functions, and MySQL's VALUES().
_OF_FIRST = ("any_value", "first_value", "last_value", "nth_value", "values")


def passed(function: Any) -> list[Any]:
    """The arguments of which one is the value of a function; none if the function makes another value."""
    name, arguments = function.name.lower(), list(function.clauses)
    if name in _OF_ALL:
        return arguments
    if name in ("if", "iif", "nvl2"):
        return arguments[1:]
    if name in ("lag", "lead"):
        return arguments[:1] + arguments[2:]
    return arguments[:1] if name in _OF_FIRST else []


@checks(BinaryExpression)
def _check_comparison(element: Any, compiler: Any) -> None:
    # The dialect of str(statement) is that of no database.
    if operators.is_comparison(element.operator) and compiler.dialect.name != "default":
        left, right = (list(_types(side)) for side in (element.left, element.right))
        if element.operator in _OF_TEXTS and form(left[0], compiler.dialect) in ("swapped", "bytes"):
            raise CompileError(
                f"{left[0]!r} stores bytes, which {element.operator.__name__} would take for a text: compare "
                "whole ids"
            )
        for one, other in (
            zip(left, right) if len(left) == len(right) else ((a, b) for a in left for b in right)
        ):
            _check(one, other, compiler.dialect)


def _check(left: Any, right: Any, dialect: Any) -> None:
    forms = [form(type_, dialect) for type_ in (left, right)]
    if forms[0] == forms[1] or None in forms or not any(one in _OWN for one in forms):
        return
    # Texts may be compared with texts: who writes one means the stored one.
    if all(one in ("base64", "text", "hyphenated") for one in forms) and not any(
        isinstance(type_, sa.Uuid) for type_ in (left, right)
    ):
        return
    own = left if forms[0] in _OWN else right
    raise CompileError(
        f"{left!r} and {right!r} store UUIDs in different ways ({forms[0]} and {forms[1]}), so they are "
        f"never equal: use one type for both, such as literal(id, {own!r}) for a value"
    )


def _types(side: Any) -> Iterator[Any]:
    """The types of one side of a comparison: more than one for lists and tuples."""
    if isinstance(side, (ClauseList, ExpressionClauseList)):
        for clause in side.clauses:
            yield from _types(clause)
    elif isinstance(side, Grouping):
        yield from _types(side.element)
    elif isinstance(side, sa.SelectBase):
        for column in side._all_selected_columns:
            yield _type(column)
    else:
        type_ = _type(side)
        yield from getattr(type_, "types", None) or (type_,)


def _type(element: Any) -> Any:
    """The type of an expression. SQLAlchemy knows none for some functions whose value is an argument."""
    type_ = getattr(element, "type", None)
    if isinstance(element, CollectionAggregate):
        type_ = _type(element.element)
        return type_.item_type if isinstance(type_, sa.ARRAY) else type_
    if not isinstance(type_, sa.types.NullType):
        return type_
    for source in _sources(element):
        found = _type(source)
        if found is not None and not isinstance(found, sa.types.NullType):
            return found
    return type_


def _sources(element: Any) -> Iterable[Any]:
    """The expressions whose value an expression may have."""
    if isinstance(element, FunctionElement):
        return passed(element) if hasattr(element, "name") else ()
    if isinstance(element, Case):
        return [result for _, result in element.whens] + [element.else_]
    if isinstance(element, (Label, Grouping, Over, FunctionFilter, WithinGroup)):
        return (element.element,)
    if isinstance(element, ScalarSelect):
        return tuple(element.element._all_selected_columns)[:1]
    if isinstance(element, ColumnElement):
        # A column of a subquery.
        return [column for column in element.base_columns if column is not element]
    return ()
