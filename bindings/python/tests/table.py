"""The table of kinds, which the Rust library writes: tests/vectors/README.md describes it."""

from __future__ import annotations

import json
import pathlib
from typing import Any

VECTORS = pathlib.Path(__file__).parents[3] / "tests" / "vectors"

#: The rows by the names that the kinds have in Python.
ROWS: dict[str, dict[str, Any]] = {
    row["name"].replace("-", "_"): row for row in json.loads((VECTORS / "kinds.json").read_text())["kinds"]
}
#: The 128-bit kinds with the version in their ids.
UUIDS: dict[str, int | None] = {kind: row["version"] for kind, row in ROWS.items() if row["bits"] == 128}
ASCENDING = [kind for kind in UUIDS if ROWS[kind]["ascending"]]
