"""The fields that can be read from an id, and the odds that two ids ever coincide."""

from __future__ import annotations

from idgen import _idgen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    from typing import Any, Literal
    from uuid import UUID


class _Record:
    """Named values that do not change. Not a dataclass, because importing dataclasses takes a millisecond."""

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

    Every number can be read this way, because the layout has no marker.
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
    """A 64-bit id read in the layout of MySQL's UUID_SHORT(): server id, start of the server, counter.

    Every number can be read this way, because the layout has no marker.
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
        "fraction_ns",
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
    #: The format of the text that it was read from, such as "hyphenated" or "base64".
    format: str | None
    #: The version field, if the variant has one.
    version: int | None
    #: When it was generated, in UTC, rounded down to microseconds. None beyond the year 9999: see unix_ns.
    timestamp: datetime.datetime | None
    #: When it was generated, in nanoseconds since 1970, a multiple of 100.
    unix_ns: int | None
    #: The clock sequence of versions 1 and 6, 14 bits.
    clock_sequence: int | None
    #: The node of versions 1 and 6, 48 bits.
    node: int | None
    #: How many nanoseconds after the whole millisecond of its time an id of version 7 or 8 was generated, as
    #: idgen lays it out. PostgreSQL's uuidv7() and others with the method 3 of RFC 9562 show it too.
    fraction_ns: int | None
    #: The counter of versions 7 and 8 and of ULIDs, as idgen lays it out.
    counter: int | None
    #: The leading 16 bits of versions 4 and 8: a prefix, if it is a prefixed id.
    prefix: int | None
    #: When a version 8 was generated, if it is a prefixed id with an ascending tail and no keyed prefix.
    #: The bits do not show whether the prefix is keyed: if it is, pass its interval to inspect().
    tail_time: datetime.datetime | None
    #: The round of 65,536 intervals, of an ascending tail after a keyed prefix.
    round: int | None
    #: How long after the start of its interval an id with such a tail was generated.
    offset: datetime.timedelta | None
    #: The tag of a named writer after a keyed prefix, 12 bits: the same for all its ids with this prefix.
    writer_tag: int | None
    #: The fields of a 64-bit id in the device layout.
    device: DeviceFields | None
    #: The fields of a 64-bit id in the layout of MySQL.
    mysql: MysqlFields | None


def inspect(
    id: UUID | str | bytes | bytearray | int,
    /,
    *,
    keyed_interval: str | None = None,
    named: bool = False,
) -> Inspection:
    """Returns what an id is and what can be read from it.

    The id is a uuid.UUID, 16 bytes, a text of any form, or an int; a number below 2**64 is read as a
    64-bit id.

    With keyed_interval, such as "minute", a version 8 is read as a prefixed id with an ascending tail after a
    keyed prefix of this interval: round, offset and counter. With named=True, the tag of a named writer is
    read too. Without keyed_interval, the tail is read as one after another prefix, which begins with the
    time. The id does not show which of these it is.

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
    """The result of odds()."""

    __slots__ = (
        "ids",
        "expected_collisions",
        "probability",
        "formula",
    )

    #: Ids that the fleet generates in all.
    ids: float
    #: Pairs of ids that coincide, on average.
    expected_collisions: float
    #: The probability that at least one pair coincides.
    probability: float
    #: The formula of the calculation.
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
    """Returns the probability that a fleet ever generates an id twice.

    Each device has generators of its own, and generates ids of this kind at rate_per_sec ids per second for
    this many years. prefix, interval ("day" by default, "week" for "md5-week") and tail only matter for the
    kind "prefixed".

    >>> round(idgen.odds("v4", rate_per_sec=1e9, years=1).probability, 6)
    9.4e-05
    """
    if interval is None:
        interval = "week" if prefix == "md5-week" else "day"
    return _restore(Odds, _idgen._odds(kind, devices, rate_per_sec, years, prefix, interval, tail))  # type: ignore[return-value]


class ForeignId(_Record):
    """One reading of a text or a number as the id of another generator."""

    __slots__ = (
        "kind",
        "description",
        "timestamp",
        "uuid",
    )

    #: A short name, such as "ksuid" or "discord-snowflake".
    kind: str
    #: What the id consists of, in words.
    description: str
    #: When it was generated, in UTC, if it shows that.
    timestamp: datetime.datetime | None
    #: The UUID of a TypeID.
    uuid: UUID | None


def foreign_texts(text: str, /) -> list[ForeignId]:
    """The kinds of other generators that have the characters of a text; an empty list for most texts.

    Known are TypeID, KSUID, ObjectId, xid, cuid, cuid2, Nano ID, TSID and push ids of Firebase. Some texts
    can be read in two ways.

    >>> [seen] = idgen.foreign_texts("0ujtsYcgvSTl8PAuAdqWYSMnLOv")
    >>> seen.kind, seen.timestamp.isoformat()
    ('ksuid', '2017-10-10T04:00:47+00:00')
    """
    return [_foreign(*seen) for seen in _idgen._foreign_texts(text)]


def foreign_numbers(number: int, /, *, now: int | datetime.datetime | None = None) -> list[ForeignId]:
    """The layouts of 64 bits that give a number a plausible time, the most plausible first.

    Known are the layouts of Twitter, Discord, Instagram, TSID and Sonyflake. A time is plausible from a day
    after the beginning of a layout until a day after ``now`` (nanoseconds since 1970, or an aware datetime;
    by default the time of the call).

    >>> idgen.foreign_numbers(175928847299117063)[0].timestamp.isoformat()
    '2016-04-30T11:18:25.796000+00:00'
    """
    return [_foreign(*seen) for seen in _idgen._foreign_numbers(number, now)]


def _foreign(
    kind: str, description: str, timestamp: datetime.datetime | None, uuid: UUID | None
) -> ForeignId:
    return ForeignId(kind=kind, description=description, timestamp=timestamp, uuid=uuid)
