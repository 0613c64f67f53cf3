"""Column types for SQLAlchemy. Needs SQLAlchemy 2.

Their values are ``uuid.UUID`` objects (or ``int``, for short ids). A function of idgen can be the default
of a column::

    id: Mapped[UUID] = mapped_column(BinaryUUID, primary_key=True, default=idgen.v7)
"""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlalchemy import types
from sqlalchemy.dialects import mysql, postgresql

from idgen import _idgen, _texts

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

    from idgen import Typed

__all__ = ["Base64UUID", "BinaryUUID", "ShortId", "SwappedUUID", "TypedUUID"]

_MYSQL = ("mysql", "mariadb")
_SHORT_IDS = 1 << 64


class _UUID(types.TypeDecorator[uuid.UUID]):
    """What the types of UUIDs have in common with sqlalchemy.Uuid."""

    cache_ok = True

    def __init__(self, as_uuid: bool = True) -> None:
        """as_uuid: return uuid.UUID objects; False: texts of 36 characters."""
        super().__init__()
        self.as_uuid = as_uuid

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        raise NotImplementedError

    @property
    def python_type(self) -> type[Any]:
        return uuid.UUID if self.as_uuid else str

    def _encode(self, value: uuid.UUID) -> Any:
        raise NotImplementedError

    def _decode(self, value: Any) -> uuid.UUID:
        raise NotImplementedError

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else self._encode(_texts.read_uuid(value))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if value is None:
            return None
        id = self._decode(value)
        return id if self.as_uuid else str(id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.as_uuid else 'as_uuid=False'})"


class BinaryUUID(_UUID):
    """A UUID in 16 bytes: ``BINARY(16)`` on MySQL and MariaDB, ``BYTEA`` on PostgreSQL, ``BLOB`` on SQLite.

    For all kinds except version 1, for which SwappedUUID is better. As in sqlalchemy.Uuid, ``as_uuid=False``
    returns texts. Values may be uuid.UUID objects, texts of UUIDs, or 16 bytes.
    """

    impl = types.LargeBinary
    cache_ok = True
    _swapped = False

    @property
    def _idgen_form(self) -> str:
        return "swapped" if self._swapped else "bytes"

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.BINARY(16))
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.BYTEA())
        return dialect.type_descriptor(types.LargeBinary(16))

    def _encode(self, value: uuid.UUID) -> bytes:
        return _idgen.to_swapped(value) if self._swapped else _idgen.to_bytes(value)

    def _decode(self, value: Any) -> uuid.UUID:
        return _texts.read_stored(value, self._swapped, f"a column of {type(self).__name__}")

    def literal_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        def process(value: Any) -> str:
            digits = self._encode(_texts.read_uuid(value)).hex()
            return f"'\\x{digits}'::bytea" if dialect.name == "postgresql" else f"X'{digits}'"

        return process


class SwappedUUID(BinaryUUID):
    """A version 1 UUID in the 16 bytes of MySQL's ``UUID_TO_BIN(id, 1)``: ids sort by time.

    Read them in SQL with ``BIN_TO_UUID(id, 1)``.
    """

    cache_ok = True
    _swapped = True


class TypedUUID(BinaryUUID):
    """An id of one type, stored as the 16 bytes of BinaryUUID.

    ``type`` is a class that is derived from idgen.Typed, of which the values are. Texts are its TypeIDs::

        id: Mapped[UserId] = mapped_column(TypedUUID(UserId), primary_key=True, default=UserId.new)
    """

    cache_ok = True

    def __init__(self, type: type[Typed]) -> None:
        super().__init__()
        self.type = type

    @property
    def python_type(self) -> type[Any]:
        return self.type

    def _encode(self, value: Any) -> bytes:
        return self.type(value).bytes

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else self._encode(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else self.type(self._decode(value))

    def literal_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        process = super().literal_processor(dialect)
        return lambda value: process(self.type(value))

    def __repr__(self) -> str:
        return f"TypedUUID({self.type.__name__})"


class Base64UUID(_UUID):
    """A UUID in 22 characters of base64, in a case-sensitive column.

    ``CHAR(22) CHARACTER SET ascii COLLATE ascii_bin`` on MySQL and MariaDB: in a case-insensitive
    collation different ids would be equal. ``VARCHAR(22)`` on PostgreSQL, ``CHAR(22)`` on SQLite.
    """

    impl = types.CHAR
    cache_ok = True
    _idgen_form = "base64"

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.CHAR(22, charset="ascii", collation="ascii_bin"))
        if dialect.name == "postgresql":
            # Its char is padded, and psycopg would make a CHAR a VARCHAR, but other drivers would not.
            return dialect.type_descriptor(types.VARCHAR(22))
        return dialect.type_descriptor(types.CHAR(22))

    def _encode(self, value: uuid.UUID) -> str:
        return _idgen.to_base64(value)

    def _decode(self, value: Any) -> uuid.UUID:
        return _idgen.from_base64(value)

    def process_literal_param(self, value: Any, dialect: Dialect) -> str:
        return self._encode(_texts.read_uuid(value))


class ShortId(types.TypeDecorator[int]):
    """A 64-bit id: ``BIGINT UNSIGNED`` on MySQL and MariaDB, ``NUMERIC(20)`` on PostgreSQL.

    SQLite's integers have a sign, so ids of 2**63 and more, which device ids reach in 2038, are refused.
    """

    impl = types.BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.BIGINT(unsigned=True))
        if dialect.name == "postgresql":
            return dialect.type_descriptor(types.NUMERIC(20, 0))
        return dialect.type_descriptor(types.BigInteger())

    @property
    def python_type(self) -> type[int]:
        return int

    def process_bind_param(self, value: Any, dialect: Dialect) -> int | None:
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"a short id is an int, not {type(value).__name__}")
        if not 0 <= value < _SHORT_IDS:
            raise ValueError(f"{value} is not a short id: these are 0 to {_SHORT_IDS - 1}")
        if dialect.name == "sqlite" and value >= _SHORT_IDS >> 1:
            raise ValueError(
                f"SQLite cannot store the short id {value}, because its integers have a sign: use a text"
            )
        return value

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        # A column may be compared with other numbers, which need not be ids, as a BigInteger column.
        number = isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)
        if not number or (isinstance(value, int) and 0 <= value < _SHORT_IDS):
            return self
        return self.impl_instance.coerce_compared_value(op, value)

    def process_result_value(self, value: Any, dialect: Dialect) -> int | None:
        return None if value is None else int(value)


# They teach SQLAlchemy to compare and mix the types of this module.
from idgen import _compared as _compared  # noqa: E402
from idgen import _mixed as _mixed  # noqa: E402
