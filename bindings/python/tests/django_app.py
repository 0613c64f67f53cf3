"""A Django project in one file, which test_django.py runs against each database."""

from __future__ import annotations

import json
import os
import sys
import types
import urllib.parse
import uuid

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
from django import forms  # noqa: E402
from django.core import serializers  # noqa: E402
from django.core.exceptions import FieldError, ValidationError  # noqa: E402
from django.db import NotSupportedError, connection, models, transaction  # noqa: E402
from django.db.migrations.writer import MigrationWriter  # noqa: E402
from idgen.django import BinaryUUIDField, ShortIdField  # noqa: E402
from idgen.mysql import NotInTransactionError, UuidMap  # noqa: E402


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


def there_and_back() -> None:
    orders = [Order.objects.create() for _ in range(20)]
    Order.objects.bulk_create(Order() for _ in range(20))
    assert Order.objects.count() == 40
    for order in orders:
        for name in ("id", "made", "short", "native"):
            value = getattr(order, name)
            assert type(value) is (int if name == "short" else uuid.UUID)
            found = Order.objects.get(**{name: value})
            assert getattr(found, name) == value and type(getattr(found, name)) is type(value)
            assert Order.objects.get(**{name: str(value)}) == order, "texts are taken, too"
    assert orders[0].id.version == 7 and orders[0].made.version == 1
    assert list(Order.objects.order_by("id")[:20]) == orders == sorted(orders, key=lambda order: order.id)
    assert Order.objects.filter(id__in=[order.id for order in orders[:5]]).count() == 5
    assert Order.objects.filter(nothing__isnull=True).count() == 40
    assert Order.objects.exclude(id=orders[0].id).count() == 39
    assert list(Order.objects.order_by("id").values_list("id", flat=True)[:1]) == [orders[0].id]
    line = Line.objects.create(order=orders[3], by_short=orders[4])
    assert (
        Line.objects.select_related("order").get(order__made=orders[3].made).by_short == orders[4] and line.pk
    )
    Order.objects.filter(id=orders[0].id).update(nothing=orders[1].id)
    assert Order.objects.get(nothing=orders[1].id) == orders[0]
    text = serializers.serialize("json", [orders[2]])
    (back,) = serializers.deserialize("json", text)
    assert back.object == orders[2] and back.object.made == orders[2].made


def stored() -> None:
    if connection.vendor == "sqlite":
        return
    order = Order.objects.create()
    if connection.vendor == "postgresql":
        stored_on_postgres(order)
    else:
        stored_on_mysql(order)
    big = Order.objects.create(short=(1 << 64) - 1)
    assert Order.objects.get(pk=big.pk).short == (1 << 64) - 1
    most = (1 << 64) - 1
    for condition in ({"short": most}, {"short__gte": most}, {"short__gt": 1 << 63}, {"short__in": [most]}):
        assert list(Order.objects.filter(**condition)) == [big], condition
    assert Order.objects.filter(short__lt=1 << 63).count() == Order.objects.count() - 1
    assert Order.objects.filter(short__lte=most).count() == Order.objects.count()
    assert Order.objects.filter(short=-1).count() == 0
    line = Line.objects.create(order=order, by_short=big)
    assert Line.objects.get(by_short=big) == line and line.by_short_id == most
    big.full_clean()
    try:
        Order(short=1 << 64).full_clean()
    except ValidationError as error:
        assert "short" in error.message_dict, error
    else:
        raise AssertionError("an id of 65 bits is valid")


def stored_on_postgres(order: Order) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, encode(made, 'hex'), short, pg_typeof(id)::text, pg_typeof(made)::text, "
            "pg_typeof(short)::text FROM shop_order WHERE short = %s",
            [order.short],
        )
        assert cursor.fetchone() == (
            order.id,
            idgen.to_swapped(order.made).hex(),
            order.short,
            "uuid",
            "bytea",
            "numeric",
        )


def stored_on_mysql(order: Order) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT HEX(id), HEX(made), short FROM shop_order WHERE short = %s", [order.short])
        assert cursor.fetchone() == (
            order.id.hex.upper(),
            idgen.to_swapped(order.made).hex().upper(),
            order.short,
        )
        cursor.execute("SHOW COLUMNS FROM shop_order")
        types = {name: kind.replace("(20)", "") for name, kind, *_ in cursor.fetchall()}
        assert types["id"] == types["made"] == "binary(16)" and types["short"] == "bigint unsigned", types


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


def ids_out_of_range_are_refused() -> None:
    beyond = (1 << 63,) if connection.vendor == "sqlite" else ()
    row = Order.objects.create()
    for wrong in (-1, 1 << 64, 1 << 80, *beyond):
        for save in (
            lambda wrong=wrong: Order.objects.create(short=wrong),
            lambda wrong=wrong: Order.objects.bulk_create([Order(short=wrong)]),
            lambda wrong=wrong: Order.objects.filter(pk=row.pk).update(short=wrong),
        ):
            try:
                save()
            except ValueError as error:
                assert str(wrong) in str(error), error
            else:
                raise AssertionError(wrong)
        assert not Order.objects.filter(short=-1).exists()
    assert Order.objects.filter(short__gt=-1, pk=row.pk).exists()
    Order.objects.filter(pk=row.pk).update(short=models.F("short") + 1)
    assert Order.objects.get(pk=row.pk).short == row.short + 1
    row.delete()


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


def json_has_texts_for_large_numbers() -> None:
    from django.core.serializers.json import DjangoJSONEncoder
    from django.http import JsonResponse
    from idgen.django.rest import ShortIdField as TextField
    from idgen.django.rest import field_mapping
    from rest_framework import serializers as rest

    class Plain(rest.ModelSerializer):
        class Meta:
            model = Order
            fields = ["id", "short"]

    class Texts(rest.ModelSerializer):
        serializer_field_mapping = {**rest.ModelSerializer.serializer_field_mapping, **field_mapping}

        class Meta:
            model = Order
            fields = ["id", "made", "short"]

    order = Order.objects.create()
    assert order.short > 1 << 53
    data = Texts(order).data
    assert data == {"id": str(order.id), "made": str(order.made), "short": str(order.short)}, data
    # Without the mapping it is a number, which JavaScript rounds.
    assert Plain(order).data == {"id": str(order.id), "short": order.short}
    assert isinstance(Texts().fields["short"], TextField)
    assert isinstance(Texts().fields["made"], rest.UUIDField)
    field = TextField()
    assert field.to_internal_value(str(order.short)) == field.to_internal_value(order.short) == order.short
    for wrong in ("", "5.0", "-1", -1, 1 << 64, 5.0, True, None, "9" * 5000, "1_000", " 5", "٥"):
        try:
            field.to_internal_value(wrong)
        except rest.ValidationError:
            pass
        else:
            raise AssertionError(wrong)
    # Django's own encoder writes a number.
    assert json.loads(JsonResponse({"id": order.id, "short": order.short}).content)["short"] == order.short
    assert json.loads(json.dumps([order.id], cls=DjangoJSONEncoder)) == [str(order.id)]


def forms_and_validation() -> None:
    class Form(forms.ModelForm):
        class Meta:
            model = Order
            fields = ["nothing", "made"]

    id = idgen.v7()
    form = Form({"nothing": str(id), "made": str(idgen.v1())})
    assert form.is_valid() and form.cleaned_data["nothing"] == id, form.errors
    assert not Form({"nothing": "nonsense", "made": str(id)}).is_valid()
    field = BinaryUUIDField()
    assert field.to_python(id) is id and field.to_python(f" {id} ") == field.to_python(id.int) == id
    assert field.to_python(id.bytes) == field.to_python(f"URN:UUID:{{{id.hex.upper()}}}") == id
    # Other formats are refused, as UUIDField does; 16 bytes of text are no UUID.
    other = (
        "42",
        idgen.to_base64(id),
        idgen.to_base32(id),
        str(id.int),
        b"0123456789abcdef",
        f"+{id.hex[1:]}",
    )
    for wrong in ("nonsense", b"short", 1.5, -1, [], 1 << 128, *other):
        try:
            field.to_python(wrong)
        except ValidationError as error:
            assert error.code == "invalid"
        else:
            raise AssertionError(wrong)


def migrations() -> None:
    text, imports = MigrationWriter.serialize(Order._meta.get_field("id"))
    assert (
        text
        == "idgen.django.BinaryUUIDField(default=idgen.v7, editable=False, primary_key=True, serialize=False)"
    ), text
    assert {"import idgen", "import idgen.django"} <= imports
    assert "swapped=True" in MigrationWriter.serialize(Order._meta.get_field("made"))[0]


def claims_in_transactions() -> None:
    """The map of UUIDs to integers, in the transaction of Django's connection."""
    if connection.vendor != "mysql":
        return
    settings = connection.settings_dict
    user, password = (urllib.parse.quote(settings[name], safe="") for name in ("USER", "PASSWORD"))
    ids = UuidMap(f"mysql://{user}:{password}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}")
    ids.install()
    try:
        order, undone = idgen.v7(), idgen.v7()
        with transaction.atomic():
            made = ids.id_of_within(connection, order)
            assert ids.ids_of_within(connection, [order, order]) == [made, made]
            assert ids.find(order) is None
        assert ids.find(order) == made
        try:
            with transaction.atomic():
                ids.id_of_within(connection, undone)
                raise InterruptedError
        except InterruptedError:
            assert ids.find(undone) is None
        try:
            ids.id_of_within(connection, undone)
        except NotInTransactionError:
            assert ids.find(undone) is None
        else:
            raise AssertionError("there is no transaction outside atomic()")
    finally:
        ids.close()
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE uuid_map, uuid_map_state, uuid_map_sync")


with connection.schema_editor() as editor:
    editor.create_model(Order)
    editor.create_model(Line)
    editor.create_model(Pair)
try:
    there_and_back()
    stored()
    lookups_are_those_of_uuidfield()
    expressions_convert_values()
    ids_out_of_range_are_refused()
    prefetched()
    texts_in_the_column_are_errors()
    json_has_texts_for_large_numbers()
    forms_and_validation()
    migrations()
    claims_in_transactions()
finally:
    connection.disable_constraint_checking()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE shop_line")
        cursor.execute("DROP TABLE shop_pair")
        cursor.execute("DROP TABLE shop_order")
    connection.close()
print("all good")
