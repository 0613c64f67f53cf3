from __future__ import annotations

import idgen
from django.db import models
from django.db.models import lookups
from idgen.django import BinaryUUIDField, ShortIdField


class Shop(models.Model):
    """A model without a field of idgen."""

    name = models.CharField(max_length=40)
    notes = models.TextField()
    key = models.UUIDField()


class Item(models.Model):
    shop = models.ForeignKey(Shop, on_delete=models.CASCADE)
    by_binary = models.ForeignKey("Order", on_delete=models.CASCADE)
    by_short = models.OneToOneField("Order", on_delete=models.CASCADE, to_field="short", related_name="+")


class Order(models.Model):
    id = BinaryUUIDField(primary_key=True, default=idgen.v7)
    made = BinaryUUIDField(default=idgen.v1, swapped=True)
    short = ShortIdField(default=idgen.short, unique=True)


class Exact(lookups.Exact):  # type: ignore[type-arg]
    """A lookup of the application, with the name of Django's."""

    lookup_name = "is"
