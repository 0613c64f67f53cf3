"""The checks of statements beside an application's own functions for the same elements, in both orders."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

APP = pathlib.Path(__file__).parent / "sqlalchemy_order.py"


@pytest.mark.parametrize("order", ["never", "before", "after"])
def test_both_have_their_effect_in_any_order(order: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(APP), order], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.strip() == "all good", done.stdout + done.stderr
