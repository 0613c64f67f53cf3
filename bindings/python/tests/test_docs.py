"""Every public object has a docstring with an example, and every example runs as shown."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator

import idgen
import idgen.uuid
import pytest

MODULES = (
    "idgen",
    "idgen.uuid",
    "idgen.numpy",
    "idgen.arrow",
    "idgen.pandas",
    "idgen.sqlalchemy",
    "idgen.django",
    "idgen.mysql",
)
#: Bases and values, which have nothing to show.
NO_EXAMPLE = {"ClockBehindError", "DeviceFields", "MysqlFields", "Inspection", "Odds"}
OF_THE_STANDARD = {"SafeUUID", "UUID", "getnode", "main"}


def public() -> Iterator[tuple[str, object]]:
    for name in MODULES:
        module = importlib.import_module(name)
        yield name, module
        for item in module.__all__:
            value = getattr(module, item)
            if callable(value) and item not in OF_THE_STANDARD:
                yield f"{name}.{item}", value
                if inspect.isclass(value) and value.__module__ == "idgen":
                    for method in (
                        "next_str",
                        "next_bytes",
                        "next_int",
                        "next_base64",
                        "batch",
                        "fill_buffer",
                    ):
                        if method in vars(value):
                            yield f"{name}.{item}.{method}", vars(value)[method]


@pytest.mark.parametrize(
    "name, value", list(public()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_docstring(name: str, value: object) -> None:
    doc = inspect.getdoc(value)
    assert doc, f"{name} has no docstring"
    finder = doctest.DocTestParser()
    test = finder.get_doctest(doc, {"idgen": idgen}, name, None, 0)
    framework = name.startswith(("idgen.sqlalchemy", "idgen.django", "idgen.mysql"))
    assert test.examples or framework or name.rsplit(".", 1)[-1] in NO_EXAMPLE, f"{name} shows no example"
    out: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=out.append)
    assert result.failed == 0, "".join(out)


def test_signatures_are_known() -> None:
    """help() and editors show them."""
    for name in idgen.__all__:
        value = getattr(idgen, name)
        if inspect.isbuiltin(value):
            assert inspect.signature(value) is not None
    assert str(inspect.signature(idgen.uuid.uuid1)) == "(node=None, clock_seq=None)"
    assert str(inspect.signature(idgen.v7)) == "()"
    assert str(inspect.signature(idgen.to_str)) == "(id, /)"
