"""Checks elements of a statement of SQLAlchemy before they are compiled.

``@compiles`` keeps one function for each class of elements: of two packages, the later one replaces the
function of the other. So a check is no such function. It runs before all of them, in any order of imports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import visitors
from sqlalchemy.sql.annotation import Annotated

_Check = Callable[[Any, Any], None]
_registered: list[tuple[Any, _Check]] = []


def checks(class_: Any) -> Callable[[_Check], _Check]:
    """Decorates a function that gets each element of a class, and its compiler, before it is compiled."""

    def decorate(check: _Check) -> _Check:
        _registered.append((class_, check))
        for one in _with_derived(class_):
            _check_first(one, check)
        return check

    return decorate


def check_parts(expression: Any, compiler: Any) -> None:
    """Checks all parts of an expression now, for a dialect that changes it before it is compiled."""
    for part in visitors.iterate(expression):
        for class_, check in _registered:
            if isinstance(part, class_):
                check(part, compiler)


def _with_derived(class_: Any) -> Iterator[Any]:
    """The class, and those that are derived from it, for which an application may use @compiles, too."""
    yield class_
    for derived in class_.__subclasses__():
        # A class with annotations inherits from the class without them.
        if not issubclass(derived, Annotated):
            yield from _with_derived(derived)


def _check_first(class_: Any, check: _Check) -> None:
    if "_compiler_dispatcher" not in vars(class_):
        # The first @compiles for a class replaces the method that compiles it. Later ones only choose what
        # that method calls.
        compiles(class_)(vars(class_).get("_compiler_dispatch") or _inherited(class_))
    plain = class_._compiler_dispatch

    def dispatch(element: Any, compiler: Any, **settings: Any) -> str:
        check(element, compiler)
        return plain(element, compiler, **settings)  # type: ignore[no-any-return]

    class_._compiler_dispatch = dispatch


def _inherited(class_: Any) -> Callable[..., str]:
    def compile_as_base(element: Any, compiler: Any, **settings: Any) -> str:
        return super(class_, element)._compiler_dispatch(compiler, **settings)  # type: ignore[no-any-return]

    return compile_as_base
