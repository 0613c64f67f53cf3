"""Joins, subqueries and raw statements over BinaryUUIDField: test_django.py runs them on each database."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import idgen
from django.core.exceptions import FieldError
from django.db import connection, models
from django_models import Book, NativeTag, Old, Reference, Tag, tables  # first, because it configures Django
from idgen.django import BinaryUUIDField

BYTES = connection.vendor != "postgresql"


def refused(run: Callable[[], Any], words: str = "stores UUIDs as") -> None:
    try:
        found = run()
    except FieldError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"found {found}")


def generic_relations_find_their_rows() -> None:
    """Joins of a generic relation: with a key of text, and one of UUIDField."""
    tagged, other, bare = (Book.objects.create() for _ in range(3))
    for kind in (Tag, NativeTag):
        kind.objects.create(content_object=tagged, name="new")
        kind.objects.create(content_object=tagged, name="red")
        kind.objects.create(content_object=other, name="old")
    Tag.objects.create(content_type_id=Tag.objects.all()[0].content_type_id, object_id="no UUID")
    for tags in ("tags", "native_tags"):
        books = Book.objects.order_by("pk")
        if connection.vendor == "postgresql" and tags == "tags":
            # PostgreSQL's uuid needs no conversion here, and it refuses "no UUID" for UUIDField, too.
            Tag.objects.filter(object_id="no UUID").delete()
        assert list(books.filter(**{f"{tags}__isnull": True})) == [bare], tags
        assert list(books.filter(**{f"{tags}__isnull": False}).distinct()) == [tagged, other], tags
        assert list(books.filter(**{f"{tags}__name": "red"})) == [tagged], tags
        if connection.vendor != "postgresql" or tags != "tags":
            # PostgreSQL refuses to compare a uuid with a text here, also that of a UUIDField.
            assert list(books.exclude(**{f"{tags}__name": "red"})) == [other, bare], tags
        counts = books.annotate(n=models.Count(tags)).values_list("n", flat=True)
        assert list(counts) == [2, 1, 0], tags
        assert list(books.filter(**{f"{tags}__in": getattr(tagged, tags).all()}).distinct()) == [tagged]
        filtered = models.FilteredRelation(tags, condition=models.Q(**{f"{tags}__name": "old"}))
        assert list(books.annotate(old=filtered).filter(old__isnull=False)) == [other], tags
        assert getattr(tagged, tags).count() == 2
        (found,) = books.filter(pk=tagged.pk).prefetch_related(tags)
        assert {tag.name for tag in getattr(found, tags).all()} == {"new", "red"}
    kinds = [
        tag.content_object for tag in NativeTag.objects.prefetch_related("content_object").order_by("pk")
    ]
    assert kinds == [tagged, tagged, other]
    # The wrong rows were removed by this.
    assert Book.objects.filter(tags__isnull=True).delete()[0] == 1
    assert set(Book.objects.all()) == {tagged, other}
    if BYTES:
        refused(lambda: list(Old.objects.filter(tags__isnull=True)))
    other.delete()
    assert NativeTag.objects.count() == 2
    for model in (Book, Tag, NativeTag):
        model.objects.all().delete()


def subqueries_find_their_rows() -> None:
    """Another field on the left, and values of a BinaryUUIDField on the right, or the reverse."""
    books = [Book.objects.create() for _ in range(3)]
    unknown = uuid.uuid4()
    rows = [Reference.objects.create(book=book, native=book.pk, text=str(book.pk)) for book in books[:2]]
    rows.append(Reference.objects.create(native=unknown, text="no UUID"))
    rows.append(Reference.objects.create())
    everything = Reference.objects.order_by("pk")
    two = Book.objects.filter(pk__in=[book.pk for book in books[:2]])
    if connection.vendor == "postgresql":
        Reference.objects.filter(text="no UUID").update(text=str(unknown))
    for name in ("native", "text"):
        if connection.vendor == "postgresql" and name == "text":
            continue
        queries = (
            everything.filter(**{f"{name}__in": two}),
            everything.filter(**{f"{name}__in": Book.objects.values("pk")}),
            everything.filter(**{name: models.F("book")}),
            everything.filter(**{name: models.F("book__id")}),
            everything.filter(models.Exists(Book.objects.filter(pk=models.OuterRef(name)))),
            everything.filter(
                **{name: models.Subquery(Book.objects.filter(pk=models.OuterRef("book")).values("pk")[:1])}
            ),
            everything.filter(book=models.F(name)),
            everything.filter(book__id=models.F(name)),
        )
        for query in queries:
            assert list(query) == rows[:2], (name, str(query.query))
        has = models.Exists(Reference.objects.filter(**{name: models.OuterRef("pk")}))
        assert list(Book.objects.filter(has).order_by("pk")) == books[:2], name
        assert list(Book.objects.exclude(has)) == books[2:], name
        assert Book.objects.annotate(has=has).filter(has=True).count() == 2, name
        by_key = models.Exists(
            Reference.objects.filter(book=models.OuterRef("pk"), **{f"{name}__gte": models.OuterRef("pk")})
        )
        assert list(Book.objects.filter(by_key).order_by("pk")) == books[:2], name
        if BYTES:
            refused(lambda name=name: list(everything.filter(**{f"{name}__in": [models.F("book"), unknown]})))
            refused(
                lambda name=name: list(everything.filter(**{f"{name}__range": (models.F("book"), unknown)}))
            )
            refused(lambda name=name: list(everything.filter(book__in=Reference.objects.values(name))))
            refused(lambda name=name: list(everything.filter(**{f"{name}__in": Old.objects.values("pk")})))
            refused(
                lambda name=name: list(
                    Old.objects.filter(pk=models.Subquery(Reference.objects.values(name)[:1]))
                )
            )
        if BYTES and name == "text":
            refused(lambda: list(everything.filter(text__contains=models.F("book"))))
    assert everything.filter(book__in=two).count() == everything.filter(book__in=books[:2]).count() == 2
    Reference.objects.all().delete()
    Book.objects.all().delete()


def raw_parameters_are_noticed() -> None:
    """A uuid.UUID is a text for the drivers of MySQL and MariaDB, and an error for that of SQLite."""
    book = Book.objects.create()
    reference = Reference.objects.create(book=book, text=str(book.pk), native=book.pk)
    statements: list[Callable[[Any], Any]] = [
        lambda id: list(Book.objects.raw("SELECT id FROM shop_book WHERE id = %s", [id])),
        lambda id: list(Book.objects.raw("SELECT id FROM shop_book WHERE id = %(id)s", {"id": id})),
        lambda id: list(Book.objects.extra(where=["id = %s"], params=[id])),
        lambda id: list(
            Book.objects.extra(select={"same": "id = %s"}, select_params=[id]).filter(pk=book.pk)
        ),
        lambda id: list(Book.objects.annotate(same=models.expressions.RawSQL("id = %s", [id]))),
        lambda id: list(Reference.objects.raw("SELECT id FROM `shop_reference` WHERE book_id = %s", [id])),
        lambda id: executed("SELECT id FROM shop_book WHERE id = %s", [id]),
        lambda id: executed("DELETE FROM shop_book WHERE id = %s AND 1 = 0", [[id], [id]], many=True),
    ]
    for number, statement in enumerate(statements):
        if connection.vendor == "mysql":
            refused(lambda statement=statement: statement(book.pk), "pass idgen.to_bytes(id)")
        elif connection.vendor == "sqlite":
            try:
                statement(book.pk)
            except Exception as error:
                assert "not supported" in str(error), error
            else:
                raise AssertionError(f"statement {number}")
        if connection.vendor != "postgresql" and number not in (0, 1):
            statement(idgen.to_bytes(book.pk))
    if connection.vendor != "postgresql":
        assert list(
            Book.objects.raw("SELECT id FROM shop_book WHERE id = %s", [idgen.to_bytes(book.pk)])
        ) == [book]
    else:
        assert list(Book.objects.raw("SELECT id FROM shop_book WHERE id = %s", [book.pk])) == [book]
    if connection.vendor == "mysql":
        # Statements of Django itself pass uuid.UUID objects for MariaDB's own type, and others for texts.
        assert list(Reference.objects.filter(native=book.pk, book=book.pk)) == [reference]
        value = models.Value(book.pk, models.UUIDField())
        assert Reference.objects.annotate(given=value).get().given == book.pk
        reference.native = uuid.uuid4()
        reference.save()
        Reference.objects.bulk_update([reference], ["native"])
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s", [book.pk])
            assert cursor.fetchone() in ((str(book.pk),), (book.pk.bytes,))
        connection.close()
        refused(
            lambda: executed("SELECT id FROM shop_book WHERE id = %s", [book.pk]), "pass idgen.to_bytes(id)"
        )
    Reference.objects.all().delete()
    Book.objects.all().delete()


def executed(sql: str, params: Any, many: bool = False) -> Any:
    with connection.cursor() as cursor:
        if many:
            cursor.executemany(sql, params)
            return None
        cursor.execute(sql, params)
        return cursor.fetchall()


assert BinaryUUIDField
with tables():
    generic_relations_find_their_rows()
    subqueries_find_their_rows()
    raw_parameters_are_noticed()
print("all good")
