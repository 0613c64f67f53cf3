"""Refuses in SQLAlchemy what would let stored UUIDs pass for another form.

These are assignments, set operations, CAST, and expressions whose value is one of their parts: the statement
would store, return or miss the UUIDs without an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.sql.elements import Case, Cast
from sqlalchemy.sql.functions import Function
from sqlalchemy.sql.selectable import CompoundSelect

from idgen import _compared

#: Functions whose value is that of an argument, or that compare their arguments.
_PASSING = ("coalesce", "ifnull", "nullif", "greatest", "least")


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


@compiles(CompoundSelect)
def _compound(element: Any, compiler: Any, **settings: Any) -> str:
    first, *others = (list(select.selected_columns) for select in element.selects)
    _same((pair for columns in others for pair in zip(first, columns)), compiler)
    return compiler.visit_compound_select(element, **settings)  # type: ignore[no-any-return]


@compiles(Cast)
def _cast(element: Any, compiler: Any, **settings: Any) -> str:
    _same([(element, element.clause)], compiler)
    return compiler.visit_cast(element, **settings)  # type: ignore[no-any-return]


@compiles(Case)
def _case(element: Any, compiler: Any, **settings: Any) -> str:
    results = [result for _, result in element.whens]
    _same(((element, result) for result in [*results, element.else_] if result is not None), compiler)
    if element.value is not None:
        _same(((element.value, condition) for condition, _ in element.whens), compiler)
    return compiler.visit_case(element, **settings)  # type: ignore[no-any-return]


@compiles(Function)
def _function(element: Any, compiler: Any, **settings: Any) -> str:
    if element.name.lower() in _PASSING:
        first, *others = element.clauses
        _same(((first, other) for other in others), compiler)
    return compiler.visit_function(element, **settings)  # type: ignore[no-any-return]


@compiles(Update)
def _update(element: Any, compiler: Any, **settings: Any) -> str:
    _same(_assigned(element), compiler)
    return compiler.visit_update(element, **settings)  # type: ignore[no-any-return]


@compiles(Insert)
def _insert(element: Any, compiler: Any, **settings: Any) -> str:
    _same(_assigned(element), compiler)
    if element.select is not None:
        columns = [element.table.c.get(name) for name in element._select_names or ()]
        pairs = zip(columns, element.select.selected_columns)
        _same(((column, value) for column, value in pairs if column is not None), compiler)
    return compiler.visit_insert(element, **settings)  # type: ignore[no-any-return]


def _assigned(element: Any) -> Iterator[tuple[Any, Any]]:
    """The columns of a statement that get a value of SQL, and this value."""
    rows = [element._values or {}, dict(getattr(element, "_ordered_values", None) or ())]
    for several in element._multi_values:
        rows += [row for row in several if isinstance(row, dict)]
    for row in rows:
        for column, value in row.items():
            column = element.table.c.get(column) if isinstance(column, str) else column
            if hasattr(value, "type") and hasattr(column, "type"):
                yield column, value
