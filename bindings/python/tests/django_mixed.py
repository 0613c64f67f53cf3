"""UUIDs that change their form on the way through a statement: test_django.py runs this on each database."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import django
import idgen
from django.core.exceptions import FieldError
from django.db import connection, models
from django.db.models import Case, ExpressionWrapper, F, OuterRef, Q, Subquery, Value, When, Window
from django.db.models.functions import (
    Cast,
    Coalesce,
    Concat,
    FirstValue,
    Greatest,
    Lag,
    LastValue,
    Left,
    Length,
    NthValue,
    NullIf,
    Substr,
    Upper,
)
from django_models import Book, Pair, Reference, tables  # first, because it configures Django
from idgen.django import BinaryUUIDField

BYTES = connection.vendor != "postgresql"
NATIVE = models.UUIDField()
TEXT = models.CharField(max_length=36)


class Hex(models.Func):
    """A function of the database that converts bytes itself."""

    function = "HEX"
    output_field = TEXT


def refused(run: Callable[[], Any]) -> None:
    """A FieldError where the field stores bytes; PostgreSQL has one type for both fields."""
    try:
        found = run()
    except FieldError as error:
        assert BYTES and "stores UUIDs as" in str(error), error
    else:
        assert not BYTES, f"found {found}"


def values(query: Any) -> list[Any]:
    return list(query.order_by("pk").values_list("x", flat=True))


def assignments() -> None:
    """They would store 16 bytes in a column of texts."""
    everything = Reference.objects.order_by("pk")
    row = everything[0]
    before = list(everything.values("book", "native", "text"))
    key = Book.objects.filter(pk=OuterRef("book")).values("pk")[:1]
    for value in (
        F("book"),
        Subquery(key),
        Case(When(pk=row.pk, then=F("book")), default=F("native"), output_field=NATIVE),
    ):
        refused(lambda value=value: everything.update(native=value))
    refused(lambda: everything.update(book=F("native")))
    row.native = F("book")
    refused(lambda: Reference.objects.bulk_update([row], ["native"]))
    refused(row.save)
    if BYTES:
        refused(lambda: everything.update(text=F("book")))
        refused(lambda: Reference.objects.create(native=Value(uuid.uuid4(), BinaryUUIDField())))
        refused(lambda: Pair.objects.create(binary=Value(uuid.uuid4())))
        assert Pair.objects.create(binary=Value(uuid.uuid4(), BinaryUUIDField())).delete()
        assert list(everything.values("book", "native", "text")) == before
    everything.update(book=F("book"), native=F("native"), text=Value("x"))
    assert list(everything.values("book", "native")) == [
        {"book": one["book"], "native": one["native"]} for one in before
    ]


def expressions() -> None:
    """They would compare, or return, what is stored in another form."""
    rows = Reference.objects.all()
    for expression in (
        ExpressionWrapper(F("book"), output_field=NATIVE),
        Coalesce("book", "native", output_field=NATIVE),
        Coalesce("native", "book", output_field=BinaryUUIDField()),
        NullIf("native", "book", output_field=NATIVE),
        Greatest("native", "book", output_field=NATIVE),
        Case(When(pk=0, then=F("book")), default=F("native"), output_field=BinaryUUIDField()),
        Subquery(Book.objects.filter(pk=OuterRef("book")).values("pk")[:1], output_field=NATIVE),
        Window(FirstValue("book", output_field=NATIVE), order_by="pk"),
        Window(Lag("book", default=F("native")), order_by="pk"),
        Cast("book", NATIVE),
        Cast("book", TEXT),
        Cast("book", models.TextField()),
    ):
        refused(lambda expression=expression: values(rows.annotate(x=expression)))
    if BYTES:
        for function in (Upper("book"), Length("book"), Substr("book", 1, 8), Left("book", 8)):
            refused(lambda function=function: values(rows.annotate(x=function)))
        refused(lambda: values(rows.annotate(x=Concat("book", Value("!"), output_field=TEXT))))
        assert values(rows.annotate(x=Hex("book")))[0] == Reference.objects.earliest("pk").book_id.hex.upper()
    keys = list(rows.order_by("pk").values_list("book", flat=True))
    assert values(rows.annotate(x=Coalesce("book", Value(None, BinaryUUIDField())))) == keys
    assert values(rows.annotate(x=Case(When(native=F("book"), then=F("book"))))) == keys
    assert values(rows.annotate(x=Cast("native", NATIVE))) == keys
    same = Lag("book", default=Value(keys[-1], BinaryUUIDField()))
    if connection.features.supports_default_in_lead_lag:
        assert values(rows.annotate(x=Window(same, order_by="pk"))) == [keys[-1], *keys[:-1]]
    for function in (FirstValue("book"), NthValue("book", 1), LastValue("book")):
        assert values(rows.annotate(x=Window(function, order_by="pk")))[0] == keys[0]
    # PostgreSQL 18 has no max(uuid).
    if BYTES:
        refused(lambda: rows.aggregate(x=models.Max("book", output_field=NATIVE)))
        assert rows.aggregate(x=models.Max("book"))["x"] == max(keys)


def set_operations() -> None:
    """They would never find two equal rows."""
    keys, natives = Book.objects.values_list("pk"), Reference.objects.values_list("native")
    for one, other in ((keys, natives), (natives, keys)):
        for name in ("union", "intersection", "difference"):
            refused(lambda one=one, other=other, name=name: list(getattr(one, name)(other)))
    books = Reference.objects.values_list("book")
    assert (
        len(keys.union(books)) == 3
        and len(keys.intersection(books)) == 2
        and len(keys.difference(books)) == 1
    )
    assert len(keys.union(natives.none())) == 3
    assert len(Book.objects.filter(pk=None).union(Book.objects.all())) == 3


def constraints() -> None:
    """A constraint that converts works on each connection; a generated column of another form is refused."""
    condition = "condition" if django.VERSION >= (5, 1) else "check"

    class Checked(models.Model):
        key = BinaryUUIDField()
        same = models.UUIDField()

        class Meta:
            app_label = "shop"
            constraints = [models.CheckConstraint(**{condition: Q(key=F("same")), "name": "the_same"})]

    with connection.schema_editor() as editor:
        editor.create_model(Checked)
    try:
        connection.close()
        id = idgen.v4()
        Checked.objects.create(key=id, same=id)
        try:
            Checked.objects.create(key=id, same=uuid.uuid4())
        except django.db.IntegrityError:
            pass
        else:
            raise AssertionError("the constraint has no effect")
    finally:
        with connection.schema_editor() as editor:
            editor.delete_model(Checked)
    if not hasattr(models, "GeneratedField"):
        return

    class Generated(models.Model):
        key = BinaryUUIDField()
        same = models.GeneratedField(expression=F("key"), output_field=models.UUIDField(), db_persist=True)

        class Meta:
            app_label = "shop"

    if BYTES:
        with connection.schema_editor() as editor:
            refused(lambda: editor.create_model(Generated))


with tables():
    for book in [Book.objects.create() for _ in range(3)][:2]:
        Reference.objects.create(book=book, native=book.pk, text=str(book.pk))
    assignments()
    expressions()
    set_operations()
    constraints()
print("all good")
