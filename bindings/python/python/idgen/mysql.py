"""UUIDs mapped to integers in MySQL and MariaDB: one id per UUID, also after crashes.

A schema keeps its compact integer keys, while other systems use UUIDs::

    ids = UuidMap("mysql://app:secret@localhost/shop")
    ids.install()
    ids.id_of(order)            # 17: created or found
    ids.uuid_of(17) == order

There is one id per UUID and one UUID per id, for any number of clients, even after network failures and
crashes. A call returns an id only after the pair is committed; calling again is always safe. Threads may
share a map. A forked child opens connections of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from idgen._call import call
from idgen._idgen import (
    ConflictError,
    DuplicateError,
    ExhaustedError,
    MapError,
    NotInstalledError,
    NotInTransactionError,
    UnsafeServerError,
    _Map,
    _metrics,
)
from idgen._sync import Answer, AsyncSync, Change, OpenReference, Outcome, Sync
from idgen._within import run_claim, run_claim_async

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
    from typing import Literal
    from uuid import UUID

    from idgen._idgen import _Id
    from idgen._sync import _Owner, _Tables

__all__ = [
    "Answer",
    "AsyncSync",
    "AsyncUuidMap",
    "Change",
    "ConflictError",
    "DuplicateError",
    "ExhaustedError",
    "MapError",
    "NotInTransactionError",
    "NotInstalledError",
    "OpenReference",
    "Outcome",
    "Sync",
    "UnsafeServerError",
    "UuidMap",
    "metrics",
]

_PAGE = 10_000


def metrics() -> dict[str, int]:
    """Returns the counters of all maps in this process, by their names in docs/mapping.md.

    A name has its labels in braces, as in ``idgen_map_calls_total{call="id_of"}``. A metric appears when it
    is first counted. A forked child continues its parent's counts.
    """
    return _metrics()


class _Common:
    """The constructor that both classes share."""

    def __init__(
        self,
        url: str | Sequence[str],
        *,
        table: str = "uuid_map",
        index: Literal["unique", "dedup"] | None = None,
        id_bits: Literal[32, 64] | None = None,
        cache: int = 10_000,
        largest_block: int = 65_536,
        timeout: float = 30.0,
        connections: int = 10,
        answer_limit: float = 10.0,
        accept_unsafe_server: bool = False,
        read_only: bool = False,
        allow_exhausting_import: bool = False,
    ) -> None:
        """A map on the server of mysql://user:password@host:port/schema. It connects on first use.

        A list of URLs names the nodes of a cluster that have the same data. One is in use at a time, and
        calls continue with the next one if it fails.

        table: the name of the map's table.
        index: "unique" (an index on the UUID) or "dedup" (a smaller index on a hash).
        id_bits: 32 or 64. install() creates a map with this index and width, and checks those of an
        existing map.
        cache: how many pairs to keep in memory.
        largest_block: the most ids that are reserved at once. A crash can lose as many.
        timeout: for how many seconds a call is retried after temporary failures of the server.
        connections: the most connections that are open at once.
        answer_limit: after how many seconds without an answer to a statement the server counts as lost.
        accept_unsafe_server: use a server that may lose pairs in a crash.
        read_only: write nothing, for a replica or a user that may only read.
        allow_exhausting_import: let import_pairs store ids in the last 5 % of the range.
        """
        self._map = _Map(
            [url] if isinstance(url, str) else list(url),
            table,
            index,
            id_bits,
            cache,
            largest_block,
            timeout,
            connections,
            answer_limit,
            accept_unsafe_server,
            read_only,
            allow_exhausting_import,
        )
        self._table = table

    def __repr__(self) -> str:
        return f"<idgen.mysql.{type(self).__name__} {self._table!r}>"


class UuidMap(_Common):
    """A map whose calls block. Control-C ends a call, which then leaves nothing on the server."""

    def install(self) -> None:
        """Creates the tables, or checks the existing ones. Programs may call it at every start."""
        self._map.install(None)

    def id_of(self, uuid: _Id) -> int:
        """Returns the id of a UUID, and creates it if there is none.

        The UUID is a uuid.UUID, 16 bytes, or a text of hexadecimal digits. Other texts, such as decimal
        numbers and base64, raise ValueError: read them with idgen.parse first.
        """
        return cast(int, self._map.id_of(uuid, None))

    def ids_of(self, uuids: Iterable[_Id]) -> list[int]:
        """Returns the ids of many UUIDs, in their order, and creates missing ones. UUIDs may be repeated."""
        return cast("list[int]", self._map.ids_of(uuids, None))

    def register(self, uuid: _Id) -> int:
        """Creates an id for a UUID. Raises DuplicateError if the UUID has one already."""
        return cast(int, self._map.register(uuid, None))

    def id_of_within(self, connection: object, uuid: _Id) -> int:
        """Returns the id of a UUID as part of your transaction, and creates it if there is none.

        connection: one of PyMySQL or another MySQL driver, or a cursor of it; a Connection or Session of
        SQLAlchemy; ``connection`` of Django. It must be in a transaction on the map's server and schema.

        The id is valid only once you commit. Another client that asks for the same UUID waits until then.
        The map does not retry: if a MapError has ``is_transient``, roll back and repeat the transaction.
        Raises NotInTransactionError if the connection is not in a transaction.
        """
        return cast(int, run_claim(self._map.claim_one_within(uuid), connection)[0])

    def ids_of_within(self, connection: object, uuids: Iterable[_Id]) -> list[int]:
        """Returns the ids of many UUIDs as part of your transaction: see id_of_within and ids_of."""
        return cast("list[int]", run_claim(self._map.claim_within(uuids), connection))

    def register_within(self, connection: object, uuid: _Id) -> int:
        """Creates an id for a UUID as part of your transaction: see id_of_within and register."""
        return cast(int, run_claim(self._map.register_within(uuid), connection)[0])

    def install_sync(self) -> None:
        """Creates the two tables of syncs, or checks the existing ones. The map must be installed."""
        self._map.install_sync(None)

    def sync(
        self,
        tables: _Tables,
        *,
        versions: Sequence[int] | None = None,
        future: float = 86_400.0,
        owner: _Owner | None = None,
        refuse_forgotten: bool = False,
    ) -> Sync:
        """Returns a sync, which writes rows that devices made with UUIDs to tables with integer keys, once.

        tables: their names, or a mapping of names to columns that refer to another table without a foreign
            key, as in {"lists": {}, "items": {"list_id": "lists"}}. Foreign keys are read from the schema.
        versions: the versions of UUIDs that are taken, 1, 4, 6, 7 and 8 by default.
        future: for how many seconds the time in a UUID may be in the future.
        owner: a function of a change that returns why the sender may not make it, or None.
        refuse_forgotten: refuse UUIDs that Sync.forget erased. By default such a row is a new one.

        The tables are read and checked at the first call of the sync. install_sync() creates its own tables.
        docs/sync.md describes changes, outcomes and the tables.
        """
        return Sync(self._map, tables, versions, future, owner, refuse_forgotten)

    def find(self, uuid: _Id) -> int | None:
        """Returns the id of a UUID, or None. Creates nothing."""
        return self.find_many([uuid])[0]

    def find_many(self, uuids: Iterable[_Id]) -> list[int | None]:
        """Returns the ids of UUIDs, in their order, and None for a UUID without an id. Creates nothing."""
        return cast("list[int | None]", self._map.find_many(uuids, None))

    def uuid_of(self, id: int) -> UUID | None:
        """Returns the UUID of an id, or None."""
        return self.uuids_of([id])[0]

    def uuids_of(self, ids: Iterable[int]) -> list[UUID | None]:
        """Returns the UUIDs of ids, in their order, and None for an id without a UUID."""
        return cast("list[UUID | None]", self._map.uuids_of(list(ids), None))

    def export(self, after: int = 0) -> Iterator[tuple[int, UUID]]:
        """Yields all pairs with ids above ``after``, by ascending id. To resume, pass the last id."""
        while page := cast("list[tuple[int, UUID]]", self._map.export_page(after, _PAGE, None)):
            yield from page
            after = page[-1][0]

    def import_pairs(self, pairs: Iterable[tuple[int, _Id]]) -> tuple[int, int]:
        """Stores pairs whose ids were assigned elsewhere. Returns how many were stored and how many existed.

        It is safe to repeat. Raises ConflictError if a pair contradicts the map.
        """
        return cast("tuple[int, int]", self._map.import_pairs(list(pairs), None))

    def changes(self, position: str = "", most: int = _PAGE) -> tuple[list[tuple[int, UUID]], str]:
        """Returns pairs that were committed since a position, and the position after them.

        The empty text is the beginning. Each pair is returned exactly once, even if its id is lower than ids
        that were returned before. If the list is empty, there are no more pairs.
        """
        return cast("tuple[list[tuple[int, UUID]], str]", self._map.changes(position, most, None))

    def forget(self, uuid: _Id) -> int | None:
        """Erases a UUID, and returns the id that it had, or None. That id is never used again."""
        return cast("int | None", self._map.forget(uuid, None))

    def check(self) -> list[tuple[str, str]]:
        """Returns what is wrong: the severity (warning, repairable or broken) and a text."""
        return cast("list[tuple[str, str]]", self._map.check(None))

    def repair(self) -> list[str]:
        """Repairs what needs no decision, and returns what it did."""
        return cast("list[str]", self._map.repair(None))

    def fence(self, next_id: int) -> None:
        """Starts a new epoch after a restore from a backup: new ids are next_id and above.

        It returns after 1.1 seconds, when no running client begins to assign an id below next_id any more.
        """
        self._map.fence(next_id, None)

    def close(self) -> None:
        """Returns unused ids to the map, and closes the connections. A later call connects again."""
        self._map.close(None)

    def stats(self) -> dict[str, int | None]:
        """Returns size and state: next_id, used_percent, pairs_estimate, data_bytes, index_bytes, claims."""
        return cast("dict[str, int | None]", self._map.stats(None))


class AsyncUuidMap(_Common):
    """A map with coroutines, for any asyncio event loop. A canceled call leaves nothing on the server."""

    async def install(self) -> None:
        """Creates the tables, or checks the existing ones. Programs may call it at every start."""
        await call(lambda done: self._map.install(done))

    async def id_of(self, uuid: _Id) -> int:
        """Returns the id of a UUID, and creates it if there is none."""
        return cast(int, await call(lambda done: self._map.id_of(uuid, done)))

    async def ids_of(self, uuids: Iterable[_Id]) -> list[int]:
        """Returns the ids of many UUIDs, in their order, and creates missing ones. UUIDs may be repeated."""
        return cast("list[int]", await call(lambda done: self._map.ids_of(uuids, done)))

    async def register(self, uuid: _Id) -> int:
        """Creates an id for a UUID. Raises DuplicateError if the UUID has one already."""
        return cast(int, await call(lambda done: self._map.register(uuid, done)))

    async def id_of_within(self, connection: object, uuid: _Id) -> int:
        """Returns the id of a UUID as part of your transaction, and creates it if there is none.

        connection: one of asyncmy, aiomysql or another asynchronous MySQL driver, or a cursor of it; an
        AsyncConnection or AsyncSession of SQLAlchemy. The rules are those of UuidMap.id_of_within.

        If the call is canceled, roll your transaction back: a part of the claim may be in it.
        """
        return cast(int, (await run_claim_async(self._map.claim_one_within(uuid), connection))[0])

    async def ids_of_within(self, connection: object, uuids: Iterable[_Id]) -> list[int]:
        """Returns the ids of many UUIDs as part of your transaction: see id_of_within and ids_of."""
        return cast("list[int]", await run_claim_async(self._map.claim_within(uuids), connection))

    async def register_within(self, connection: object, uuid: _Id) -> int:
        """Creates an id for a UUID as part of your transaction: see id_of_within and register."""
        return cast(int, (await run_claim_async(self._map.register_within(uuid), connection))[0])

    async def install_sync(self) -> None:
        """Creates the two tables of syncs, or checks the existing ones. The map must be installed."""
        await call(lambda done: self._map.install_sync(done))

    def sync(
        self,
        tables: _Tables,
        *,
        versions: Sequence[int] | None = None,
        future: float = 86_400.0,
        owner: _Owner | None = None,
        refuse_forgotten: bool = False,
    ) -> AsyncSync:
        """Returns a sync of rows that devices made with UUIDs: see UuidMap.sync."""
        return AsyncSync(self._map, tables, versions, future, owner, refuse_forgotten)

    async def find(self, uuid: _Id) -> int | None:
        """Returns the id of a UUID, or None. Creates nothing."""
        return (await self.find_many([uuid]))[0]

    async def find_many(self, uuids: Iterable[_Id]) -> list[int | None]:
        """Returns the ids of UUIDs, in their order, and None for a UUID without an id. Creates nothing."""
        return cast("list[int | None]", await call(lambda done: self._map.find_many(uuids, done)))

    async def uuid_of(self, id: int) -> UUID | None:
        """Returns the UUID of an id, or None."""
        return (await self.uuids_of([id]))[0]

    async def uuids_of(self, ids: Iterable[int]) -> list[UUID | None]:
        """Returns the UUIDs of ids, in their order, and None for an id without a UUID."""
        wanted = list(ids)
        return cast("list[UUID | None]", await call(lambda done: self._map.uuids_of(wanted, done)))

    async def export(self, after: int = 0) -> AsyncIterator[tuple[int, UUID]]:
        """Yields all pairs with ids above ``after``, by ascending id. To resume, pass the last id."""
        while True:
            start = after
            page = cast(
                "list[tuple[int, UUID]]",
                await call(lambda done: self._map.export_page(start, _PAGE, done)),
            )
            if not page:
                return
            for pair in page:
                yield pair
            after = page[-1][0]

    async def import_pairs(self, pairs: Iterable[tuple[int, _Id]]) -> tuple[int, int]:
        """Stores pairs whose ids were assigned elsewhere. Returns how many were stored and how many existed.

        It is safe to repeat. Raises ConflictError if a pair contradicts the map.
        """
        given = list(pairs)
        return cast("tuple[int, int]", await call(lambda done: self._map.import_pairs(given, done)))

    async def changes(self, position: str = "", most: int = _PAGE) -> tuple[list[tuple[int, UUID]], str]:
        """Returns pairs that were committed since a position, and the position after them: see UuidMap."""
        return cast(
            "tuple[list[tuple[int, UUID]], str]",
            await call(lambda done: self._map.changes(position, most, done)),
        )

    async def forget(self, uuid: _Id) -> int | None:
        """Erases a UUID, and returns the id that it had, or None. That id is never used again."""
        return cast("int | None", await call(lambda done: self._map.forget(uuid, done)))

    async def check(self) -> list[tuple[str, str]]:
        """Returns what is wrong: the severity (warning, repairable or broken) and a text."""
        return cast("list[tuple[str, str]]", await call(lambda done: self._map.check(done)))

    async def repair(self) -> list[str]:
        """Repairs what needs no decision, and returns what it did."""
        return cast("list[str]", await call(lambda done: self._map.repair(done)))

    async def fence(self, next_id: int) -> None:
        """Starts a new epoch after a restore from a backup: new ids are next_id and above.

        It returns after 1.1 seconds, when no running client begins to assign an id below next_id any more.
        """
        await call(lambda done: self._map.fence(next_id, done))

    async def close(self) -> None:
        """Returns unused ids to the map, and closes the connections. A later call connects again."""
        await call(lambda done: self._map.close(done))

    async def stats(self) -> dict[str, int | None]:
        """Returns size and state: next_id, used_percent, pairs_estimate, data_bytes, index_bytes, claims."""
        return cast("dict[str, int | None]", await call(lambda done: self._map.stats(done)))
