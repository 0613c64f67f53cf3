#!/usr/bin/env python3
"""The table of the models in TRUST.md: each remedy that a test takes out, and the promise that the model then finds broken.

    scripts/models.py            compares the table with the sources of the models; `make lint` does this
    scripts/models.py --write    writes it

Exit code 1 if the table differs.
"""

import re
import sys
from pathlib import Path

PAGE = Path("TRUST.md")
BEGIN, END = "<!-- The table is written by scripts/models.py. -->\n", "<!-- End of the table. -->"
# The name of each model, the file of its defects, and that of its promises.
MODELS = [
    ("the map", "rig/map-model/src/defect.rs", "rig/map-model/src/promises.rs"),
    ("the sync and the outbox", "rig/map-model/src/sync/defect.rs", "rig/map-model/src/sync/defect.rs"),
    ("the plan", "rig/plan-model/src/operator.rs", "rig/plan-model/src/operator.rs"),
]


def remedies(source: str) -> dict[str, str]:
    """The variants of the enum, with the first paragraph of their documentation."""
    body = re.search(r"pub enum Defect \{\n(.*?)\n\}", source, re.S)[1]
    return {name: " ".join(re.findall(r"/// (.*)", text)) for text, name in re.findall(r"((?: +///[^\n]*\n)+) +(\w+),", body)}


def promises(source: str) -> dict[str, str]:
    named = re.findall(r'const (\w+): &str = "([^"]+)"', source) + re.findall(r'Promise::(\w+) => "([^"]+)"', source)
    return dict(named)


def broken(source: str) -> dict[str, str]:
    """The name of the promise that each defect breaks; under "_" that of all others."""
    body = re.search(r"pub fn (?:violates|breaks)\(self\).*?\n    \}", source, re.S)[0]
    found = {}
    for arms, promise in re.findall(r"((?:\|?\s*Defect::\w+\s*)+|_ )=> (?:property::|Promise::)?(\w+)", body):
        found.update(dict.fromkeys(re.findall(r"Defect::(\w+)", arms) or ["_"], promise))
    return found


def table() -> str:
    lines = ["| model | without this remedy, or with this fault | the model finds that this does not hold |", "|---|---|---|"]
    for model, defects, of_promises in MODELS:
        source, text = Path(defects).read_text(), promises(Path(of_promises).read_text())
        breaks = broken(source)
        for name, what in remedies(source).items():
            lines.append(f"| [{model}]({defects}) | {what.rstrip('.')} | {text[breaks.get(name, breaks.get('_'))]} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    wanted = f"{before}{BEGIN}\n{table()}\n{END}{after}"
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(wanted)
    elif page != wanted:
        sys.exit(f"models: the table of the models in {PAGE} differs from their sources: scripts/models.py --write")


if __name__ == "__main__":
    main()
