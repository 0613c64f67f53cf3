"""The type hints: complete, true to the module, and understood by mypy and pyright."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import idgen

HERE = pathlib.Path(__file__).parent
INSTALLED = pathlib.Path(idgen.__file__).parent
ALLOWED = HERE / "stubtest_allowlist.txt"
CONFIG = HERE.parent / "pyproject.toml"


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_marked_as_typed() -> None:
    assert (INSTALLED / "py.typed").exists() and (INSTALLED / "_idgen.pyi").exists()


def test_mypy_strict() -> None:
    run("mypy", "--config-file", str(CONFIG), "-p", "idgen")
    run("mypy", "--config-file", str(CONFIG), str(HERE / "typing_use.py"))


def test_the_hints_are_those_of_the_module() -> None:
    """stubtest imports the native half and compares it with its hints, argument by argument."""
    run("mypy.stubtest", "idgen._idgen", "--mypy-config-file", str(CONFIG), "--allowlist", str(ALLOWED))


def test_pyright_strict(tmp_path: pathlib.Path) -> None:
    config = tmp_path / "pyrightconfig.json"
    config.write_text(
        f'{{"typeCheckingMode": "strict", "include": ["{HERE / "typing_use.py"}"], '
        f'"reportUnnecessaryTypeIgnoreComment": false, "enableTypeIgnoreComments": false}}'
    )
    run("pyright", "--project", str(config), "--pythonpath", sys.executable)
