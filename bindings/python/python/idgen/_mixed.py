"""Refuses in SQLAlchemy what would let stored UUIDs pass for another form.

These are assignments, set operations, CAST, and expressions whose value is one of their parts: the statement
would store, return or miss the UUIDs without an error. Text of SQL has no types, and is not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy.schema import CreateColumn
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.sql.elements import Case, Cast
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.selectable import CompoundSelect, ScalarValues, Values

from idgen import _compared
from idgen._checks import check_parts, checks

_converts = ContextVar("converts", default=False)


@contextmanager
def converting() -> Iterator[None]:
    """For Alembic, which copies a table of SQLite with CAST before this package converts the values."""
    before = _converts.set(True)
    try:
        yield
    finally:
        _converts.reset(before)


def _same(pairs: Iterable[tuple[Any, Any]], compiler: Any) -> None:
    # The dialect of str(statement) is that of no database.
    if compiler.dialect.name != "default" and not _converts.get():
        for left, right in pairs:
            for one, other in zip(_compared._types(left), _compared._types(right)):
                _compared._check(one, other, compiler.dialect)


@checks(CompoundSelect)
def _check_compound(element: Any, compiler: Any) -> None:
    first, *others = (list(select._all_selected_columns) for select in element.selects)
    _same((pair for columns in others for pair in zip(first, columns)), compiler)


@checks(Cast)
def _check_cast(element: Any, compiler: Any) -> None:
    _same([(element, element.clause)], compiler)


@checks(Case)
def _check_case(element: Any, compiler: Any) -> None:
    results = [result for _, result in element.whens]
    _same(((element, result) for result in [*results, element.else_] if result is not None), compiler)
    if element.value is not None:
        _same(((element.value, condition) for condition, _ in element.whens), compiler)


@checks(Function)
def _check_function(element: Any, compiler: Any) -> None:
    arguments = _compared.passed(element)
    _same(((one, other) for one in [element, *arguments[:1]] for other in arguments), compiler)


@checks(Values)
@checks(ScalarValues)
def _check_values(element: Any, compiler: Any) -> None:
    rows = (row for rows in element._data for row in rows)
    _same(_typed(pair for row in rows for pair in zip(element._column_args, row)), compiler)


@checks(Update)
def _check_update(element: Any, compiler: Any) -> None:
    _same(_typed(_assigned(element)), compiler)
    _same(_generated(element, "onupdate"), compiler)


@checks(Insert)
def _check_insert(element: Any, compiler: Any) -> None:
    _same(_typed(_assigned(element)), compiler)
    for pair in _typed(_assigned_in_conflict(element)):
        _same([pair], compiler)
        # For MySQL, SQLAlchemy makes a text without a type of each inserted.column.
        check_parts(pair[1], compiler)
    _same(_generated(element, "default"), compiler)
    if element.select is not None:
        columns = [element.table.c.get(name) for name in element._select_names or ()]
        _same(_typed(zip(columns, element.select._all_selected_columns)), compiler)


@checks(CreateColumn)
def _check_column(element: Any, compiler: Any) -> None:
    column = element.element
    values = (getattr(column.server_default, "arg", None), getattr(column.computed, "sqltext", None))
    _same(_typed((column, value) for value in values), compiler)


def _assigned(element: Any) -> Iterator[tuple[Any, Any]]:
    """The columns to which an INSERT or UPDATE assigns values, and the values."""
    rows = [element._values or {}, dict(getattr(element, "_ordered_values", None) or ())]
    for several in element._multi_values:
        rows += [row if isinstance(row, dict) else dict(zip(element.table.c, row)) for row in several]
    return _columns(element, rows)


def _assigned_in_conflict(element: Any) -> Iterator[tuple[Any, Any]]:
    """The same for the rows that exist: ON CONFLICT DO UPDATE and ON DUPLICATE KEY UPDATE."""
    clause = element._post_values_clause
    # Since SQLAlchemy 2.1 there may be several.
    for one in getattr(clause, "clauses", [clause]):
        # PostgreSQL and SQLite have the first attribute, MySQL and MariaDB the second.
        row = getattr(one, "update_values_to_set", None) or getattr(one, "update", None)
        if isinstance(row, (dict, list)):
            yield from _columns(element, [dict(row)])


def _columns(element: Any, rows: Iterable[dict[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    for row in rows:
        for column, value in row.items():
            yield element.table.c.get(column) if isinstance(column, str) else column, value


def _generated(element: Any, name: str) -> Iterator[tuple[Any, Any]]:
    """The columns that get the value of an expression if the statement assigns none."""
    for column in element.table.c:
        generator: Any = getattr(column, name, None)
        if getattr(generator, "is_clause_element", False):
            yield column, generator.arg


def _typed(pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The pairs of expressions of SQL, without values of Python, which get the type of their column."""
    return (pair for pair in pairs if all(hasattr(one, "type") for one in pair))
