"""Real database servers for the tests: in a container, or at a URL that the user gives.

IDGEN_MYSQL_URL, IDGEN_MARIADB_URL (mysql://user:password@host:port) and IDGEN_POSTGRES_URL
(postgres://user:password@host:port) name servers to use; the images are IDGEN_MYSQL_IMAGE,
IDGEN_MARIADB_IMAGE and IDGEN_POSTGRES_IMAGE, or those that scripts/setup.sh builds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

import psycopg
import pymysql

FLAVORS = ("mysql", "mariadb")
OWN_IMAGES = {
    "mysql": "idgen-mysql:9.7",
    "mariadb": "idgen-mariadb:10.11",
    "postgres": "idgen-postgres:18",
}
SECONDS_TO_START = 90
# The memory limit of a container: the kernel ends a faulty server before the machine's memory is used up.
MEMORY = "1696m"


@dataclasses.dataclass(frozen=True)
class Server:
    """The address of a server, and a database that only these tests use."""

    flavor: str
    host: str
    port: int
    user: str
    password: str = dataclasses.field(repr=False)
    database: str

    @classmethod
    @contextlib.contextmanager
    def start(cls, flavor: str) -> Iterator[Server]:
        """Starts a container, or uses the server of the URL; creates a database and drops it again."""
        url = os.environ.get(f"IDGEN_{flavor.upper()}_URL")
        with at_url(flavor, url) if url else container(flavor) as server:
            with wait_for(server) as connection:
                connection.cursor().execute(f"CREATE DATABASE {server.database}")
            try:
                yield server
            finally:
                with server.connect() as connection:
                    # PostgreSQL does not drop a database that a pool is still connected to.
                    force = " WITH (FORCE)" if flavor == "postgres" else ""
                    connection.cursor().execute(f"DROP DATABASE {server.database}{force}")

    def connect(self, database: str | None = None) -> Any:
        """A connection with PyMySQL or psycopg."""
        if self.flavor == "postgres":
            return psycopg.connect(
                host=self.host,
                port=self.port,
                user=self.user,
                password=self.password,
                dbname=database or "postgres",
                autocommit=True,
            )
        return pymysql.connect(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            database=database,
            autocommit=True,
        )

    def url(self, driver: str | None = None) -> str:
        """The URL of the database, for SQLAlchemy."""
        driver = driver or ("postgresql+psycopg" if self.flavor == "postgres" else "mysql+pymysql")
        user, password = (urllib.parse.quote(part, safe="") for part in (self.user, self.password))
        return f"{driver}://{user}:{password}@{self.host}:{self.port}/{self.database}"


@contextlib.contextmanager
def at_url(flavor: str, url: str) -> Iterator[Server]:
    parts = urllib.parse.urlsplit(url)
    user, password = (urllib.parse.unquote(part or "") for part in (parts.username, parts.password))
    port = parts.port or (5432 if flavor == "postgres" else 3306)
    yield Server(flavor, parts.hostname or "127.0.0.1", port, user, password, new_database())


@contextlib.contextmanager
def container(flavor: str) -> Iterator[Server]:
    image = os.environ.get(f"IDGEN_{flavor.upper()}_IMAGE") or OWN_IMAGES[flavor]
    name = f"idgen-python-{flavor}-{secrets.token_hex(8)}"
    password = secrets.token_urlsafe(18)
    port = free_port()
    linux = sys.platform == "linux"
    network = ["--network", "host"] if linux else ["--publish", f"127.0.0.1:{port}:{port}"]
    address = "127.0.0.1" if linux else "*"
    if flavor == "postgres":
        user, variable = "postgres", "POSTGRES_PASSWORD"
        options = [f"-cport={port}", f"-clisten_addresses={address}"]
    else:
        user, variable = "root", "MYSQL_ROOT_PASSWORD"
        options = [f"--port={port}", f"--bind-address={address}", "--skip-name-resolve"]
    if flavor == "mysql":
        options.append("--mysqlx=OFF")
    # The password is passed in the environment, so that no process list shows it.
    docker(
        *("run", "--detach", "--rm", "--name", name, "--label", "idgen-server", *network),
        *("--memory", MEMORY, "--memory-swap", MEMORY, "--env", variable, image, *options),
        environment={variable: password},
    )
    try:
        yield Server(flavor, "127.0.0.1", port, user, password, new_database())
    finally:
        docker("rm", "--force", "--volumes", name)


def docker(*arguments: str, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        ["docker", *arguments], env={**os.environ, **(environment or {})}, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(
            f"docker {arguments[0]} failed (run scripts/setup.sh first): {done.stderr.strip()}"
        )


def wait_for(server: Server) -> Any:
    until = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            return server.connect()
        except (pymysql.err.OperationalError, psycopg.OperationalError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def new_database() -> str:
    return f"idgen_{secrets.token_hex(8)}"


def free_port() -> int:
    """A port below those of clients, as in the Rust tests. Its file stays locked until this program ends."""
    import fcntl  # Containers are started on Unix only.

    for _ in range(1_000):
        port = 10_000 + secrets.randbelow(22_000)
        path = pathlib.Path(tempfile.gettempdir()) / f"idgen-port-{port}.lock"
        try:
            # Never closed: the operating system releases the lock when the program ends.
            lock = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            os.close(lock)
            continue
        return port
    raise RuntimeError("no free port, or no file for its lock")
