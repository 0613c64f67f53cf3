"""The model fields, on SQLite and on real servers, each in its own process, because Django is set up once."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from servers import Server

APP = pathlib.Path(__file__).parent / "django_app.py"
APPS = [
    APP,
    APP.with_name("django_lookups.py"),
    APP.with_name("django_convert.py"),
    APP.with_name("django_across.py"),
    APP.with_name("django_mixed.py"),
    APP.with_name("django_pickled.py"),
]
MODELS = APP.with_name("django_models.py")


@pytest.fixture(params=APPS, ids=lambda path: path.stem)
def app(request: pytest.FixtureRequest) -> pathlib.Path:
    return request.param  # type: ignore[no-any-return]


def run(app: pathlib.Path, database: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(app)],
        env={**os.environ, **database},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.strip() == "all good", done.stdout + done.stderr


def test_sqlite(app: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run(app, {"ENGINE": "sqlite3", "NAME": str(tmp_path / "test.db")})


def test_server(app: pathlib.Path, server: Server) -> None:
    run(
        app,
        {
            "ENGINE": "mysql",
            "NAME": server.database,
            "HOST": server.host,
            "PORT": str(server.port),
            "USER_NAME": server.user,
            "PASSWORD": server.password,
        },
    )


def test_postgres(app: pathlib.Path, postgres: Server) -> None:
    run(
        app,
        {
            "ENGINE": "postgresql",
            "NAME": postgres.database,
            "HOST": postgres.host,
            "PORT": str(postgres.port),
            "USER_NAME": postgres.user,
            "PASSWORD": postgres.password,
        },
    )


@pytest.mark.parametrize(
    "example", ["id = BinaryUUIDField(primary_key=True, default=idgen.v7, editable=False)"]
)
def test_the_example_is_what_is_tested(example: str) -> None:
    assert example in MODELS.read_text()
