"""Serializer fields for Django REST framework. Needs djangorestframework.

::

    class OrderSerializer(serializers.ModelSerializer):
        serializer_field_mapping = {**serializers.ModelSerializer.serializer_field_mapping, **field_mapping}

A BinaryUUIDField needs no field of its own: it is a UUIDField.
"""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from idgen import django

__all__ = ["ShortIdField", "field_mapping"]


class ShortIdField(serializers.IntegerField):  # type: ignore[misc, unused-ignore]
    """A 64-bit id as a JSON string: JavaScript rounds numbers above 2**53, which these ids are.

    It reads strings of digits, and numbers, which are as exact as the client wrote them.
    """

    default_error_messages = {
        "invalid": "A 64-bit id is a decimal number from 0 to 18446744073709551615, without a sign."
    }

    def to_representation(self, value: Any) -> str:
        return str(value)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, str) and re.fullmatch("[0-9]{1,20}", data):
            data = int(data)
        if type(data) is not int or not 0 <= data < 1 << 64:
            self.fail("invalid")
        return data  # type: ignore[no-any-return, unused-ignore]


#: For ``serializer_field_mapping``: a ShortIdField of a model gets the field above.
field_mapping = {django.ShortIdField: ShortIdField}
