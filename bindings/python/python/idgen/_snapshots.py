"""The hooks of AWS Lambda SnapStart: each restored copy of a snapshot takes keys of its own."""

from __future__ import annotations

import importlib
import warnings

from idgen._idgen import reseed


def register() -> None:
    """Lets Lambda call ``reseed`` after each restore.

    It also runs before the snapshot: hooks that were registered earlier run earlier after a restore, and may
    generate ids.
    """
    try:
        hooks = importlib.import_module("snapshot_restore_py")
    except ImportError:
        warnings.warn(
            "the package snapshot_restore_py of Lambda's runtime is missing, so idgen does not notice when a "
            "snapshot is restored: call idgen.reseed() after each restore, or install the package",
            RuntimeWarning,
            stacklevel=2,
        )
        return
    hooks.register_before_snapshot(reseed)
    hooks.register_after_restore(reseed)
