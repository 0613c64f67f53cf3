"""Querysets that are pickled, as for a cache or a queue of tasks: test_django.py runs this on each database.

Another process unpickles them. There only Django's own setup imports idgen.django, with the models.
"""

from __future__ import annotations

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import django
import pymysql
from django.conf import settings

pymysql.version_info = (2, 2, 7, "final", 0)
pymysql.install_as_MySQLdb()
names = {
    "ENGINE": "ENGINE",
    "NAME": "NAME",
    "HOST": "HOST",
    "PORT": "PORT",
    "USER": "USER_NAME",
    "PASSWORD": "PASSWORD",
}
database = {name: os.environ.get(variable, "") for name, variable in names.items()}
database["ENGINE"] = f"django.db.backends.{database['ENGINE']}"
settings.configure(
    DATABASES={"default": database},
    INSTALLED_APPS=["django.contrib.contenttypes", "pickled"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.apps import apps  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.exceptions import FieldError  # noqa: E402
from django.db import DatabaseError, connection, models  # noqa: E402
from django.utils.module_loading import import_string  # noqa: E402

MODELS = list(apps.get_app_config("pickled").get_models())


def conditions(row: Any, field: Any) -> Iterator[tuple[str, Any]]:
    """Each lookup of a field, with a value that it takes, and the same value as an expression."""
    value = getattr(row, field.attname)
    for lookup in sorted(field.get_lookups()):
        name = f"{field.name}__{lookup}"
        if lookup == "isnull":
            yield name, False
        elif lookup == "range":
            yield name, (value, value)
        elif lookup == "in":
            yield name, [value]
            if not field.is_relation:
                yield name, [models.F(field.attname)]
            yield name, type(row).objects.values(field.attname)
        elif "regex" in lookup or "with" in lookup or "contains" in lookup:
            yield name, str(value)[:1]
            yield name, models.Value(str(value)[:1])
        else:
            yield name, value
            yield name, models.F(field.attname)
            yield name, models.Subquery(type(row).objects.values(field.attname)[:1])


def keys(query: Any) -> Any:
    """The rows that a query finds, or the error, such as of a pattern with a column of bytes."""
    found = query.model._base_manager.all()
    found.query = query
    try:
        return [row.pk for row in found]
    except (DatabaseError, FieldError) as error:
        return type(error).__name__


def written() -> list[tuple[str, bytes, Any]]:
    """Querysets with each lookup of each field, and of the fields of another model."""
    shop = apps.get_model("pickled", "Shop").objects.create(name="One", notes="two", key="0" * 31 + "1")
    order = apps.get_model("pickled", "Order").objects.create()
    item = apps.get_model("pickled", "Item").objects.create(shop=shop, by_binary=order, by_short=order)
    found = []
    for row, prefix, of in (
        *((row, "", type(row)) for row in (shop, order, item)),
        (shop, "shop__", type(item)),
        (order, "by_binary__", type(item)),
    ):
        for field in row._meta.concrete_fields:
            for name, value in conditions(row, field):
                one = value[0] if isinstance(value, list) else value
                if prefix and hasattr(one, "resolve_expression"):
                    continue
                objects = of.objects.order_by("pk")
                condition = models.Q(**{prefix + name: value})
                for queryset in (objects.filter(condition), objects.exclude(condition)):
                    title = f"{of.__name__} {prefix}{name} {value!r}"
                    expected = keys(queryset.query.clone())
                    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                        content = pickle.dumps(queryset.query, protocol)
                        assert keys(pickle.loads(content)) == expected, title
                    assert keys(copy.deepcopy(queryset.query)) == expected, title
                    found.append((title, content, expected))
    # One with rows, as a cache stores them.
    cache.set("items", item.__class__.objects.filter(shop=shop, shop__name="One"))
    assert list(cache.get("items")) == [item]
    assert pickle.loads(pickle.dumps(shop.item_set.all())).get() == item
    return found


def read(path: str) -> None:
    """Finds the same rows in a new process."""
    content = pathlib.Path(path).read_bytes()
    for title, pickled, expected in pickle.loads(content):
        assert keys(pickle.loads(pickled)) == expected, title


def made_classes_are_found_by_their_names() -> None:
    """Of each class that idgen.django makes: pickle and migrations find classes in this way."""
    from idgen.django import _across, _lookups

    class Own:
        """A mixin for a lookup that has the name of Django's."""

    Own.__module__ = _across.__name__
    own = _lookups.derived(Own, import_string("pickled.models.Exact"))
    assert own is not _lookups.derived(Own, models.lookups.Exact)
    assert len(_lookups._made) > 40
    for made in _lookups._made.values():
        assert import_string(f"{made.__module__}.{made.__qualname__}") is made
    for model in MODELS:
        for field in model._meta.concrete_fields:
            for lookup in field.get_lookups().values():
                assert import_string(f"{lookup.__module__}.{lookup.__qualname__}") is lookup, lookup


if len(sys.argv) > 1:
    read(sys.argv[1])
    sys.exit()
with connection.schema_editor() as editor:
    for model in MODELS:
        editor.create_model(model)
try:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "querysets")
        path.write_bytes(pickle.dumps(written()))
        subprocess.run([sys.executable, "-W", "error", __file__, str(path)], check=True)
    made_classes_are_found_by_their_names()
finally:
    with connection.schema_editor() as editor:
        # With foreign keys before what they refer to.
        for model in sorted(MODELS, key=lambda model: model.__name__ != "Item"):
            editor.delete_model(model)
    connection.close()
print("all good")
