"""Lets Django make the tables of its own applications, fills them, and prints what is in them.

The argument is the settings of a database as JSON. test_survey.py compares the answer with `idgen survey`.
"""

from __future__ import annotations

import json
import sys

import django
from django.conf import settings
from django.core.management import call_command

settings.configure(
    DATABASES={"default": json.loads(sys.argv[1])},
    INSTALLED_APPS=[
        *("django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions"),
        *("django.contrib.admin", "django.contrib.messages", "rest_framework", "rest_framework.authtoken"),
    ],
    SECRET_KEY="of a test",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.apps import apps  # noqa: E402
from django.contrib.auth.models import Group, Permission, User  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db import connection, models  # noqa: E402
from rest_framework.authtoken.models import Token  # noqa: E402

call_command("migrate", verbosity=0)
User.objects.bulk_create(User(username=f"user{number}", password="!") for number in range(150))
group = Group.objects.create(name="editors")
group.permissions.set(Permission.objects.all())
group.user_set.set(User.objects.all()[:100])
for user in User.objects.all()[:20]:
    Token.objects.create(user=user)
    SessionStore().save()


def bytes_of(table: str, column: str) -> int | None:
    """Bytes of an integer on a server: migrations made some keys wider than the models say."""
    if connection.vendor == "sqlite":
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT LOWER(data_type) FROM information_schema.columns "
            "WHERE table_name = %s AND column_name = %s AND table_schema IN ('public', %s)",
            [table, column, connection.settings_dict["NAME"]],
        )
        ((kind,),) = cursor.fetchall()
    return {"int": 4, "integer": 4, "bigint": 8}.get(kind)


def counted(model: type[models.Model]) -> dict[str, object]:
    """What the survey must say of the table of this model."""
    key = model._meta.pk
    references = [
        field
        for other in apps.get_models(include_auto_created=True)
        for field in other._meta.local_fields
        if field.is_relation and field.related_model is model
    ]
    integers = [
        field.column
        for field in model._meta.local_fields
        if field.is_relation and isinstance(field.target_field, (models.AutoField, models.BigAutoField))
    ]
    return {
        "rows": model._default_manager.count(),
        "key": key.column,
        "integer": isinstance(key, models.AutoField | models.BigAutoField),
        "bytes": bytes_of(model._meta.db_table, key.column),
        "references": len(references),
        "referring": sum(field.model._default_manager.count() for field in references),
        "foreign": sorted(integers),
    }


all_models = [model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy]
tables = {model._meta.db_table: counted(model) for model in all_models}
with connection.cursor() as cursor:
    cursor.execute("SELECT COUNT(*) FROM django_migrations")
    (rows,) = cursor.fetchone()
print(json.dumps({"tables": tables, "migrations": rows}))
