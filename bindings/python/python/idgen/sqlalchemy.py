"""Column types for SQLAlchemy. Needs SQLAlchemy 2.

Their values are ``uuid.UUID`` objects (or ``int``, for short ids). A function of idgen can be the default
of a column::

    id: Mapped[UUID] = mapped_column(BinaryUUID, primary_key=True, default=idgen.v7)
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlalchemy import types
from sqlalchemy.dialects import mysql, postgresql

from idgen import _idgen

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

__all__ = ["Base64UUID", "BinaryUUID", "ShortId", "SwappedUUID"]

_MYSQL = ("mysql", "mariadb")


class BinaryUUID(types.TypeDecorator[uuid.UUID]):
    """A UUID in 16 bytes: ``BINARY(16)`` on MySQL and MariaDB, ``BYTEA`` on PostgreSQL, ``BLOB`` on SQLite.

    For all kinds except version 1, for which SwappedUUID is better.
    """

    impl = types.LargeBinary
    cache_ok = True

    _encode: Callable[[Any], bytes] = staticmethod(_idgen.to_bytes)
    _decode: Callable[[bytes], uuid.UUID] = staticmethod(_idgen.from_bytes)

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.BINARY(16))
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.BYTEA())
        return dialect.type_descriptor(types.LargeBinary(16))

    @property
    def python_type(self) -> type[uuid.UUID]:
        return uuid.UUID

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return None if value is None else self._encode(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> uuid.UUID | None:
        return None if value is None else self._decode(bytes(value))

    def literal_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        def process(value: Any) -> str:
            digits = self._encode(value).hex()
            return f"'\\x{digits}'::bytea" if dialect.name == "postgresql" else f"X'{digits}'"

        return process


class SwappedUUID(BinaryUUID):
    """A version 1 UUID in the 16 bytes of MySQL's ``UUID_TO_BIN(id, 1)``: ids sort by time.

    Read them in SQL with ``BIN_TO_UUID(id, 1)``.
    """

    cache_ok = True

    _encode = staticmethod(_idgen.to_swapped)
    _decode = staticmethod(_idgen.from_swapped)


class Base64UUID(types.TypeDecorator[uuid.UUID]):
    """A UUID in 22 characters of base64, in a case-sensitive column.

    ``CHAR(22) CHARACTER SET ascii COLLATE ascii_bin`` on MySQL and MariaDB: in a case-insensitive
    collation different ids would be equal.
    """

    impl = types.CHAR
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        if dialect.name in _MYSQL:
            return dialect.type_descriptor(mysql.CHAR(22, charset="ascii", collation="ascii_bin"))
        return dialect.type_descriptor(types.CHAR(22))

    @property
    def python_type(self) -> type[uuid.UUID]:
        return uuid.UUID

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else _idgen.to_base64(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> uuid.UUID | None:
        return None if value is None else _idgen.from_base64(value)

    def process_literal_param(self, value: Any, dialect: Dialect) -> str:
        return _idgen.to_base64(value)


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
        if not isinstance(value, int):
            raise TypeError(f"a short id is an int, not {type(value).__name__}")
        limit = 1 << (63 if dialect.name == "sqlite" else 64)
        if not 0 <= value < limit:
            raise ValueError(f"this database cannot store the short id {value}: it must be below {limit}")
        return value

    def process_result_value(self, value: Any, dialect: Dialect) -> int | None:
        return None if value is None else int(value)
