"""What an id tells about itself, and the odds that two ever coincide."""

from __future__ import annotations

from idgen import _idgen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    from typing import Any, Literal
    from uuid import UUID


class _Record:
    """Named values that do not change: written by hand, as importing dataclasses takes a millisecond."""

    __slots__: tuple[str, ...] = ()

    def __init__(self, **fields: Any) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, fields.get(name))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} objects do not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} objects do not change")

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        shown = (
            f"{name}={value!r}" for name, value in zip(self.__slots__, self._values()) if value is not None
        )
        return f"{type(self).__name__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._values())


def _restore(cls: type[_Record], values: tuple[object, ...]) -> _Record:
    return cls(**dict(zip(cls.__slots__, values)))


class DeviceFields(_Record):
    """A 64-bit id read as the device layout: seconds, node, counter.

    Any number has these fields: the layout leaves no mark.
    """

    __slots__ = (
        "timestamp",
        "node",
        "counter",
    )

    timestamp: datetime.datetime
    node: int
    counter: int


class MysqlFields(_Record):
    """A 64-bit id read as MySQL's UUID_SHORT() makes it: server id, start of the server, counter.

    Any number has these fields: the layout leaves no mark.
    """

    __slots__ = (
        "server_id",
        "startup",
        "counter",
    )

    server_id: int
    startup: datetime.datetime
    counter: int


class Inspection(_Record):
    """What can be read from an id. A field that its kind does not have is None."""

    __slots__ = (
        "id",
        "nature",
        "format",
        "version",
        "timestamp",
        "unix_ns",
        "clock_sequence",
        "node",
        "counter",
        "prefix",
        "tail_time",
        "round",
        "offset",
        "writer_tag",
        "device",
        "mysql",
    )

    #: The id: a uuid.UUID, or an int of 64 bits.
    id: UUID | int
    #: What it is, in words.
    nature: str
    #: The format of the text that it was read from, as "hyphenated" or "base64".
    format: str | None
    #: The version field, where the variant says that there is one.
    version: int | None
    #: When it was made, in UTC, rounded down to microseconds. None beyond the year 9999: see unix_ns.
    timestamp: datetime.datetime | None
    #: When it was made, in nanoseconds since 1970, a multiple of 100.
    unix_ns: int | None
    #: The 14 bits of versions 1 and 6.
    clock_sequence: int | None
    #: The 48 bits of versions 1 and 6.
    node: int | None
    #: The counter of versions 7 and 8 and of ULIDs, as idgen lays it out.
    counter: int | None
    #: The leading 16 bits of versions 4 and 8: a prefix, if it is a prefixed id.
    prefix: int | None
    #: When a version 8 was made, if it is a prefixed id with an ascending tail and its prefix is not keyed.
    #: The bits do not show whether it is: give inspect() the interval of a keyed prefix.
    tail_time: datetime.datetime | None
    #: The round of 65,536 intervals, of an ascending tail behind a keyed prefix.
    round: int | None
    #: How long after the start of its interval an id with such a tail was made.
    offset: datetime.timedelta | None
    #: The tag of a named writer behind a keyed prefix, 12 bits: the same for all its ids of this prefix.
    writer_tag: int | None
    #: The fields of a 64-bit id.
    device: DeviceFields | None
    #: The fields of a 64-bit id, if MySQL made it.
    mysql: MysqlFields | None


def inspect(
    id: UUID | str | bytes | bytearray | int,
    /,
    *,
    keyed_interval: str | None = None,
    named: bool = False,
) -> Inspection:
    """Tells what an id is and what can be read from it.

    The id is a uuid.UUID, 16 bytes, a text of any form, or an int; a number below 2**64 is taken for a
    64-bit id. keyed_interval reads a version 8 as a prefixed id with an ascending tail behind a keyed prefix
    of this interval: round, offset and counter, and with named=True the tag of a writer that has a name.
    Without keyed_interval, the tail is read as one behind another prefix, which begins with the time. The id
    does not show which of these it is.

    >>> seen = idgen.inspect("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    >>> seen.version, seen.timestamp.year
    (7, 2022)
    """
    fields = _idgen._inspect(id, keyed_interval, named)
    device, mysql = fields.pop("device", None), fields.pop("mysql", None)
    if device is not None:
        fields["device"] = _restore(DeviceFields, device)
        fields["mysql"] = _restore(MysqlFields, mysql)
    return Inspection(**fields)


class Odds(_Record):
    """What odds() answers."""

    __slots__ = (
        "ids",
        "expected_collisions",
        "probability",
        "formula",
    )

    #: Ids made in all.
    ids: float
    #: Pairs of ids that coincide, on average.
    expected_collisions: float
    #: The probability that at least one pair coincides.
    probability: float
    #: How it was reckoned.
    formula: str


def odds(
    kind: str,
    *,
    devices: int = 1,
    rate_per_sec: float,
    years: float,
    prefix: Literal["sequential", "keyed", "md5-week"] = "sequential",
    interval: str | None = None,
    tail: Literal["ascending", "random"] = "ascending",
) -> Odds:
    """The probability that a fleet ever makes an id twice.

    So many devices, each with generators of its own, make ids of this kind at the same rate for so many
    years. prefix, interval ("day" by default, "week" for "md5-week") and tail matter for "prefixed" alone.

    >>> round(idgen.odds("v4", rate_per_sec=1e9, years=1).probability, 6)
    9.4e-05
    """
    if interval is None:
        interval = "week" if prefix == "md5-week" else "day"
    return _restore(Odds, _idgen._odds(kind, devices, rate_per_sec, years, prefix, interval, tail))  # type: ignore[return-value]
