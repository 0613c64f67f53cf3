"""Django's own tests of UUIDField, with BinaryUUIDField in its place, on each database.

The tests are in Django's source distribution, of the version that is installed; pip downloads it once. By
default only the tests of the field run. `make test-django` runs those of every application whose models
have a UUIDField, and also without the replacement: a test that fails then, too, does not count.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tarfile
from typing import Any

import django
import pytest
from servers import Server

OWN = pathlib.Path(__file__).parent / "django_own.py"
CACHE = pathlib.Path(sys.prefix, "django-own")
FEW = ["model_fields.test_uuid", "expressions_case.tests.CaseExpressionTests.test_update_uuid"]
#: Every application whose models have a UUIDField, except for those of PostgreSQL's and GIS' own types.
ALL = [
    *("model_fields.test_uuid", "prefetch_related", "serializers", "fixtures", "basic", "bulk_create"),
    *("expressions", "expressions_case", "model_forms", "model_formsets", "admin_changelist"),
    *("admin_inlines", "admin_widgets", "composite_pk", "auth_tests.test_basic"),
    *("invalid_models_tests.test_ordinary_fields", "forms_tests.field_tests.test_uuidfield"),
]
#: What differs, and why.
EXPLAINED = {
    # Value(uuid) without a field has the type UUIDField, which Django chooses. The lookups convert it.
    "expressions.tests.ValueTests.test_resolve_output_field",
    # It looks for the digits in the text of a query. SQLite shows bytes in capitals: X'C645FAD0...'.
    "admin_changelist.tests.ChangeListTests.test_changelist_view_list_editable_changed_objects_uses_filter",
    # It asserts a duration.
    "serializers.test_deserialization.TestDeserializer.test_crafted_xml_performance",
}
whole = bool(os.environ.get("IDGEN_DJANGO_WHOLE"))


@pytest.fixture(scope="session")
def tests() -> pathlib.Path:
    """The folder `tests` of Django's source distribution."""
    name = f"django-{django.__version__}"
    folder = CACHE / name
    if not folder.is_dir():
        CACHE.mkdir(exist_ok=True)
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
                *(
                    "--no-deps",
                    "--no-binary",
                    "django",
                    "--dest",
                    str(CACHE),
                    f"django=={django.__version__}",
                ),
            ],
            check=True,
        )
        with tarfile.open(next(CACHE.glob("[dD]jango-*.tar.gz"))) as archive:
            archive.extractall(CACHE, filter="data")
        folder = next(path for path in CACHE.iterdir() if path.name.lower() == name)
    return folder / "tests"


def run(tests: pathlib.Path, field: str, engine: str, server: Server | None, labels: list[str]) -> Any:
    database = {"ENGINE": engine, "NAME": f"idgen_own_{field}"}
    if server:
        database |= {
            "HOST": server.host,
            "PORT": str(server.port),
            "USER_NAME": server.user,
            "PASSWORD": server.password,
        }
    done = subprocess.run(
        [sys.executable, str(OWN), str(tests), field, *labels],
        env={**os.environ, **database},
        capture_output=True,
        text=True,
    )
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise AssertionError(done.stdout + done.stderr) from None


def compare(tests: pathlib.Path, engine: str, server: Server | None) -> None:
    labels = ALL if whole else FEW
    binary = run(tests, "binary", engine, server, labels)
    failed = set(binary["failed"]) - EXPLAINED
    if whole:
        plain = run(tests, "plain", engine, server, labels)
        assert plain["run"] == binary["run"]
        failed -= set(plain["failed"])
        print(f"{binary['run']} tests; these fail with UUIDField, too: {plain['failed']}")
    assert binary["run"] > (1500 if whole else 30) and not failed, failed


def test_sqlite(tests: pathlib.Path) -> None:
    compare(tests, "sqlite3", None)


def test_server(tests: pathlib.Path, server: Server) -> None:
    compare(tests, "mysql", server)


def test_postgres(tests: pathlib.Path, postgres: Server) -> None:
    compare(tests, "postgresql", postgres)
