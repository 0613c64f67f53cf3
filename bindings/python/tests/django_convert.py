"""A project whose migrations convert columns of UUIDs, which test_django.py runs against each database."""

from __future__ import annotations

import io
import os
import pathlib
import sys
import tempfile
import uuid
from typing import Any

import django
import pymysql
from django.conf import settings

pymysql.version_info = (2, 2, 7, "final", 0)
pymysql.install_as_MySQLdb()

FIRST = """
from django.db import migrations, models

class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel("Tag", [("id", models.AutoField(primary_key=True))]),
        migrations.CreateModel("Order", [
            ("id", models.UUIDField(primary_key=True)),
            ("code", models.UUIDField(unique=True)),
            ("made", models.UUIDField(null=True)),
            ("text", models.CharField(max_length=36, unique=True)),
            ("parent", models.ForeignKey("self", models.CASCADE, null=True)),
            ("tags", models.ManyToManyField("Tag")),
        ]),
        migrations.CreateModel("Child", [
            ("order_ptr", models.OneToOneField(
                "Order", models.CASCADE, primary_key=True, parent_link=True, auto_created=True)),
        ], bases=("convert.order",)),
        migrations.CreateModel("Line", [
            ("id", models.AutoField(primary_key=True)),
            ("order", models.ForeignKey("Order", models.CASCADE)),
            ("child", models.ForeignKey("Child", models.CASCADE, null=True, related_name="+")),
            ("by_code", models.ForeignKey("Order", models.CASCADE, to_field="code", related_name="+")),
        ]),
    ]
"""
NEXT = """
from django.db import migrations, models
from idgen.django import BinaryUUIDField
from idgen.django.operations import AlterUUIDField

class Migration(migrations.Migration):
    dependencies = [("convert", {before!r})]
    operations = [{operations}]
"""
STEPS = {
    "0002_binary": """
        AlterUUIDField("order", "text", BinaryUUIDField(unique=True), batch=3),
        AlterUUIDField("order", "id", BinaryUUIDField(primary_key=True), batch=7),
        AlterUUIDField("order", "code", BinaryUUIDField(unique=True)),
    """,
    "0003_swapped": 'AlterUUIDField("order", "made", BinaryUUIDField(null=True, swapped=True))',
}
PLAIN = 'migrations.AlterField("order", "made", BinaryUUIDField(null=True, swapped=True))'
MODELS = """
from django.db import models
from idgen.django import BinaryUUIDField

class Tag(models.Model):
    id = models.AutoField(primary_key=True)

class Order(models.Model):
    id = BinaryUUIDField(primary_key=True)
    code = BinaryUUIDField(unique=True)
    made = BinaryUUIDField(null=True, swapped=True)
    text = BinaryUUIDField(unique=True)
    parent = models.ForeignKey("self", models.CASCADE, null=True)
    tags = models.ManyToManyField(Tag)

class Child(Order):
    pass

class Line(models.Model):
    id = models.AutoField(primary_key=True)
    order = models.ForeignKey(Order, models.CASCADE)
    child = models.ForeignKey(Child, models.CASCADE, null=True, related_name="+")
    by_code = models.ForeignKey(Order, models.CASCADE, to_field="code", related_name="+")
"""

folder = tempfile.TemporaryDirectory()
app = pathlib.Path(folder.name, "convert")
(app / "migrations").mkdir(parents=True)
(app / "__init__.py").touch()
(app / "models.py").write_text(MODELS)
(app / "migrations" / "__init__.py").touch()
(app / "migrations" / "0001_initial.py").write_text(FIRST)
before = "0001_initial"
for name, operations in STEPS.items():
    (app / "migrations" / f"{name}.py").write_text(NEXT.format(before=before, operations=operations))
    before = name
sys.path.insert(0, folder.name)
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
    INSTALLED_APPS=["convert"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

import idgen  # noqa: E402
from convert.models import Child, Line, Order, Tag  # type: ignore[import-not-found]  # noqa: E402
from django.core.management import CommandError, call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402


def migrate(target: str) -> None:
    call_command("migrate", "convert", target, verbosity=0)


def old_models() -> Any:
    """The models as the first migration has them."""
    loader = MigrationExecutor(connection).loader
    return loader.project_state(("convert", "0001_initial")).apps


def kinds() -> dict[str, str]:
    """The type of each column that holds UUIDs."""
    found = {}
    with connection.cursor() as cursor:
        for table in ("convert_order", "convert_child", "convert_line", "convert_order_tags"):
            for column in connection.introspection.get_table_description(cursor, table):
                if connection.vendor == "mysql":
                    cursor.execute(f"SHOW COLUMNS FROM {table} LIKE '{column.name}'")
                    kind = cursor.fetchone()[1]
                elif connection.vendor == "postgresql":
                    cursor.execute(f"SELECT pg_typeof({column.name})::text FROM {table} LIMIT 1")
                    kind = cursor.fetchone()[0]
                else:
                    kind = str(column.type_code)
                found[f"{table.removeprefix('convert_')}.{column.name}"] = kind
    return {name: kind.lower() for name, kind in found.items() if not kind.lower().startswith("int")}


def constraints() -> dict[str, Any]:
    """Keys, indexes and foreign keys of the tables, without their names."""
    found: dict[str, Any] = {}
    with connection.cursor() as cursor:
        for table in ("convert_order", "convert_child", "convert_line", "convert_order_tags"):
            all = connection.introspection.get_constraints(cursor, table)
            found[table] = sorted(
                (
                    str(one["columns"]),
                    one["primary_key"],
                    one["unique"],
                    str(one["foreign_key"]),
                )
                for one in all.values()
                # PostgreSQL has a second index for texts.
                if one["columns"] and (one["unique"] or one["foreign_key"] or one["primary_key"])
            )
    return found


def fill() -> list[tuple[Any, ...]]:
    apps = old_models()
    order, child, line = (apps.get_model("convert", name) for name in ("Order", "Child", "Line"))
    tag = apps.get_model("convert", "Tag").objects.create()
    rows = []
    for n in range(40):
        code, made = idgen.v4(), idgen.v1() if n % 3 else None
        text = str(idgen.v4()) if n % 2 else idgen.v4().hex.upper()
        one = order.objects.create(
            id=idgen.v4(), code=code, made=made, text=text, parent_id=rows[0][0] if n else None
        )
        one.tags.add(tag)
        if n % 4 == 0:
            child.objects.create(order_ptr=one, id=one.id, code=code, made=made, text=text, parent=one.parent)
        line.objects.create(order=one, child_id=one.id if n % 4 == 0 else None, by_code=one)
        rows.append((one.id, code, made, uuid.UUID(text), one.parent_id))
    return sorted(rows)


def kept() -> list[tuple[Any, ...]]:
    """The rows, as the current models read them; and every relation leads to its row."""
    rows = sorted(Order.objects.values_list("id", "code", "made", "text", "parent"))
    assert Line.objects.filter(order__in=Order.objects.all()).count() == len(rows)
    assert all(line.order == line.by_code for line in Line.objects.select_related("order", "by_code"))
    assert Child.objects.count() == Line.objects.exclude(child=None).count() == 10
    assert all(line.child.pk == line.order_id for line in Line.objects.exclude(child=None))
    assert Tag.objects.get().order_set.count() == len(rows)
    assert Order.objects.filter(made__isnull=True).count() == 14
    some = rows[5]
    assert Order.objects.get(id=some[0], code=some[1], text=some[3]).parent_id == some[4]
    return rows


def bad_values_are_refused_before_anything_changes() -> None:
    order = old_models().get_model("convert", "Order")
    first, second = order.objects.order_by("pk")[:2]
    old, before = second.text, kinds()
    for wrong, says in (
        ("no uuid at all", "no uuid at all"),
        ("0" * 31 + "g", "are no UUIDs"),
        # Another text of the first row's UUID.
        (uuid.UUID(first.text).hex if "-" in first.text else str(uuid.UUID(first.text)), "same UUID"),
    ):
        order.objects.filter(pk=second.pk).update(text=wrong)
        try:
            migrate("0002_binary")
        except ValueError as error:
            assert says in str(error) and "convert_order.text" in str(error), error
        else:
            raise AssertionError(f"{wrong} was converted")
        assert kinds() == before
    order.objects.filter(pk=second.pk).update(text=old)


def a_plain_alteration_is_refused() -> None:
    path = app / "migrations" / "0003_swapped.py"
    right = path.read_text()
    path.write_text(NEXT.format(before="0002_binary", operations=PLAIN))
    sys.modules.pop("convert.migrations.0003_swapped", None)
    before = kinds()
    try:
        migrate("0003_swapped")
    except CommandError as error:
        assert "AlterUUIDField" in str(error) and "made of order" in str(error), error
    else:
        raise AssertionError("the values would be lost")
    finally:
        path.write_text(right)
        sys.modules.pop("convert.migrations.0003_swapped", None)
    assert kinds() == before


def check_warns_of_a_column_of_text() -> None:
    out = io.StringIO()
    call_command("check", databases=["default"], stdout=io.StringIO(), stderr=out)
    found = out.getvalue()
    assert ("idgen.W001" in found) == (connection.vendor != "postgresql"), found


def an_interrupted_conversion_can_be_repeated() -> None:
    from idgen import _convert

    before, steps, calls = kinds(), (_convert._Mysql, _convert._Postgres, _convert._Sqlite), []
    kept = [(kind, kind.convert) for kind in steps]

    def interrupted(convert: Any) -> Any:
        def run(self: Any, column: Any) -> None:
            calls.append(column.title)
            if len(calls) == 4:
                if connection.vendor == "mysql":
                    # Half of the values are converted, and the column has its type of the meantime.
                    self.modify(column, "VARBINARY(36)")
                    half = f"LENGTH({column.name}) > 16 ORDER BY {column.name} LIMIT 20"
                    change = (
                        f"UPDATE {column.table} SET {column.name} = UNHEX(REPLACE({column.name}, '-', ''))"
                    )
                    self.session.execute(f"{change} WHERE {half}")
                raise InterruptedError
            convert(self, column)

        return run

    for kind, convert in kept:
        kind.convert = interrupted(convert)  # type: ignore[method-assign]
    try:
        migrate("0002_binary")
    except InterruptedError:
        assert (kinds() == before) == (connection.vendor != "mysql")
    else:
        # On PostgreSQL, Django's own statements convert texts.
        assert connection.vendor == "postgresql"
        migrate("0001_initial")
    finally:
        for kind, convert in kept:
            kind.convert = convert  # type: ignore[method-assign]


def main() -> None:
    migrate("0001_initial")
    rows = fill()
    before, kept_constraints = kinds(), constraints()
    check_warns_of_a_column_of_text()
    bad_values_are_refused_before_anything_changes()
    an_interrupted_conversion_can_be_repeated()
    migrate("0002_binary")
    middle = kinds()
    a_plain_alteration_is_refused()
    migrate("0003_swapped")
    call_command("check", databases=["default"], fail_level="WARNING", stdout=io.StringIO())
    assert kept() == rows
    after = kinds()
    expected = {"mysql": {"binary(16)"}, "postgresql": {"uuid", "bytea"}, "sqlite": {"blob"}}
    assert set(after.values()) == expected[connection.vendor], after
    assert constraints() == kept_constraints, (constraints(), kept_constraints)
    migrate("0002_binary")
    assert kinds() == middle
    migrate("0001_initial")
    assert kinds() == before, (kinds(), before)
    assert constraints() == kept_constraints
    order = old_models().get_model("convert", "Order")
    back = sorted(order.objects.values_list("id", "code", "made", "text", "parent"))
    assert [(*row[:3], uuid.UUID(row[3]), row[4]) for row in back] == rows
    assert all(row[3] == str(uuid.UUID(row[3])) for row in back)
    migrate("0003_swapped")
    assert kept() == rows
    migrate("zero")


try:
    main()
finally:
    connection.close()
    folder.cleanup()
print("all good")
