"""A Django project in one file, which test_django.py runs against each database."""

from __future__ import annotations

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
from django.core.exceptions import ValidationError  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
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
    for wrong in ("nonsense", b"short", 1.5, -1, [], 1 << 128):
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
try:
    there_and_back()
    stored()
    forms_and_validation()
    migrations()
    claims_in_transactions()
finally:
    connection.disable_constraint_checking()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE shop_line")
        cursor.execute("DROP TABLE shop_order")
    connection.close()
print("all good")
