#!/usr/bin/env python3
"""Checks the generators of libraries.json with `idgen check`, and records what it found.

    conformance/run.py record [LIBRARY...]          into conformance/results, all libraries by default
    conformance/run.py show LIBRARY MODE            prints the whole report of one mode, and the commands

Options: --count COUNT ids in each mode (1,000,000), --to FOLDER for the records, --install builds the drivers first.
IDGEN is the binary that checks, target/debug/idgen by default.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import install

HERE = Path(__file__).resolve().parent
IDGEN = os.environ.get("IDGEN", str(HERE.parent / "target/debug/idgen"))
MODES = ("one", "threads", "processes", "fork", "back", "frozen")

# With a clock that is set, a generator is not asked for a million ids: libfaketime reads a file for each reading.
CLOCK_IDS = 100_000
# In seconds. A generator that waits for the next millisecond of a frozen clock never ends.
DEADLINE = {"frozen": 15}
DEFAULT_DEADLINE = 300
# Of the package libfaketime of Debian, where it is.
FAKETIME = next(map(str, Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
# The frozen time, in UTC.
FROZEN = "2026-01-02 03:04:05"
HOURS = 4 * 3_600_000


class NotMeasured(Exception):
    """Why a mode could not be measured."""


@dataclass
class Run:
    """What a mode gave: the files of ids, and what happened."""

    commands: list[str] = field(default_factory=list)
    streams: list[Path] = field(default_factory=list)
    outcome: str | None = None


def manifest() -> dict:
    return json.loads((HERE / "libraries.json").read_text())


def command(library: dict, mode: str, count: int, folder: str = "") -> tuple[list[str], dict[str, str]]:
    """The command of a library's driver, relative to this folder, and its environment."""
    ecosystem = manifest()["ecosystems"][library["ecosystem"]]
    words = [word.replace("{library}", library["id"]) for word in ecosystem["command"]]
    environment = {k: v.replace("{library}", library["id"]) for k, v in ecosystem.get("environment", {}).items()}
    return [*words, library["id"], mode, str(count), *([folder] if folder else [])], environment


def printed(words: list[str], environment: dict[str, str]) -> str:
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in environment.items()), shlex.join(words)])


def failure(stderr: str) -> str:
    """The line that says what went wrong, without the places of a stack trace."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|exception|panic|overflow|failed", line, re.I)]
    line = next((line for line in telling if re.match(r"[\w.]*(Error|Exception|Overflow)\b", line)), None)
    line = line or (telling or lines or ["no message"])[0]
    return re.sub(r"(/[\w.@+-]+){2,}", "…", line)[:200]


def start(words: list[str], environment: dict[str, str], to=subprocess.PIPE) -> subprocess.Popen:
    whole = os.environ | environment
    return subprocess.Popen(words, cwd=HERE, env=whole, stdout=to, stderr=subprocess.PIPE, text=True)


def finished(run: Run, process: subprocess.Popen, deadline: float) -> str:
    """Waits for a driver, notes how it ended, and returns what it printed."""
    try:
        output, errors = process.communicate(timeout=deadline)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        run.outcome = "waits"
        return output or ""
    if process.returncode != 0:
        run.outcome = f"stops: {failure(errors)}"
    return output or ""


def clock_environment(mode: str, ecosystem: str, folder: Path) -> dict[str, str]:
    """What sets the clock of a program. In mode `back` it writes the step itself, into a file."""
    if FAKETIME is None:
        sys.exit("there is no /usr/lib/*/faketime/libfaketime.so.1: install libfaketime")
    always = {"LD_PRELOAD": FAKETIME, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"}
    if mode == "frozen":
        return always | {"FAKETIME": FROZEN}
    if ecosystem == "java":
        # Threads that read such a file at the same time disturb each other, and Java has some: it makes ids until the step.
        return always | {"FAKETIME": "-5s", "FAKETIME_START_AFTER_SECONDS": "5"}
    clock = folder / "clock"
    clock.write_text("+0\n")
    return always | {"FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}


def moved(report: dict | None) -> bool:
    """Whether a frozen clock was not: times in ids are hours apart. Ids that take a later time on purpose stay close."""
    times = [kind["time"] for kind in (report or {"kinds": []})["kinds"] if kind["time"]]
    return any(max(time["back_ms"], time["forward_ms"]) > HOURS for time in times)


def generate(library: dict, mode: str, count: int, folder: Path) -> Run:
    """Runs the driver of a library, except in mode `one`, whose ids are checked while they are made."""
    run = Run()
    deadline = DEADLINE.get(mode, DEFAULT_DEADLINE)
    if mode == "processes":
        words, environment = command(library, "one", count // 2)
        files = [folder / f"process-{i}.txt" for i in (1, 2)]
        with files[0].open("w") as first, files[1].open("w") as second:
            processes = [start(words, environment, to) for to in (first, second)]
            for process in processes:
                finished(run, process, deadline)
        run.commands = [f"{printed(words, environment)} > {file.name}" for file in files]
        run.streams = files
        return run
    faked = clock_environment(mode, library["ecosystem"], folder) if mode in ("back", "frozen") else {}
    words, environment = command(library, mode, count, str(folder))
    shown = [word.replace(str(folder), ".") for word in words]
    run.commands = [printed(shown, environment | {k: v.replace(str(folder), ".") for k, v in faked.items()})]
    output = finished(run, start(words, environment | faked), deadline)
    if faked:
        clock_was_set(mode, output, run)
    run.streams = sorted(folder.glob("*.txt"))
    for file in run.streams:
        whole_lines(file)
    return run


def clock_was_set(mode: str, output: str, run: Run) -> None:
    """Fails if the program's own clock, which it printed twice, did not follow the setting."""
    readings = [int(word) for word in output.split()]
    if len(readings) != 2:
        if run.outcome and run.outcome != "waits":
            return
        raise NotMeasured("the program did not start with a clock that is set")
    before, after = readings
    # On a busy machine, some of the five seconds pass between the readings.
    if (after >= before) if mode == "back" else (before != after):
        raise NotMeasured("this program reads the clock without the C library, so that it cannot be set")


def whole_lines(file: Path) -> None:
    """Cuts off what follows the last end of a line: the program may have been ended while it wrote."""
    content = file.read_bytes()
    if not content.endswith(b"\n"):
        file.write_bytes(content[: content.rfind(b"\n") + 1])


def check(run: Run, live: list[str] | None, environment: dict[str, str], as_json: bool = True) -> dict | None:
    """Calls `idgen check`, on a command or on the files of the run. Returns its report, none if there were no ids."""
    words = ["check", *(["--json"] if as_json else [])]
    if live:
        run.commands.append(printed(["idgen", *words, "--live", "--", *live], environment))
        words += ["--live", "--", *live]
    else:
        if not any(file.stat().st_size for file in run.streams):
            return None
        run.commands.append(shlex.join(["idgen", *words] + [f"--stream={f.stem}={f.name}" for f in run.streams]))
        words += [f"--stream={file.stem}={file}" for file in run.streams]
    done = subprocess.run([IDGEN, *words], cwd=HERE, env=os.environ | environment, capture_output=True, text=True)
    if not as_json:
        print(done.stdout, done.stderr, sep="")
        return None
    if not done.stdout:
        run.outcome = f"stops: {failure(done.stderr)}"
        return None
    return trimmed(json.loads(done.stdout))


def trimmed(report: dict) -> dict:
    """What a record keeps of a report: no ids and no nodes, which would name the network card of this computer."""
    kinds = [
        {name: kind[name] for name in ("kind", "ids", "order", "time", "counter")}
        | {"random": kind["random"] and {name: kind["random"][name] for name in ("bits", "tests", "p")}}
        for kind in report["kinds"]
    ]
    duplicates = {name: report["duplicates"][name] for name in ("repeated", "across_streams")}
    verdicts = [{name: verdict[name] for name in ("rule", "kind", "status", "found")} for verdict in report["verdicts"]]
    for verdict in verdicts:
        verdict["found"] = re.sub(r"\b[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}\b", "…", verdict["found"])
    return {"ids": report["ids"], "bad": report["bad"], "formats": report["formats"], "kinds": kinds,
            "duplicates": duplicates, "verdicts": verdicts}  # fmt: skip


def measure(library: dict, mode: str, count: int, as_json: bool = True) -> dict:
    """One mode of one library, as its record."""
    reason = manifest()["ecosystems"][library["ecosystem"]].get("not_measured", {}).get(mode)
    if reason:
        return {"not_measured": reason}
    if mode in ("back", "frozen"):
        count = min(count, CLOCK_IDS)
    with tempfile.TemporaryDirectory(prefix="idgen-conformance-") as folder:
        try:
            if mode == "one":
                run = Run()
                words, environment = command(library, mode, count)
                report = check(run, words, environment, as_json)
            else:
                run = generate(library, mode, count, Path(folder))
                report = check(run, None, {}, as_json)
                if mode == "frozen" and moved(report):
                    raise NotMeasured("the clock of this program did not stand still")
        except NotMeasured as why:
            return {"not_measured": str(why)}
    return {"commands": run.commands, "outcome": run.outcome, "report": report}


def record(libraries: list[dict], count: int, folder: Path, modes: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for library in libraries:
        path = folder / f"{library['id']}.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        kept = before.get("modes", {}) if before.get("version") == library["version"] else {}
        found = {mode: kept[mode] for mode in MODES if mode in kept}
        for mode in modes:
            found[mode] = measure(library, mode, count)
            print(library["id"], mode, summary(found[mode]), flush=True)
        runtime = install.runtime(library["ecosystem"])
        whole = {"library": library["id"], "version": library["version"], "recorded": date.today().isoformat(),
                 "runtime": runtime, "count": count,
                 "modes": {mode: found[mode] for mode in MODES if mode in found}}  # fmt: skip
        path.write_text(written(whole))


def written(record: dict) -> str:
    """A record as JSON, with the innermost lists and objects on one line each."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    return re.sub(r"[\[{]\n[^\[\]{}]*[\]}]", lambda inner: re.sub(r"\n\s*", " ", inner[0]), text) + "\n"


def summary(found: dict) -> str:
    if reason := found.get("not_measured"):
        return f"not measured: {reason}"
    failing = [v["rule"] for v in (found["report"] or {"verdicts": []})["verdicts"] if v["status"] == "fails"]
    return " ".join(filter(None, [found["outcome"], "fails: " + ", ".join(failing) if failing else "no rule fails"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "show"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--to", type=Path, default=HERE / "results")
    parser.add_argument("--modes", default=",".join(MODES), help="the others keep their record")
    parser.add_argument("--install", action="store_true")
    arguments = parser.parse_args()
    known = {library["id"]: library for library in manifest()["libraries"]}
    names, modes = arguments.names or list(known), arguments.modes.split(",")
    if arguments.action == "show":
        if len(names) != 2 or names[1] not in MODES:
            parser.error(f"name a library and a mode: {', '.join(MODES)}")
        names, modes = names[:1], names[1:]
    if unknown := [mode for mode in modes if mode not in MODES]:
        parser.error(f"there is no mode {', '.join(unknown)}: use {', '.join(MODES)}")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"libraries.json has no {', '.join(unknown)}; it has {', '.join(known)}")
    libraries = [known[name] for name in names]
    if arguments.install:
        install.install(libraries)
    if arguments.action == "record":
        record(libraries, arguments.count, arguments.to, modes)
        return 0
    found = measure(libraries[0], modes[0], arguments.count, as_json=False)
    print(found.get("not_measured") or "\n".join([*found["commands"], found["outcome"] or ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
