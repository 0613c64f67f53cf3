"""What the fields store and show, which test_django.py runs against each database."""

from __future__ import annotations

import json
import urllib.parse
import uuid

import idgen
from django import forms
from django.core import serializers
from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.db.migrations.writer import MigrationWriter
from django_models import Line, Order, tables  # first, because it configures Django
from idgen.django import BinaryUUIDField
from idgen.mysql import NotInTransactionError, UuidMap


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


class OrderId(idgen.Typed, prefix="order"):
    pass


def typed_ids() -> None:
    """Fields store the bytes of an id of a type, and return a UUID that is equal to it."""
    id = OrderId.new()
    # Django gives the object of its own field to the driver, and that of MariaDB writes its text.
    order = Order.objects.create(id=id, native=id.id, nothing=id)
    found = Order.objects.get(pk=id)
    assert (found.id, found.native, found.nothing) == (id, id, id) and type(found.id) is uuid.UUID
    assert OrderId(found.id) == id and str(OrderId(found.pk)) == str(id)
    assert list(Order.objects.filter(native=id.id, nothing__in=[id])) == [order]
    assert not Order.objects.filter(pk=OrderId.new()).exists()
    order.delete()


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


with tables():
    there_and_back()
    stored()
    typed_ids()
    ids_out_of_range_are_refused()
    json_has_texts_for_large_numbers()
    forms_and_validation()
    migrations()
    claims_in_transactions()
print("all good")
