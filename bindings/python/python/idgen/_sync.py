"""Changes of rows that devices made offline, applied once: the classes that idgen.mysql exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast
from uuid import UUID

from idgen._call import call
from idgen._idgen import _Sync
from idgen._within import run_claim, run_claim_async

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from idgen._idgen import _Map

    # The names of tables, or columns of each that refer to other tables without a foreign key.
    _Tables = Sequence[str] | Mapping[str, Mapping[str, str]]
    # Says why a change is refused, or nothing.
    _Owner = Callable[["Change"], str | None]


@dataclass(frozen=True)
class Change:
    """A change of one row, as a device sends it: the whole state of the row, not the difference.

    table: the name of the table.
    row: the UUID of the row; a text must be canonical.
    number: ascends with each change of the row, from 1.
    columns: the values without the key: None, bool, int, float, str, bytes or UUID; columns that refer to
        other rows have the UUID of the row. None instead of columns deletes the row.
    """

    table: str
    row: str | UUID
    number: int
    columns: Mapping[str, Any] | None

    def _given(self) -> tuple[str, str, int, dict[str, Any] | None]:
        columns = self.columns
        if columns is not None:
            columns = {
                name: str(value) if isinstance(value, UUID) else value for name, value in columns.items()
            }
        return self.table, str(self.row), self.number, columns


@dataclass(frozen=True)
class Outcome:
    """What became of a change.

    kind: "applied" or "repeated" (the row is as the change has it, now or since an earlier batch), "older" (a
        newer change was applied before), "waits" (send it again after others), "refused".
    reason: why it waits or is refused.
    newest: the number of the newer change.
    """

    kind: Literal["applied", "repeated", "older", "waits", "refused"]
    reason: str | None = None
    newest: int | None = None


@dataclass(frozen=True)
class Answer:
    """What became of a batch. Send it only after the commit.

    outcomes: of each change, in the order of the batch.
    ids: the integers of all UUIDs in the batch, except those of changes that the rules refused.
    """

    outcomes: list[Outcome]
    ids: dict[UUID, int]


@dataclass(frozen=True)
class OpenReference:
    """A reference to a row that has not arrived, and for how many seconds it has been open."""

    table: str
    row: UUID
    column: str
    target_table: str
    target: UUID
    age: int


class _Common:
    def __init__(
        self,
        map: _Map,
        tables: _Tables,
        versions: Sequence[int] | None,
        future: float,
        owner: _Owner | None,
    ) -> None:
        if isinstance(tables, str):
            raise TypeError(f"tables must be a list of names or a mapping, not {tables!r}")
        given: Mapping[str, Mapping[str, str]] = (
            tables if isinstance(tables, Mapping) else {name: {} for name in tables}
        )
        listed = [(name, list(references.items())) for name, references in given.items()]
        self._sync = _Sync(map, listed, None if versions is None else list(versions), future)
        self._owner = owner

    def _taken(self, batch: Iterable[Change]) -> tuple[list[Change], dict[int, Outcome]]:
        """Asks the owner about each change."""
        changes, refused = list(batch), {}
        for place, change in enumerate(changes):
            reason = None if self._owner is None else self._owner(change)
            if reason is not None:
                refused[place] = Outcome("refused", reason)
        return changes, refused

    def _batch(self, changes: list[Change], refused: dict[int, Outcome]) -> Any:
        taken = (change for place, change in enumerate(changes) if place not in refused)
        return self._sync.apply([change._given() for change in taken])


def _answer(count: int, refused: dict[int, Outcome], given: Any) -> Answer:
    outcomes, ids = given
    left = iter(outcomes)
    return Answer(
        [refused[place] if place in refused else Outcome(*next(left)) for place in range(count)], ids
    )


class Sync(_Common):
    """Applies changes of devices: see UuidMap.sync."""

    def describe(self) -> str:
        """Returns the tables in the order in which rows are written, their keys and references."""
        return cast(str, self._sync.describe(None))

    def apply(self, connection: object, batch: Iterable[Change]) -> Answer:
        """Applies changes in your transaction, in any order, each exactly once.

        The connections are those of UuidMap.id_of_within. Nothing is applied unless you commit. Changes that
        are refused or have to wait leave the others alone. If a MapError has ``is_transient``, roll back and
        repeat the transaction.
        """
        changes, refused = self._taken(batch)
        given = run_claim(self._batch(changes, refused), connection)
        return _answer(len(changes), refused, given)

    def open_references(self, limit: int = 100) -> list[OpenReference]:
        """Returns references to rows that have not arrived, the oldest first."""
        return [OpenReference(*row) for row in self._sync.open_references(limit, None)]


class AsyncSync(_Common):
    """Applies changes of devices: see AsyncUuidMap.sync."""

    async def describe(self) -> str:
        """Returns the tables in the order in which rows are written, their keys and references."""
        return cast(str, await call(lambda done: self._sync.describe(done)))

    async def apply(self, connection: object, batch: Iterable[Change]) -> Answer:
        """Applies changes in your transaction: see Sync.apply and AsyncUuidMap.id_of_within."""
        changes, refused = self._taken(batch)
        given = await run_claim_async(self._batch(changes, refused), connection)
        return _answer(len(changes), refused, given)

    async def open_references(self, limit: int = 100) -> list[OpenReference]:
        """Returns references to rows that have not arrived, the oldest first."""
        rows = await call(lambda done: self._sync.open_references(limit, done))
        return [OpenReference(*row) for row in rows]
