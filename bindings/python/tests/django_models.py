"""The settings and models of a Django project, for the programs that test_django.py runs."""

from __future__ import annotations

import contextlib
import os
import sys
import types
from collections.abc import Iterator

import django
import pymysql
from django.conf import settings

# Django imports mysqlclient, which needs a compiler. PyMySQL has the same interface, and takes its name.
pymysql.version_info = (2, 2, 7, "final", 0)
pymysql.install_as_MySQLdb()
# An application is a package; this one has no files.
shop = types.ModuleType("shop")
shop.__path__ = [os.path.join(os.path.dirname(__file__), "shop")]
sys.modules["shop"] = shop
settings.configure(
    DATABASES={
        "default": {
            "ENGINE": f"django.db.backends.{os.environ['ENGINE']}",
            "NAME": os.environ["NAME"],
            "HOST": os.environ.get("HOST", ""),
            "PORT": os.environ.get("PORT", ""),
            "USER": os.environ.get("USER_NAME", ""),
            "PASSWORD": os.environ.get("PASSWORD", ""),
        }
    },
    INSTALLED_APPS=["shop"],
    USE_TZ=True,
)
django.setup()

import idgen  # noqa: E402
from django.db import connection, models  # noqa: E402
from idgen.django import BinaryUUIDField, ShortIdField  # noqa: E402


class Order(models.Model):
    id = BinaryUUIDField(primary_key=True, default=idgen.v7, editable=False)
    made = BinaryUUIDField(default=idgen.v1, swapped=True, unique=True)
    short = ShortIdField(default=idgen.short, unique=True)
    native = models.UUIDField(default=idgen.v4)
    nothing = BinaryUUIDField(null=True, blank=True)

    class Meta:
        app_label = "shop"


class Line(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE)
    by_short = models.ForeignKey(
        Order, on_delete=models.CASCADE, to_field="short", related_name="+", null=True
    )

    class Meta:
        app_label = "shop"


class Pair(models.Model):
    binary = BinaryUUIDField(null=True)
    swapped = BinaryUUIDField(null=True, swapped=True)
    native = models.UUIDField(null=True)
    text = models.CharField(max_length=36, null=True)

    class Meta:
        app_label = "shop"


@contextlib.contextmanager
def tables() -> Iterator[None]:
    """Creates the tables of the models, and drops them again."""
    with connection.schema_editor() as editor:
        for model in (Order, Line, Pair):
            editor.create_model(model)
    try:
        yield
    finally:
        connection.disable_constraint_checking()
        with connection.cursor() as cursor:
            for table in ("shop_line", "shop_pair", "shop_order"):
                cursor.execute(f"DROP TABLE {table}")
        connection.close()
