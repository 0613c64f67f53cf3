"""`idgen survey` on the tables that Django's own migrations make: its figures agree with counts by hand."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from servers import Server

HERE = pathlib.Path(__file__).parent


@contextlib.contextmanager
def database(
    kind: str, request: pytest.FixtureRequest, folder: pathlib.Path
) -> Iterator[tuple[dict[str, Any], str]]:
    """The settings of Django, and the URL of the survey, for a database that has no other tables."""
    if kind == "sqlite":
        name = str(folder / "django.db")
        yield {"ENGINE": "django.db.backends.sqlite3", "NAME": name}, f"sqlite:{name}"
        return
    shared: Server = request.getfixturevalue(kind)
    server = dataclasses.replace(shared, database=f"{shared.database}_django")
    with shared.connect() as connection:
        connection.cursor().execute(f"CREATE DATABASE {server.database}")
    try:
        yield of_server(kind, server)
    finally:
        with shared.connect() as connection:
            connection.cursor().execute(f"DROP DATABASE {server.database}")


def of_server(kind: str, server: Server) -> tuple[dict[str, Any], str]:
    engine = "postgresql" if kind == "postgres" else "mysql"
    settings = {
        "ENGINE": f"django.db.backends.{engine}",
        "NAME": server.database,
        "USER": server.user,
        "PASSWORD": server.password,
        "HOST": server.host,
        "PORT": server.port,
    }
    return settings, server.url({"postgres": "postgres", "mysql": "mysql", "mariadb": "mariadb"}[kind])


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "mysql", "mariadb"])
def test_figures_of_djangos_tables(
    kind: str, program: str, request: pytest.FixtureRequest, tmp_path: pathlib.Path
) -> None:
    with database(kind, request, tmp_path) as (settings, url):
        compare(kind, program, settings, url)


# The tables that hold only integers: a counter, and the keys of two other tables.
JOINS = {"auth_group_permissions", "auth_user_groups", "auth_user_user_permissions"}


def compare(kind: str, program: str, settings: dict[str, Any], url: str) -> None:
    """Makes the tables, surveys them, and compares the figures."""
    code = "import pymysql; pymysql.install_as_MySQLdb(); " if kind in ("mysql", "mariadb") else ""
    code += f"import runpy; runpy.run_path({str(HERE / 'survey_django.py')!r}, run_name='__main__')"
    made = subprocess.run(
        [sys.executable, "-c", code, json.dumps(settings)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    expected = json.loads(made.stdout)

    done = subprocess.run(
        [program, "survey", "--json", "--predict", "0"],
        env={**os.environ, "IDGEN_SURVEY_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    survey = json.loads(done.stdout)
    assert survey["tables_seen"] == len(expected["tables"]) + 1, "with that of the migrations"
    assert survey["findings"] == []
    surveyed = {table["table"].rsplit(".", 1)[-1]: table for table in survey["tables"]}
    assert surveyed["django_migrations"]["rows"] == expected["migrations"]
    for name, table in expected["tables"].items():
        if not table["integer"] and not table["foreign"]:
            # The key of a session is a text that nobody decodes. It is a key all the same.
            columns = {column["column"]: column for column in surveyed[name]["columns"]}
            assert columns[table["key"]]["found_by"] == ["primary-key"], columns[table["key"]]
            continue
        if kind == "sqlite" and table["rows"] == 0:
            # Types of columns are only hints there, and there is no value.
            continue
        found = surveyed[name]
        # InnoDB tells which columns are counters, and rows of counters and small integers show nothing.
        whole = name not in JOINS or kind in ("sqlite", "postgres")
        assert (found["rows"], found["whole"], found["key"]) == (table["rows"], whole, [table["key"]]), name
        columns = {column["column"]: column for column in found["columns"]}
        foreign = [column for column, of in columns.items() if "foreign-key" in of["found_by"]]
        assert sorted(foreign) == table["foreign"], name
        if not table["integer"]:
            continue
        cost = columns[table["key"]]["cost"]
        assert cost["references"] == table["references"], name
        if kind != "sqlite":
            assert cost["table_bytes"] == table["rows"] * table["bytes"], name
            # The columns themselves, and at least one index each that carries them.
            assert cost["reference_bytes"] >= 2 * table["referring"] * table["bytes"], name
