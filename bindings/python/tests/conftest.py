"""Fixtures for all tests."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from servers import FLAVORS, Server
from table import VECTORS

ROOT = pathlib.Path(__file__).parents[3]


@pytest.fixture(scope="session")
def mysql_vectors() -> dict[str, Any]:
    """Values that a real MySQL server computed."""
    return json.loads((VECTORS / "mysql-9.7.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def rfc_vectors() -> list[dict[str, Any]]:
    """The examples of RFC 9562."""
    return json.loads((VECTORS / "rfc9562.json").read_text())["vectors"]  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def prefixed_vectors() -> dict[str, Any]:
    """Values that prefixed_reference.py computed."""
    return json.loads((VECTORS / "prefixed.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def program() -> str:
    """The program of the checkout, which is built if it is not there. IDGEN names another one."""
    given = os.environ.get("IDGEN")
    if given:
        return given
    built = ROOT / "target" / "debug" / "idgen"
    if not built.is_file():
        subprocess.run(["cargo", "build", "--quiet", "--workspace", "--bin", "idgen"], cwd=ROOT, check=True)
    return str(built)


@pytest.fixture(scope="session")
def mysql() -> Iterator[Server]:
    """A running MySQL. Without one the tests fail."""
    with Server.start("mysql") as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    """A running MariaDB. Without one the tests fail."""
    with Server.start("mariadb") as server:
        yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A running PostgreSQL. Without one the tests fail."""
    with Server.start("postgres") as server:
        yield server


@pytest.fixture(params=FLAVORS)
def server(request: pytest.FixtureRequest) -> Any:
    """MySQL and MariaDB."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A schema for maps on each of them, which is empty again after the test."""
    yield server.url("mysql")
    with server.connect(server.database) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW TABLES")
        for (table,) in cursor.fetchall():
            cursor.execute(f"DROP TABLE `{table}`")
