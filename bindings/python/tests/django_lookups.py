"""Lookups and expressions of BinaryUUIDField, which test_django.py runs against each database."""

from __future__ import annotations

import uuid

import idgen
from django.core.exceptions import FieldError
from django.db import NotSupportedError, connection, models
from django_models import Line, Order, Pair, tables  # first, because it configures Django
from idgen.django import BinaryUUIDField


def lookups_are_those_of_uuidfield() -> None:
    """Each lookup finds the same rows as on a UUIDField with the same values, in both layouts."""
    ids = [idgen.v1(), idgen.v1(), uuid.UUID("550e8400-e29b-41d4-a716-446655440000")]
    Pair.objects.bulk_create(Pair(binary=id, swapped=id, native=id, text=id.hex) for id in ids)
    Pair.objects.create()
    one = ids[2]
    tried = 0
    for name in (
        *("exact", "iexact", "contains", "icontains", "startswith", "istartswith", "endswith", "iendswith"),
        *("regex", "iregex", "in", "gte", "lt"),
    ):
        for value in (
            str(one),
            one.hex,
            str(one).upper(),
            "8400-e29b",
            "8400E29B",
            "550e84",
            "440000",
            "%",
            "_",
        ):
            fragment = len(value) < 32
            if name in ("exact", "in", "gte", "lt") and fragment:
                continue
            given = [value] if name == "in" else value
            found = [
                # A native column has hyphens, and 16 bytes have none: both match text in their way.
                set(Pair.objects.filter(**{f"{field}__{name}": given}).values_list("pk", flat=True))
                for field in ("native", "binary", "swapped")
            ]
            native = connection.features.has_native_uuid_field
            if native and connection.vendor == "postgresql":
                assert found[0] == found[1], (name, value, found)
            if not native:
                assert found[0] == found[1], (name, value, found)
            if name not in ("gte", "lt"):
                # In the order of time, other ids are smaller.
                assert found[1] == found[2] or connection.vendor == "postgresql", (name, value, found)
                every = set(Pair.objects.exclude(binary=None).values_list("pk", flat=True))
                without = Pair.objects.exclude(binary=None).exclude(**{f"binary__{name}": given})
                assert set(without.values_list("pk", flat=True)) == every - found[1], (name, value)
            tried += 1
    assert tried == 9 * 9 + 3 * 4
    for name, fragment in (
        ("contains", "8400-e29b"),
        ("startswith", "550e8400-"),
        ("endswith", "-446655440000"),
    ):
        for field in ("binary", "swapped", "native"):
            assert Pair.objects.get(**{f"{field}__{name}": fragment}).native == one, (field, name)


def expressions_convert_values() -> None:
    """Django takes a UUID in an expression, and a column of UUIDField, for 32 characters."""
    one, two = Pair.objects.exclude(binary=None).order_by("native")[:2]
    by_native = models.F("native")
    both = Pair.objects.exclude(binary=None)
    for query in (
        both.filter(binary=by_native),
        both.filter(binary__gte=by_native),
        both.filter(binary__in=[by_native]),
        both.filter(binary__range=(by_native, by_native)),
        both.filter(binary__lte=by_native),
    ):
        assert query.count() == 3, query.query
    value = models.Value(one.binary)
    for query in (
        Pair.objects.filter(binary=value),
        Pair.objects.filter(binary__in=[value, two.binary.hex]).exclude(binary=models.Value(two.binary)),
        Pair.objects.filter(swapped=value),
        Pair.objects.filter(binary=models.Subquery(Pair.objects.filter(pk=one.pk).values("native")[:1])),
        Pair.objects.filter(binary__in=Pair.objects.filter(pk=one.pk).values("binary")),
        Pair.objects.filter(models.Q(binary=one.binary) & ~models.Q(binary=two.binary)),
        Pair.objects.filter(
            models.Exists(Pair.objects.filter(pk=one.pk, binary=models.OuterRef("binary"))),
        ),
    ):
        assert list(query) == [one], query.query
    if connection.vendor != "postgresql":
        assert list(
            Pair.objects.filter(binary=models.functions.Concat("text", models.Value("")), pk=one.pk)
        ) == [one]
        for refused in ({"binary__in": Pair.objects.values("native")}, {"swapped": by_native}):
            try:
                list(Pair.objects.filter(**refused))
            except FieldError as error:
                assert "stores UUIDs as" in str(error)
            else:
                raise AssertionError(f"{refused} finds nothing")
        try:
            list(Pair.objects.annotate(cast=models.functions.Cast("text", BinaryUUIDField())))
        except NotSupportedError as error:
            assert "Cast" in str(error)
        else:
            raise AssertionError("the first 16 bytes of a text")
    id = idgen.v4()
    Pair.objects.filter(pk=two.pk).update(native=id)
    Pair.objects.filter(pk=two.pk).update(binary=by_native)
    assert Pair.objects.get(pk=two.pk).binary == id
    Pair.objects.filter(pk=one.pk).update(
        binary=models.Value(id), swapped=models.Value(id, BinaryUUIDField(swapped=True))
    )
    assert Pair.objects.get(pk=one.pk).binary == Pair.objects.get(pk=one.pk).swapped == id
    Pair.objects.filter(pk=two.pk).update(
        binary=models.Case(models.When(pk=two.pk, then=models.Value(one.binary)), default=models.F("native"))
    )
    assert Pair.objects.get(pk=two.pk).binary == one.binary
    given = models.Value(id, BinaryUUIDField())
    annotated = Pair.objects.annotate(first=models.functions.Coalesce("binary", given)).order_by("first")
    assert {row.first for row in annotated if row.pk not in (one.pk, two.pk)} >= {id}
    one.binary = two.binary = idgen.v7()
    Pair.objects.bulk_update([one, two], ["binary"])
    assert Pair.objects.filter(binary=one.binary).count() == 2
    made, new = Pair.objects.get_or_create(swapped=(other := idgen.v1()))
    assert new and Pair.objects.get_or_create(swapped=other) == (made, False)
    assert (
        Pair.objects.filter(binary=one.binary).values("binary").annotate(n=models.Count("pk")).get()["n"] == 2
    )
    assert Pair.objects.in_bulk([one.pk])[one.pk] == one


def prefetched() -> None:
    order = Order.objects.create()
    lines = [Line.objects.create(order=order) for _ in range(3)]
    (found,) = Order.objects.filter(pk=order.pk).prefetch_related(
        models.Prefetch("line_set", Line.objects.order_by("pk"), to_attr="found")
    )
    assert found.found == lines  # type: ignore[attr-defined]
    assert Line.objects.filter(order__id__startswith=str(order.id)[:20]).count() == 3


def texts_in_the_column_are_errors() -> None:
    """As an AlterField without a conversion leaves them."""
    if connection.vendor == "postgresql":
        return
    wrong = uuid.uuid4().hex[: 16 if connection.vendor == "mysql" else 32]
    row = Pair.objects.create()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE shop_pair SET `binary` = %s WHERE id = %s", [wrong, row.pk])
    try:
        Pair.objects.get(pk=row.pk)
    except ValueError as error:
        assert "convert the column" in str(error) and "shop.Pair.binary" in str(error), error
    else:
        raise AssertionError("the characters of a text are not a UUID")
    Pair.objects.all().delete()


with tables():
    lookups_are_those_of_uuidfield()
    expressions_convert_values()
    prefetched()
    texts_in_the_column_are_errors()
print("all good")
