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
    INSTALLED_APPS=["django.contrib.contenttypes", "shop"],
    USE_TZ=True,
)
django.setup()

import idgen  # noqa: E402
from django.contrib.contenttypes.fields import GenericForeignKey, GenericRelation  # noqa: E402
from django.contrib.contenttypes.models import ContentType  # noqa: E402
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


class Tag(models.Model):
    """A generic relation whose key is a text, as Django's documentation has it for UUIDs."""

    content_type = models.ForeignKey(ContentType, on_delete=models.CASCADE)
    object_id = models.CharField(max_length=36, db_index=True)
    content_object = GenericForeignKey()
    name = models.CharField(max_length=20, default="")

    class Meta:
        app_label = "shop"


class NativeTag(models.Model):
    """The same with a UUIDField."""

    content_type = models.ForeignKey(ContentType, on_delete=models.CASCADE)
    object_id = models.UUIDField(db_index=True)
    content_object = GenericForeignKey()
    name = models.CharField(max_length=20, default="")

    class Meta:
        app_label = "shop"


class Book(models.Model):
    id = BinaryUUIDField(primary_key=True, default=idgen.v7)
    tags = GenericRelation(Tag)
    native_tags = GenericRelation(NativeTag)

    class Meta:
        app_label = "shop"


class NativeBook(models.Model):
    """What Book would be with Django's own field."""

    id = models.UUIDField(primary_key=True, default=idgen.v7)
    tags = GenericRelation(Tag)
    native_tags = GenericRelation(NativeTag)

    class Meta:
        app_label = "shop"


class Old(models.Model):
    """A model whose ids are stored with time fields swapped."""

    id = BinaryUUIDField(primary_key=True, default=idgen.v1, swapped=True)
    tags = GenericRelation(Tag)

    class Meta:
        app_label = "shop"


class Reference(models.Model):
    """Refers to books, each in another way."""

    book = models.ForeignKey(Book, on_delete=models.CASCADE, null=True)
    native = models.UUIDField(null=True)
    text = models.CharField(max_length=36, null=True)

    class Meta:
        app_label = "shop"


MODELS = (ContentType, Order, Line, Pair, Tag, NativeTag, Book, NativeBook, Old, Reference)


@contextlib.contextmanager
def tables() -> Iterator[None]:
    """Creates the tables of the models, and drops them again."""
    with connection.schema_editor() as editor:
        for model in MODELS:
            editor.create_model(model)
    try:
        yield
    finally:
        connection.disable_constraint_checking()
        with connection.cursor() as cursor:
            for model in reversed(MODELS):
                cursor.execute(f"DROP TABLE {model._meta.db_table}")
        connection.close()
