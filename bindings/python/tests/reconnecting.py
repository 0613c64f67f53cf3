"""A driver that makes a lost connection anew by itself, as some do at the user's request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymysql
from servers import Server


def connect(server: Server) -> Any:
    return pymysql.connect(
        host=server.host,
        port=server.port,
        user=server.user,
        password=server.password,
        database=server.database,
    )


class Reconnecting:
    """A connection in a transaction, lost before the statement number `left`, which a new one carries out."""

    def __init__(
        self,
        server: Server,
        left: int,
        *,
        autocommit: bool = True,
        lost: Callable[[], Any] = lambda: None,
    ) -> None:
        self.server, self.left, self.autocommit, self.lost = server, left, autocommit, lost
        self.connection = self._open()
        self.connection.begin()

    def _open(self) -> Any:
        connection = connect(self.server)
        connection.autocommit(self.autocommit)
        return connection

    def cursor(self) -> Any:
        if self.left == 0:
            self.connection.close()
            self.connection = self._open()
            self.lost()
        self.left -= 1
        return self.connection.cursor()
