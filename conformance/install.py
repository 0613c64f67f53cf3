"""Builds the drivers of conformance/drivers, and installs the pinned libraries with the ordinary client of each registry."""

import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DRIVERS = HERE / "drivers"
BUILD = HERE / "build"

# The libraries that the driver for Rust has without its feature `all`.
SMALL = ("idgen-", "crates-uuid-v")


def call(words: list[str], folder: Path) -> None:
    done = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed in {folder.name}:\n{done.stderr[-2000:]}")


def rust(libraries: list[dict]) -> None:
    small = all(library["id"].startswith(SMALL) for library in libraries)
    features = [] if small else ["--features", "all"]
    call(["cargo", "build", "--release", "--target-dir", "target", *features], DRIVERS / "rust")


def node(_: list[dict]) -> None:
    call(["npm", "ci", "--no-audit", "--no-fund"], DRIVERS / "node")


def python(libraries: list[dict]) -> None:
    """Each library in a folder of its own: two of them have the same module."""
    for library in libraries:
        folder = BUILD / "python" / library["id"]
        mark = folder / ".version"
        if not library["package"] or (mark.exists() and mark.read_text() == library["version"]):
            continue
        wanted = f"{library['package']}=={library['version']}"
        call([sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(folder), wanted], HERE)
        mark.write_text(library["version"])


def go(_: list[dict]) -> None:
    call(["go", "build", "-o", str(BUILD / "go-driver"), "."], DRIVERS / "go")


def java(_: list[dict]) -> None:
    jars, classes = BUILD / "java" / "lib", BUILD / "java" / "classes"
    call(["mvn", "-B", "-q", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"], DRIVERS / "java")
    call(["javac", "-cp", f"{jars}/*", "-d", str(classes), "Driver.java"], DRIVERS / "java")


INSTALLERS = {"rust": rust, "node": node, "python": python, "go": go, "java": java}


def install(libraries: list[dict]) -> None:
    BUILD.mkdir(exist_ok=True)
    for ecosystem, installer in INSTALLERS.items():
        if own := [library for library in libraries if library["ecosystem"] == ecosystem]:
            installer(own)


def runtime(ecosystem: str) -> str:
    """The version of what runs the libraries of an ecosystem."""
    if ecosystem == "python":
        return f"Python {platform.python_version()}"
    words = {"rust": ["rustc", "--version"], "node": ["node", "--version"], "go": ["go", "version"],
             "java": ["java", "--version"]}[ecosystem]  # fmt: skip
    line = subprocess.run(words, capture_output=True, text=True, check=True, env=os.environ).stdout.splitlines()[0]
    return f"Node {line.removeprefix('v')}" if ecosystem == "node" else line
