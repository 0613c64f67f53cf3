"""Ids for rows that exist, such as those of a table that gets a key later."""

from __future__ import annotations

from idgen import _idgen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable
    from uuid import UUID


def ids_for_rows(
    times: Iterable[int | datetime.datetime],
    make: Callable[..., _idgen.Generator] = _idgen.V7,
    /,
) -> list[UUID]:
    """Ids for rows that exist: the id at each place has the time at that place of ``times``.

    ``times`` are datetimes with a time zone, or nanoseconds since 1970. They may be in any order, and ids
    of one time ascend in the order of their rows. ``make`` makes the generator: a class such as ``V7`` or
    ``Ulid``, or a function that passes its arguments on to one. It gets a clock and a policy without
    tolerance, so that each id has its own time.

    Raises ``OverflowError`` if the kind cannot hold one of the times, and ``ValueError`` for a datetime
    without a time zone.

    >>> import datetime, idgen
    >>> later = datetime.datetime(2026, 5, 1, 12, tzinfo=datetime.timezone.utc)
    >>> earlier = later - datetime.timedelta(days=1)
    >>> ids = idgen.ids_for_rows([later, earlier, later])
    >>> [idgen.timestamp(id) for id in ids] == [later, earlier, later]
    True
    >>> ids[1] < ids[0] < ids[2]
    True
    >>> def v1(**settings):
    ...     return idgen.V1(node="02:00:00:00:00:01", **settings)
    >>> [id.version for id in idgen.ids_for_rows([earlier, later], v1)]
    [1, 1]
    """
    moments = [_nanoseconds(time) for time in times]
    if not moments:
        return []
    places = sorted(range(len(moments)), key=moments.__getitem__)
    now = moments[places[0]]
    generator = make(clock=lambda: now, tolerance=0)
    if not isinstance(generator, _idgen.Generator):
        raise TypeError(
            f"not a generator of 128-bit ids: {generator!r}: give a class such as V7, Ulid or Prefixed"
        )
    ids: dict[int, UUID] = {}
    for place in places:
        now = moments[place]
        ids[place] = generator()
    return [ids[place] for place in range(len(moments))]


def _nanoseconds(time: object) -> int:
    import datetime

    if isinstance(time, datetime.datetime):
        if time.utcoffset() is None:
            raise ValueError(
                f"a datetime without time zone: {time}: set its tzinfo, such as datetime.timezone.utc"
            )
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return (time - epoch) // datetime.timedelta(microseconds=1) * 1000
    if isinstance(time, int) and not isinstance(time, bool):
        return time
    raise TypeError(f"not a time: {time!r}: give a datetime with a time zone, or nanoseconds since 1970")
