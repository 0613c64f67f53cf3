"""Ids with a type: classes whose text is a TypeID, and whose value is a uuid.UUID."""

from __future__ import annotations

import re
from uuid import UUID

from idgen import _idgen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from typing_extensions import Self

_PREFIX = re.compile("(?:[a-z](?:[a-z_]{0,61}[a-z])?)?", re.ASCII)
_NO_DIGIT = re.compile("[^0-9a-hjkmnp-tv-z]")


def to_typed(prefix: str, id: UUID | str | bytes, /) -> str:
    """Writes an id as a TypeID: the prefix, an underscore and 26 characters; without a prefix only these.

    >>> idgen.to_typed("user", "01890a5d-ac96-774b-bcce-b302099a8057")
    'user_01h455vb4pex5vsknk084sn02q'
    """
    _check_prefix(prefix)
    digits = _idgen.to_base32(id).lower()
    return f"{prefix}_{digits}" if prefix else digits


def from_typed(text: str, /) -> tuple[str, UUID]:
    """Reads a TypeID: its prefix, which may be empty, and its id. ValueError for any other text.

    >>> idgen.from_typed("user_01h455vb4pex5vsknk084sn02q")
    ('user', UUID('01890a5d-ac96-774b-bcce-b302099a8057'))
    """
    if not isinstance(text, str):
        raise TypeError(f"a typed id is a str, not {type(text).__name__}")
    prefix, separator, digits = text.rpartition("_")
    if (fault := _prefix_fault(prefix)) is not None:
        raise ValueError(f"not a typed id: {fault}, in {text[:64]!r}")
    if separator and not prefix:
        raise ValueError(
            f"not a typed id: expected a prefix before the underscore, or only 26 digits, in {text[:64]!r}"
        )
    if wrong := _NO_DIGIT.search(digits):
        at = len(text) - len(digits) + wrong.start()
        raise ValueError(
            "not a typed id: expected a base32 digit in lower case (0-9 and a-z but i l o u), found "
            f"{wrong.group()!r} at offset {at}, in {text[:64]!r}"
        )
    if len(digits) != 26:
        raise ValueError(
            f"not a typed id: expected 26 digits after the prefix and an underscore, found {len(digits)}, "
            f"in {text[:64]!r}"
        )
    return prefix, _idgen.from_base32(digits)


def _prefix_fault(prefix: str) -> str | None:
    if _PREFIX.fullmatch(prefix):
        return None
    wrong = re.search("[^a-z_]|^_|_$", prefix)
    if wrong is None or wrong.start() >= 63:
        return f"expected a prefix of at most 63 characters, found {len(prefix)}"
    return (
        "expected a letter from a to z, or _ between such letters, found "
        f"{wrong.group()!r} at offset {wrong.start()}"
    )


def _check_prefix(prefix: str) -> None:
    if not isinstance(prefix, str):
        raise TypeError(f"a prefix of typed ids is a str, not {type(prefix).__name__}")
    if (fault := _prefix_fault(prefix)) is not None:
        raise ValueError(f"not a prefix of typed ids: {fault}, in {prefix[:64]!r}")


class Typed(UUID):
    """An id of one type, written as a TypeID. Derive a class for each type:

    >>> class UserId(idgen.Typed, prefix="user"):
    ...     pass
    >>> UserId("user_01h455vb4pex5vsknk084sn02q").bytes.hex()
    '01890a5dac96774bbcceb302099a8057'
    >>> str(UserId.new())                       # doctest: +SKIP
    'user_01h455vb4pex5vsknk084sn02q'

    It is a uuid.UUID, so columns and fields for UUIDs store its 16 bytes; str() is the text with the prefix.
    Ids of two types are never equal. Pydantic reads and writes the text.
    """

    __slots__ = ()

    #: The prefix of the texts.
    prefix: ClassVar[str]

    def __init_subclass__(cls, *, prefix: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if prefix is not None:
            _check_prefix(prefix)
            cls.prefix = prefix

    def __init__(self, id: str | UUID, /) -> None:
        """Reads the text of an id of this type, or gives a uuid.UUID this type."""
        if getattr(type(self), "prefix", None) is None:
            raise TypeError('derive a class with a prefix: class UserId(idgen.Typed, prefix="user"): pass')
        if isinstance(id, Typed) and type(id) is not type(self):
            raise ValueError(f"{id!r} is not of the type {type(self).__name__}")
        if not isinstance(id, UUID):
            prefix, read = from_typed(id)
            if prefix != self.prefix:
                raise ValueError(f"not an id with the prefix {self.prefix!r}: {id!r} is of another type")
            id = read
        super().__init__(int=id.int)

    @classmethod
    def new(cls) -> Self:
        """A new id: version 7."""
        return cls(_idgen.v7())

    @property
    def id(self) -> UUID:
        """The id without its type."""
        return UUID(int=self.int)

    @property
    def urn(self) -> str:
        return self.id.urn

    def __str__(self) -> str:
        return to_typed(self.prefix, self.id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Typed) and type(other) is not type(self):
            return False
        return super().__eq__(other)

    def __hash__(self) -> int:
        # Equal to that of the uuid.UUID, to which it is equal.
        return super().__hash__()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        text = core_schema.str_schema(pattern=f"^{cls.prefix}{'_' if cls.prefix else ''}[0-7][0-9a-z]{{25}}$")
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(cls, text),
            python_schema=core_schema.no_info_plain_validator_function(cls._validated),
            serialization=core_schema.plain_serializer_function_ser_schema(
                str, return_schema=core_schema.str_schema(), when_used="json"
            ),
        )

    @classmethod
    def _validated(cls, value: Any) -> Self:
        # Pydantic reports a ValueError, and lets a TypeError pass.
        if not isinstance(value, (str, UUID)):
            raise ValueError(
                f"an id of the type {cls.__name__} is a text or a UUID, not {type(value).__name__}"
            )
        return cls(value)
