"""Model fields for Django. Needs Django.

::

    class Order(models.Model):
        id = BinaryUUIDField(primary_key=True, default=idgen.v7, editable=False)

``idgen.django.operations`` converts existing columns in a migration, and ``idgen.django.rest`` has a
serializer field for the REST framework.
"""

from __future__ import annotations

from django.db.backends.signals import connection_created
from django.db.models.signals import pre_migrate

from idgen.django import _across, _lookups, _mixed, _plan, _raw, _sql
from idgen.django._short_id import ShortIdField
from idgen.django._uuid import BinaryUUIDField

__all__ = ["BinaryUUIDField", "ShortIdField"]

# Migrations name the fields by this module.
for _field in (BinaryUUIDField, ShortIdField):
    _field.__module__ = __name__
_lookups.register(BinaryUUIDField)
_across.register()
_mixed.register()
_raw.register()
connection_created.connect(_sql.add_functions, dispatch_uid="idgen.django.sql")
connection_created.connect(_raw.watch, dispatch_uid="idgen.django.raw")
pre_migrate.connect(_plan.refuse_plain_alterations, dispatch_uid="idgen.django")
