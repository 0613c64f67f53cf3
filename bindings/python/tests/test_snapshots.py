"""The hooks of Lambda SnapStart. The test calls them as Lambda's runtime does."""

from __future__ import annotations

import os
import subprocess
import sys

NODES = """
import warnings

warnings.simplefilter("error")
import idgen
import snapshot_restore_py as hooks


def run(registered):
    for function, arguments, keywords in registered:
        function(*arguments, **keywords)


nodes = [idgen.v1().node, idgen.v1().node]
run(reversed(hooks.get_before_snapshot()))
nodes.append(idgen.v1().node)
for _ in range(2):
    run(hooks.get_after_restore())
    nodes.append(idgen.v1().node)
print(*(nodes.index(node) for node in nodes))
"""


def run(code: str, *options: str, snap_start: bool) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start" if snap_start else "on-demand",
    }
    return subprocess.run(
        [sys.executable, *options, "-c", code], env=environment, check=True, text=True, capture_output=True
    )


def test_each_restore_takes_another_node_without_a_call() -> None:
    assert run(NODES, snap_start=True).stdout.split() == ["0", "0", "2", "3", "4"]
    assert run(NODES, snap_start=False).stdout.split() == ["0"] * 5


def test_a_missing_package_is_a_warning() -> None:
    without = "import sys; sys.modules['snapshot_restore_py'] = None; import idgen; idgen.v4()"
    assert "idgen.reseed() after each restore" in run(without, snap_start=True).stderr
    assert run(without, snap_start=False).stderr == ""


def test_nothing_is_imported_elsewhere() -> None:
    code = "import sys, idgen; print('snapshot_restore_py' in sys.modules, 'idgen._snapshots' in sys.modules)"
    assert run(code, snap_start=False).stdout == "False False\n"
