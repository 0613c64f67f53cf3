"""The rows of docs/drivers.md about Go, Java and PHP: programs in drivers/ print what their drivers do."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import urllib.request
from typing import Any

import idgen
import pytest
from servers import Server

PROGRAMS = pathlib.Path(__file__).parent / "drivers"
ID = str(idgen.v7())
SHORT = str((1 << 63) | idgen.short())
MAVEN = "https://repo.maven.apache.org/maven2/"
JARS = [
    "com/mysql/mysql-connector-j/9.4.0/mysql-connector-j-9.4.0.jar",
    "org/mariadb/jdbc/mariadb-java-client/3.5.6/mariadb-java-client-3.5.6.jar",
    "org/postgresql/postgresql/42.7.7/postgresql-42.7.7.jar",
    "org/xerial/sqlite-jdbc/3.50.3.0/sqlite-jdbc-3.50.3.0.jar",
    "org/slf4j/slf4j-api/2.0.17/slf4j-api-2.0.17.jar",
]
COLUMNS = {
    "mysql": "b BINARY(16), s BIGINT UNSIGNED",
    "mariadb": "b BINARY(16), s BIGINT UNSIGNED, u UUID",
    "postgres": "b bytea, s numeric(20), u uuid",
    "sqlite": "b BLOB",
}


# What a bound form of an id finds in a column (b: bytes, s: 64 bits, u: UUID), and the type of what is read.
GO_BYTES = {"b-bytes": "1", "b-text": "0", "b-uuid": "0", "b": "[]uint8"}
GO_MYSQL = {**GO_BYTES, "s-uint64": "1", "s-text": "1", "s": "uint64"}
GO = {
    "mysql": GO_MYSQL,
    "mariadb": {**GO_MYSQL, "u-text": "1", "u-bytes": "0", "u-uuid": "1", "u": "[]uint8"},
    "postgres": {**GO_MYSQL, "s": "string", "u-text": "1", "u-bytes": "1", "u-uuid": "1", "u": "string"},
    "sqlite": GO_BYTES,
}
JAVA_BYTES = {"b-bytes": "1", "b-text": "0", "b-uuid": "0", "b": "byte[]"}
JAVA_MYSQL = {**JAVA_BYTES, "s-decimal": "1", "s-long": "0", "s": "BigInteger", "s-getLong": "refused"}
JAVA = {
    "mysql": JAVA_MYSQL,
    "mariadb": {**JAVA_MYSQL, "u-uuid": "1", "u-text": "1", "u-bytes": "1", "u": "UUID"},
    "postgres": {
        **JAVA_MYSQL,
        "b-text": "refused",
        "b-uuid": "refused",
        "s": "BigDecimal",
        "u-uuid": "1",
        "u-text": "refused",
        "u-bytes": "refused",
        "u": "UUID",
    },
    "sqlite": JAVA_BYTES,
}
PHP_MYSQL = {
    "b-lob": "1",
    "b-bytes": "1",
    "b-text": "0",
    "b": "string",
    "s-text": "1",
    "s": "string",
    "s-int": "another",
}
PHP = {
    "mysql": PHP_MYSQL,
    "mariadb": {**PHP_MYSQL, "u-text": "1", "u-lob": "0", "u": "string"},
    "postgres": {
        **PHP_MYSQL,
        "b-bytes": "refused",
        "b": "resource (stream)",
        "u-text": "1",
        "u-lob": "1",
        "u": "string",
    },
    "sqlite": {"b-lob": "1", "b-bytes": "0", "b-text": "0", "b": "string"},
}


def run(*command: str, cwd: pathlib.Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(environment or {})}, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.fixture(scope="session")
def go(tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("go") / "drivers"
    # Without C: the driver for SQLite needs no compiler.
    run("go", "build", "-o", str(program), ".", cwd=PROGRAMS / "go", environment={"CGO_ENABLED": "0"})
    return str(program)


@pytest.fixture(scope="session")
def java(tmp_path_factory: pytest.TempPathFactory) -> str:
    repository = pathlib.Path.home() / ".m2/repository"
    for jar in JARS:
        if not (repository / jar).exists():
            (repository / jar).parent.mkdir(parents=True, exist_ok=True)
            part = repository / f"{jar}.{os.getpid()}"
            with urllib.request.urlopen(MAVEN + jar) as answer, part.open("wb") as file:
                shutil.copyfileobj(answer, file)
            part.rename(repository / jar)
    classes = tmp_path_factory.mktemp("java")
    run("javac", "-Xlint:all", "-d", str(classes), "Drivers.java", cwd=PROGRAMS / "java")
    return os.pathsep.join([str(classes), *(str(repository / jar) for jar in JARS)])


def facts(server: Server | None, command: list[str], tmp_path: pathlib.Path) -> dict[str, str]:
    flavor = server.flavor if server else "sqlite"
    try:
        printed = run(*command, COLUMNS[flavor], ID, SHORT, cwd=tmp_path)
        return dict(line.split(" ", 1) for line in printed.splitlines())
    finally:
        if server:
            with server.connect(server.database) as connection:
                connection.cursor().execute("DROP TABLE IF EXISTS ids")
                connection.commit()


def server_of(flavor: str, request: pytest.FixtureRequest) -> Any:
    return None if flavor == "sqlite" else request.getfixturevalue(flavor)


@pytest.mark.parametrize(("flavor", "expected"), GO.items())
def test_go(flavor: str, expected: dict[str, str], go: str, request: Any, tmp_path: pathlib.Path) -> None:
    server = server_of(flavor, request)
    if server is None:
        source = ["sqlite", str(tmp_path / "ids.db")]
    elif flavor == "postgres":
        source = [
            "pgx",
            f"postgres://{server.user}:{server.password}@{server.host}:{server.port}/{server.database}",
        ]
    else:
        source = [
            "mysql",
            f"{server.user}:{server.password}@tcp({server.host}:{server.port})/{server.database}",
        ]
    assert facts(server, [go, *source], tmp_path) == expected


@pytest.mark.parametrize(("flavor", "expected"), JAVA.items())
def test_java(flavor: str, expected: dict[str, str], java: str, request: Any, tmp_path: pathlib.Path) -> None:
    server = server_of(flavor, request)
    user = [server.user, server.password] if server else ["", ""]
    if server is None:
        url = f"jdbc:sqlite:{tmp_path / 'ids.db'}"
    else:
        scheme = {"postgres": "postgresql"}.get(flavor, flavor)
        url = f"jdbc:{scheme}://{server.host}:{server.port}/{server.database}"
    if flavor == "mysql":
        url += "?allowPublicKeyRetrieval=true"
    assert facts(server, ["java", "-cp", java, "Drivers", url, *user], tmp_path) == expected


@pytest.mark.parametrize(("flavor", "expected"), PHP.items())
def test_php(flavor: str, expected: dict[str, str], request: Any, tmp_path: pathlib.Path) -> None:
    server = server_of(flavor, request)
    user = [server.user, server.password] if server else ["", ""]
    if server is None:
        source = f"sqlite:{tmp_path / 'ids.db'}"
    else:
        scheme = "pgsql" if flavor == "postgres" else "mysql"
        source = f"{scheme}:host={server.host};port={server.port};dbname={server.database}"
    command = ["php", str(PROGRAMS / "php" / "drivers.php"), source, *user]
    assert facts(server, command, tmp_path) == expected
