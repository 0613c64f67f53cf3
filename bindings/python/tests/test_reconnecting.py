"""Claims in a transaction whose connection the driver makes anew in between, on real servers."""

from __future__ import annotations

import functools

import idgen
import pytest
from idgen.mysql import MapError, NotInTransactionError, UuidMap
from reconnecting import Reconnecting, connect
from servers import Server


@pytest.mark.parametrize("index", ["unique", "dedup"])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("autocommit", [True, False])
def test_a_lost_session_is_no_damage_and_gives_no_uuid_two_ids(
    server: Server, index: str, count: int, autocommit: bool
) -> None:
    table = f"lost_{index}_{count}_{autocommit}"
    ids = UuidMap(server.url("mysql"), table=table, index=index)  # type: ignore[arg-type]
    ids.install()
    failed = left = 0
    while True:
        uuids = [idgen.v7() for _ in range(count)]
        # Another client claims the same UUIDs at that moment.
        lost = functools.partial(ids.ids_of, uuids)
        connection = Reconnecting(server, left, autocommit=autocommit, lost=lost)
        # A new client reads back what it stores.
        own = UuidMap(server.url("mysql"), table=table)
        try:
            if count == 1:
                claimed = [own.id_of_within(connection, uuids[0])]
            else:
                claimed = own.ids_of_within(connection, uuids)
        except MapError as error:
            assert error.is_transient or isinstance(error, NotInTransactionError), error
            failed += 1
            connection.connection.rollback()
        else:
            connection.connection.commit()
            assert ids.ids_of(uuids) == claimed
        if connection.left > 0:
            break
        left += 1
    assert failed > 3
    with connect(server) as direct, direct.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*), COUNT(DISTINCT uuid) FROM {table}")
        ((rows, uuids_stored),) = cursor.fetchall()
    assert rows == uuids_stored == (left + 1) * count
