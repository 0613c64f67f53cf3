"""Runs Django's own tests with BinaryUUIDField in the place of UUIDField, as test_django_own.py says.

    django_own.py TESTS plain|binary LABEL...

TESTS is the folder `tests` of Django's source distribution. ENGINE, HOST, PORT, USER_NAME and PASSWORD choose
the database. The last line of the output is a list of the tests that failed, as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import sys
import types
import unittest
from typing import Any

import pymysql
from django.db import models
from django.db.backends.signals import connection_created

# Django imports mysqlclient, which needs a compiler. PyMySQL has the same interface, and takes its name.
pymysql.version_info = (2, 2, 7, "final", 0)
pymysql.install_as_MySQLdb()


def settings() -> types.ModuleType:
    """The settings of Django's tests: two databases of the same server."""
    module = types.ModuleType("idgen_django_own_settings")
    engine = os.environ["ENGINE"]
    databases = {}
    for alias in ("default", "other"):
        database: dict[str, Any] = {"ENGINE": f"django.db.backends.{engine}"}
        if engine != "sqlite3":
            database |= {
                "NAME": "mysql" if engine == "mysql" else "postgres",
                "HOST": os.environ["HOST"],
                "PORT": os.environ["PORT"],
                "USER": os.environ["USER_NAME"],
                "PASSWORD": os.environ["PASSWORD"],
                "TEST": {"NAME": f"{os.environ['NAME']}_{alias}"},
            }
            if engine == "mysql":
                database["TEST"] |= {"CHARSET": "utf8mb4", "COLLATION": "utf8mb4_general_ci"}
        databases[alias] = database
    module.DATABASES = databases  # type: ignore[attr-defined]
    module.SECRET_KEY = "of the tests"  # type: ignore[attr-defined]
    module.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # type: ignore[attr-defined]
    module.DEFAULT_AUTO_FIELD = "django.db.models.AutoField"  # type: ignore[attr-defined]
    module.USE_TZ = False  # type: ignore[attr-defined]
    return module


def with_binary() -> None:
    """Puts the field in the place of Django's."""
    from idgen.django import BinaryUUIDField

    models.UUIDField = BinaryUUIDField  # type: ignore[misc, assignment]

    def in_bytes(connection: Any, **_: Any) -> None:
        # On MariaDB the column is not of the native type, so what is expected is what is expected on MySQL.
        if connection.vendor == "mysql":
            connection.features.__dict__["has_native_uuid_field"] = False

    connection_created.connect(in_bytes, weak=False)


class Recorder(unittest.TextTestResult):
    failed: list[str] = []
    run_of_all = 0

    def startTest(self, test: unittest.TestCase) -> None:
        Recorder.run_of_all += 1
        super().startTest(test)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        Recorder.failed.append(test.id())
        super().addError(test, err)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        Recorder.failed.append(test.id())
        super().addFailure(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            Recorder.failed.append(test.id())
        super().addSubTest(test, subtest, err)


def main() -> None:
    tests, field, *labels = sys.argv[1:]
    if field == "binary":
        with_binary()
    from django.test.runner import DiscoverRunner

    DiscoverRunner.test_runner.resultclass = Recorder
    DiscoverRunner.get_resultclass = lambda self: Recorder  # type: ignore[method-assign, assignment, return-value]
    sys.modules["idgen_django_own_settings"] = settings()
    os.chdir(tests)
    sys.path.insert(0, tests)
    sys.argv = [
        "runtests.py",
        "--settings",
        "idgen_django_own_settings",
        "--noinput",
        "--parallel",
        "1",
        *labels,
    ]
    with contextlib.suppress(SystemExit):
        runpy.run_path("runtests.py", run_name="__main__")
    print(json.dumps({"run": Recorder.run_of_all, "failed": sorted(set(Recorder.failed))}))


main()
