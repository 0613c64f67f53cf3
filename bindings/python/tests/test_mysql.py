"""The mapping, sync and async, on real servers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
import threading
import uuid
from typing import Any

import idgen
import pytest
from idgen.mysql import (
    AsyncUuidMap,
    ConflictError,
    DuplicateError,
    MapError,
    NotInstalledError,
    UuidMap,
)
from servers import Server


@pytest.mark.parametrize("index", ["unique", "dedup"])
@pytest.mark.parametrize("bits", [32, 64])
def test_pairs_are_created_found_exported_and_imported(url: str, index: Any, bits: Any) -> None:
    ids = UuidMap(url, table="of_orders", index=index, id_bits=bits)
    with pytest.raises(NotInstalledError, match="install"):
        ids.id_of(idgen.v4())
    ids.install()
    ids.install()
    orders = idgen.batch("v4", 2_500)
    made = ids.ids_of(orders)
    assert len(set(made)) == 2_500 and all(type(id) is int for id in made)
    assert ids.ids_of(orders[::-1]) == made[::-1]
    assert [ids.id_of(order) for order in orders[:5]] == made[:5]
    assert ids.id_of(str(orders[7])) == ids.id_of(orders[7].bytes) == made[7]
    assert ids.uuids_of(made) == orders and type(ids.uuid_of(made[3])) is uuid.UUID
    assert ids.uuid_of(1 << 31) is None and ids.find(idgen.v4()) is None and ids.find(orders[4]) == made[4]
    assert ids.find_many([orders[1], idgen.v4(), orders[0]]) == [made[1], None, made[0]]
    new = idgen.v7()
    made_new = ids.register(new)
    with pytest.raises(DuplicateError) as refused:
        ids.register(new)
    assert refused.value.existing_id == made_new and isinstance(refused.value, MapError)

    pairs = sorted([*zip(made, orders), (made_new, new)])
    assert list(ids.export()) == pairs and list(ids.export(after=pairs[9][0])) == pairs[10:]
    stats = ids.stats()
    assert stats["next_id"] > max(made) and (stats["claims"] is None) == (index == "unique")  # type: ignore[operator]

    other = UuidMap(url, table="of_import")
    other.install()
    assert other.import_pairs(pairs) == (len(pairs), 0)
    assert other.import_pairs(iter(pairs)) == (0, len(pairs))
    with pytest.raises(ConflictError):
        other.import_pairs([(pairs[0][0], idgen.v4())])
    assert other.id_of(idgen.v4()) > max(made)


@pytest.mark.parametrize(
    "wrong",
    [
        *("42", "1", str(idgen.v4().int), "80000000000000000000000000", idgen.to_base32(idgen.ulid())),
        *(idgen.to_base64(idgen.v4()), idgen.to_base64url(idgen.v4()), idgen.to_ordered64(idgen.v4()), ""),
        *(b"0123456789abcdef", b"42", b"", str(idgen.v4()).encode(), 42, 42.0, None, True),
    ],
)
def test_only_uuids_get_an_id(mariadb: Server, wrong: Any) -> None:
    """A pair is permanent, and a decimal number or another code is rarely meant as a UUID."""
    ids = UuidMap(mariadb.url("mysql"), table="of_uuids")
    ids.install()
    other = AsyncUuidMap(mariadb.url("mysql"), table="of_uuids")
    with mariadb.connect(mariadb.database) as connection:
        for call in (
            lambda: ids.id_of(wrong),
            lambda: ids.ids_of([idgen.v4(), wrong]),
            lambda: ids.register(wrong),
            lambda: ids.find(wrong),
            lambda: ids.find_many([wrong]),
            lambda: ids.forget(wrong),
            lambda: ids.import_pairs([(90_001, idgen.v4()), (90_002, wrong)]),
            lambda: ids.id_of_within(connection, wrong),
            lambda: ids.ids_of_within(connection, [wrong]),
            lambda: ids.register_within(connection, wrong),
            lambda: asyncio.run(other.id_of(wrong)),
        ):
            with pytest.raises((ValueError, TypeError)):
                call()
    assert list(ids.export()) == []


@pytest.mark.parametrize("wrong", ["9_0_0_0_1", "+90002", "090003", 1.0, -1, 1 << 64, None])
def test_only_integers_are_ids(mariadb: Server, wrong: Any) -> None:
    ids = UuidMap(mariadb.url("mysql"), table="of_uuids")
    ids.install()
    with pytest.raises((TypeError, OverflowError)):
        ids.import_pairs([(wrong, idgen.v4())])
    with pytest.raises((TypeError, OverflowError)):
        ids.uuid_of(wrong)
    assert list(ids.export()) == []


def test_texts_of_uuids_get_the_id_of_the_uuid(mariadb: Server) -> None:
    ids, order = UuidMap(mariadb.url("mysql"), table="of_uuids"), idgen.v4()
    ids.install()
    made = ids.id_of(order)
    texts = [str(order), order.hex, order.urn, f"{{{order}}}", str(order).upper(), order.urn.upper()]
    assert (
        {ids.find(text) for text in texts}
        == {made}
        == {ids.find(order.bytes), ids.find(bytearray(order.bytes))}
    )
    assert ids.find(idgen.parse(idgen.to_base64(order))) == made
    ids.forget(order)


@pytest.mark.parametrize("index", ["unique", "dedup"])
def test_changes_forget_fence_and_repair(url: str, index: Any) -> None:
    # The first of the two nodes does not exist.
    ids = UuidMap(["mysql://app@127.0.0.1:1/shop", url], index=index, answer_limit=5.0)
    ids.install()
    orders = idgen.batch("v7", 3)
    made = ids.ids_of(orders)
    assert sorted(made) == [1, 2, 3]
    pairs, position = ids.changes()
    assert pairs == sorted(zip(made, orders)) and ids.changes(position) == ([], position)
    ids.close()
    # The unused ids of the block were returned.
    assert ids.stats()["next_id"] == 4
    assert ids.forget(orders[1]) == made[1] and ids.forget(orders[1]) is None
    assert ids.find(orders[1]) is None and ids.uuid_of(made[1]) is None
    again = ids.id_of(orders[1])
    assert again == 4 and ids.changes(position)[0] == [(4, orders[1])]
    assert ids.check() == []
    ids.fence(1000)
    assert ids.stats()["next_id"] == 1000 and ids.repair() in ([], ["cleared 1 claims away"])
    with pytest.raises(ValueError, match="is not a position"):
        ids.changes("nonsense")
    with pytest.raises(DuplicateError) as refused:
        ids.register(orders[0])
    assert not refused.value.is_transient

    async def main() -> None:
        other = AsyncUuidMap(url)
        assert (await other.changes(position))[0] == [(4, orders[1])]
        assert await other.forget(orders[0]) == made[0] and await other.check() == []
        await other.fence(2000)
        await other.repair()
        await other.close()

    asyncio.run(main())


def test_many_threads_get_one_id_per_uuid(url: str) -> None:
    maps = [UuidMap(url, cache=0) for _ in range(2)]
    maps[0].install()
    orders = idgen.batch("v4", 100)
    found: list[list[int]] = []
    threads = [
        threading.Thread(target=lambda ids=maps[n % 2]: found.append([ids.id_of(order) for order in orders]))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and len({tuple(ids) for ids in found}) == 1 and len(set(found[0])) == 100


def test_the_async_map_has_the_same_results(url: str) -> None:
    async def main() -> None:
        ids = AsyncUuidMap(url)
        with pytest.raises(NotInstalledError):
            await ids.id_of(idgen.v4())
        await ids.install()
        orders = idgen.batch("v7", 200)
        made = await asyncio.gather(*(ids.id_of(order) for order in orders + orders))
        assert made[:200] == made[200:] and len(set(made)) == 200
        assert await ids.ids_of(orders) == made[:200] and await ids.uuids_of(made[:200]) == orders
        assert await ids.uuid_of(made[0]) == orders[0] and await ids.find(orders[1]) == made[1]
        with pytest.raises(DuplicateError) as refused:
            await ids.register(orders[5])
        assert refused.value.existing_id == made[5]
        assert sorted(zip(made[:200], orders)) == [pair async for pair in ids.export()]
        assert (await ids.stats())["next_id"] > max(made)  # type: ignore[operator]
        with pytest.raises(TypeError):
            await ids.id_of(5)  # type: ignore[arg-type]
        assert await ids.import_pairs([(made[0], orders[0])]) == (0, 1)

    asyncio.run(main())


def test_a_canceled_call_leaves_the_map_consistent(url: str) -> None:
    """A canceled call leaves the map consistent: the next call gets the one id."""

    async def main() -> None:
        ids = AsyncUuidMap(url, cache=0)
        await ids.install()
        for order in idgen.batch("v4", 30):
            call = asyncio.ensure_future(ids.id_of(order))
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await ids.id_of(order) == await ids.find(order)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(ids.ids_of(idgen.batch("v4", 50_000)), 0.01)
        assert await ids.id_of(idgen.v4())

    asyncio.run(main())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_opens_its_own_connections(url: str) -> None:
    """The child opens connections of its own, and the parent's stay usable."""
    ids = UuidMap(url)
    ids.install()
    orders = idgen.batch("v4", 50)
    made = ids.ids_of(orders[:25])
    reader, writer = os.pipe()
    if os.fork() == 0:
        status = 1
        try:
            with os.fdopen(writer, "w") as out:
                json.dump([ids.id_of(order) for order in orders], out)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    here = [ids.id_of(order) for order in orders]
    with os.fdopen(reader) as pipe:
        there = json.load(pipe)
    assert os.wait()[1] == 0
    assert here == there and here[:25] == made and len(set(here)) == 50


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("end", ["sys.exit()", "del ids; os._exit(0)"])
def test_a_child_that_ends_keeps_its_parents_connections(url: str, end: str) -> None:
    """A child that ends without using the map does not close its parent's connections."""
    code = f"""
        import os, sys, time
        import idgen
        from idgen.mysql import UuidMap

        ids = UuidMap(sys.argv[1], cache=0)
        ids.install()
        order = idgen.v4()
        first = ids.id_of(order)
        # By then the connections are back in the pool, and end with it.
        time.sleep(0.5)
        if os.fork() == 0:
            {end}
        assert os.wait()[1] == 0
        began = time.monotonic()
        assert all(ids.id_of(order) == first for _ in range(10))
        print(time.monotonic() - began)
    """
    run = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(code), url]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # A connection that receives nothing is closed after ten seconds.
    assert float(done.stdout) < 5


def test_a_missing_server_is_an_error() -> None:
    ids = UuidMap("mysql://app:secret@127.0.0.1:1/shop", timeout=0.2)
    with pytest.raises(MapError) as failed:
        ids.install()
    assert "secret" not in str(failed.value) + repr(ids) and failed.value.is_transient
    for wrong in ({"index": "other"}, {"id_bits": 16}, {"timeout": -1}, {"timeout": float("nan")}):
        settings: dict[str, Any] = wrong
        with pytest.raises(ValueError):
            UuidMap("mysql://app@127.0.0.1/shop", **settings)
    for url in ("postgres://app@127.0.0.1/shop", "nonsense", "mysql://"):
        with pytest.raises(MapError):
            UuidMap(url, timeout=0.1).install()
    with pytest.raises(MapError):
        UuidMap("mysql://app@127.0.0.1/shop", table="no name", timeout=0.1).install()
