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

    from idgen._idgen import _Change, _Map

    # The names of tables, or columns of each that refer to other tables without a foreign key.
    _Tables = Sequence[str] | Mapping[str, Mapping[str, str]]
    # Says why a change is refused, or nothing.
    _Owner = Callable[["Change"], str | None]


def _number(text: object) -> int:
    if not (isinstance(text, str) and text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is not the number of a change, as text")
    return int(text)


@dataclass(frozen=True)
class Change:
    """A change of one row, as a device sends it: the whole state of the row, not the difference.

    table: the name of the table.
    row: the UUID of the row; a text must be canonical.
    number: ascends with each change of the row, from 1.
    columns: the values without the key: None, bool, int, float, str, bytes or UUID; columns that refer to
        other rows have the UUID of the row. None instead of columns deletes the row.
    known: the changes of this row that the sender knows: what its outbox wrote, or the highest number that
        may have arrived. If one was applied that is not among them, the sender was restored from a backup
        or copied: the change is "older".
    replaces: the columns that are not named get their defaults, because the row was deleted before and made
        again.
    """

    table: str
    row: str | UUID
    number: int
    columns: Mapping[str, Any] | None
    known: str | int | None = None
    replaces: bool = False

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Change:
        """Reads a change as the outboxes of Rust and TypeScript send it, after json.loads.

        Raises ValueError if it is none. Such a change is refused alone: answer with
        ``Outcome("refused", str(error))`` in its place.

        >>> sent = {"table": "t", "row": "…", "number": "2", "known": "1", "operation": "delete"}
        >>> Change.from_json(sent)
        Change(table='t', row='…', number=2, columns=None, known='1', replaces=False)
        """
        try:
            operation, columns = given["operation"], given.get("columns", {})
            if operation not in ("put", "replace", "delete") or not isinstance(columns, Mapping):
                raise ValueError(f"its operation is {operation!r}, or its columns are no mapping")
            if operation == "delete" and columns:
                raise ValueError("a deletion sets no columns")
            number, known = _number(given["number"]), given.get("known")
            table, row = str(given["table"]), str(given["row"])
        except (KeyError, TypeError, AttributeError) as missing:
            raise ValueError(f"it is no change of a row: {missing!r}") from None
        return cls(
            table,
            row,
            number,
            None if operation == "delete" else columns,
            None if known is None else str(known),
            operation == "replace",
        )

    def _given(self) -> tuple[str, str, int, dict[str, Any] | None, str | None, bool]:
        columns = self.columns
        if columns is not None:
            if not isinstance(columns, Mapping):
                raise TypeError(f"columns must be a mapping, not a {type(columns).__name__}")
            columns = {
                name: str(value) if isinstance(value, UUID) else value for name, value in columns.items()
            }
        known = None if self.known is None else str(self.known)
        return self.table, str(self.row), self.number, columns, known, self.replaces


@dataclass(frozen=True)
class Outcome:
    """What became of a change.

    kind: "applied" or "repeated" (the row is as the change has it, now or since an earlier batch), "older" (a
        newer change was applied before, or is in the same batch), "waits" (it refers to a row that has not
        arrived), "blocked" (another row stands in its way), "refused".
    reason: why it waits, is blocked or is refused.
    newest: the number of the newer change, or that of the newest change of the row in the way.
    table, row: the row that it waits for, or that stands in its way.
    """

    kind: Literal["applied", "repeated", "older", "waits", "blocked", "refused"]
    reason: str | None = None
    newest: int | None = None
    table: str | None = None
    row: UUID | None = None

    def to_json(self) -> dict[str, str]:
        """Returns the outcome as the outboxes of Rust and TypeScript read it, for json.dumps.

        >>> Outcome("repeated").to_json()
        {'outcome': 'applied'}
        """
        kind = "applied" if self.kind == "repeated" else self.kind
        newest = {"older": "newest", "blocked": "number"}.get(kind, "")
        named = {"reason": self.reason, "table": self.table, "row": self.row, newest: self.newest}
        said = {name: str(value) for name, value in named.items() if name and value is not None}
        return {"outcome": kind, **said}


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
        refuse_forgotten: bool,
    ) -> None:
        if isinstance(tables, str):
            raise TypeError(f"tables must be a list of names or a mapping, not {tables!r}")
        given: Mapping[str, Mapping[str, str]] = (
            tables if isinstance(tables, Mapping) else {name: {} for name in tables}
        )
        listed = [(name, list(references.items())) for name, references in given.items()]
        taken = None if versions is None else list(versions)
        self._sync = _Sync(map, listed, taken, future, refuse_forgotten)
        self._owner = owner

    def _read(self, batch: Iterable[Change]) -> tuple[list[_Change], dict[int, Outcome], int]:
        """Reads each change and asks the owner about it. One that cannot be read is refused alone."""
        taken: list[_Change] = []
        refused: dict[int, Outcome] = {}
        changes = list(batch)
        for place, change in enumerate(changes):
            try:
                read = _Sync.read(change._given())
            except (TypeError, ValueError, OverflowError) as unfit:
                refused[place] = Outcome("refused", str(unfit))
                continue
            reason = None if self._owner is None else self._owner(change)
            if not (reason is None or isinstance(reason, str)):
                raise TypeError(f"owner must return a reason or None, not {reason!r}")
            if reason is None:
                taken.append(read)
            else:
                refused[place] = Outcome("refused", reason)
        return taken, refused, len(changes)


def _answer(count: int, refused: dict[int, Outcome], given: Any) -> Answer:
    outcomes, ids = given
    left = (Outcome(kind, *more) for kind, more in outcomes)
    return Answer([refused[place] if place in refused else next(left) for place in range(count)], ids)


class Sync(_Common):
    """Applies changes of devices: see UuidMap.sync."""

    def describe(self) -> str:
        """Returns the tables in the order in which rows are written, their keys and references."""
        return cast(str, self._sync.describe(None))

    def apply(self, connection: object, batch: Iterable[Change]) -> Answer:
        """Applies changes in your transaction, in any order, each exactly once.

        The connections are those of UuidMap.id_of_within. Nothing is applied unless you commit. Changes that
        are refused or have to wait leave the others alone; so do changes that cannot be read. If a MapError
        has ``is_transient``, roll back and repeat the transaction.
        """
        taken, refused, count = self._read(batch)
        return _answer(count, refused, run_claim(self._sync.apply(taken), connection))

    def open_references(self, limit: int = 100) -> list[OpenReference]:
        """Returns references to rows that have not arrived, the oldest first."""
        return [OpenReference(*row) for row in self._sync.open_references(limit, None)]

    def forget(self, uuid: UUID) -> int | None:
        """Erases a UUID as UuidMap.forget does, and remembers a digest of it, for refuse_forgotten."""
        return cast("int | None", self._sync.forget(uuid, None))


class AsyncSync(_Common):
    """Applies changes of devices: see AsyncUuidMap.sync."""

    async def describe(self) -> str:
        """Returns the tables in the order in which rows are written, their keys and references."""
        return cast(str, await call(lambda done: self._sync.describe(done)))

    async def apply(self, connection: object, batch: Iterable[Change]) -> Answer:
        """Applies changes in your transaction: see Sync.apply and AsyncUuidMap.id_of_within."""
        taken, refused, count = self._read(batch)
        return _answer(count, refused, await run_claim_async(self._sync.apply(taken), connection))

    async def open_references(self, limit: int = 100) -> list[OpenReference]:
        """Returns references to rows that have not arrived, the oldest first."""
        rows = await call(lambda done: self._sync.open_references(limit, done))
        return [OpenReference(*row) for row in rows]

    async def forget(self, uuid: UUID) -> int | None:
        """Erases a UUID, and remembers a digest of it: see Sync.forget."""
        return cast("int | None", await call(lambda done: self._sync.forget(uuid, done)))
