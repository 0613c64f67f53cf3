"""Every public object has a docstring with an example. These examples and those of the guide run as shown."""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import idgen
import idgen.uuid
import pytest

MODULES = (
    "idgen",
    "idgen.uuid",
    "idgen.numpy",
    "idgen.arrow",
    "idgen.pandas",
    "idgen.sqlalchemy",
    "idgen.django",
    "idgen.django.operations",
    "idgen.django.rest",
    "idgen.mysql",
)
#: Bases and values, which have nothing to show.
NO_EXAMPLE = {
    "ClockBehindError",
    "DeviceFields",
    "ForeignId",
    "Inspection",
    "MysqlFields",
    "Odds",
    "OutsideLeaseError",
}
OF_THE_STANDARD = {"SafeUUID", "UUID", "getnode", "main"}


def public() -> Iterator[tuple[str, object]]:
    for name in MODULES:
        module = importlib.import_module(name)
        yield name, module
        for item in module.__all__:
            value = getattr(module, item)
            if callable(value) and item not in OF_THE_STANDARD:
                yield f"{name}.{item}", value
                if inspect.isclass(value) and value.__module__ == "idgen":
                    for method in (
                        "next_str",
                        "next_bytes",
                        "next_int",
                        "next_base64",
                        "batch",
                        "fill_buffer",
                        "set_lease",
                    ):
                        if method in vars(value):
                            yield f"{name}.{item}.{method}", vars(value)[method]


@pytest.mark.parametrize(
    "name, value", list(public()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_docstring(name: str, value: object) -> None:
    doc = inspect.getdoc(value)
    assert doc, f"{name} has no docstring"
    finder = doctest.DocTestParser()
    test = finder.get_doctest(doc, {"idgen": idgen}, name, None, 0)
    framework = name.startswith(("idgen.sqlalchemy", "idgen.django", "idgen.mysql"))
    assert test.examples or framework or name.rsplit(".", 1)[-1] in NO_EXAMPLE, f"{name} shows no example"
    out: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=out.append)
    assert result.failed == 0, "".join(out)


def test_signatures_are_known() -> None:
    """help() and editors show them."""
    for name in idgen.__all__:
        value = getattr(idgen, name)
        if inspect.isbuiltin(value):
            assert inspect.signature(value) is not None
    assert str(inspect.signature(idgen.uuid.uuid1)) == "(node=None, clock_seq=None)"
    assert str(inspect.signature(idgen.v7)) == "()"
    assert str(inspect.signature(idgen.to_str)) == "(id, /)"


CHECKOUT = Path(__file__).parents[3]


def examples(page: str) -> dict[str, list[str]]:
    """The Python blocks of a page, by the heading above them."""
    found: dict[str, list[str]] = {}
    heading, language = "", None
    for line in (CHECKOUT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            language = line.removeprefix("```") if language is None else None
            if language == "python":
                found.setdefault(heading, []).append("")
        elif language is None and line.startswith("#"):
            heading = line.lstrip("# ")
        elif language == "python":
            found[heading][-1] += line + "\n"
    return found


def test_every_example_of_the_guides_is_python() -> None:
    pages = [examples(page) for page in ("docs/python.md", "README.md")]
    blocks = [block for page in pages for section in page.values() for block in section]
    assert len(blocks) > 10
    for block in blocks:
        compile(block, "docs", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize(
    "heading",
    [
        "Quick start",
        "Many at once",
        "The ids of a time",
        "Building generators",
        "Sealed ids",
        "64-bit ids in columns and in JSON",
        "Numbers of devices",
    ],
)
def test_the_examples_of_the_guide_run(heading: str, tmp_path: Path) -> None:
    """One after another, as a reader runs them. Frameworks and the map have tests of their own."""
    names: dict[str, Any] = {
        "idgen": idgen,
        "buffer": bytearray(160),
        "secret": b"a secret of at least 16 bytes",
    }
    for block in examples("docs/python.md")[heading]:
        if "serializers.ModelSerializer" in block:
            continue  # tests/django_app.py has it
        exec(block.replace("/var/lib/app", str(tmp_path)), names)
    if heading == "Quick start":
        assert idgen.parse(names["text"]).version == names["id"].version == 7


def test_the_sessions_of_the_page_about_the_outside_run() -> None:
    sessions = "\n".join(block for blocks in examples("docs/outside.md").values() for block in blocks)
    test = doctest.DocTestParser().get_doctest(sessions, {}, "outside.md", None, 0)
    assert len(test.examples) == 7
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("page", ["ids", "database"])
def test_the_commands_of_a_tutorial_print_what_it_says(page: str, program: str) -> None:
    done = subprocess.run(
        [sys.executable, CHECKOUT / "scripts/tutorials.py", CHECKOUT / f"docs/tutorials/{page}.md"],
        env=os.environ | {"IDGEN": program},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def commands_of(page: Path) -> Iterator[list[str]]:
    """The words of each command `idgen` in blocks of a page for the shell."""
    for block in re.findall(r"^```(?:sh|console)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r" \| | && |; ", line.removeprefix("$ ")):
                if re.match(r"idgen [a-z]", part):
                    yield shlex.split(part, comments=True)


def test_each_option_of_a_command_in_the_pages_exists(program: str) -> None:
    """Also for the skill, whose reader executes the commands without a look at the help."""
    pages = [
        CHECKOUT / "README.md",
        *(CHECKOUT / "docs").glob("*.md"),
        *(CHECKOUT / "docs/tutorials").glob("*.md"),
    ]
    commands = {page: list(commands_of(page)) for page in [*pages, CHECKOUT / "skills/choose-a-key/SKILL.md"]}
    assert sum(map(len, commands.values())) > 80
    assert len(commands[CHECKOUT / "skills/choose-a-key/SKILL.md"]) == 7

    @functools.cache
    def options(*subcommands: str) -> str:
        done = subprocess.run([program, *subcommands, "--help"], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else ""

    for page, found in commands.items():
        for words in found:
            deeper = len(words) > 2 and words[1] in ("lab", "map", "plan", "sql") and options(*words[1:3])
            known = set(re.findall(r"--[a-z][a-z-]*", deeper or options(words[1])))
            for word in words:
                option = word.partition("=")[0]
                if word == "--":
                    break
                assert not option.startswith("--") or option in known, (
                    f"{page.name}: {shlex.join(words)}: {option}"
                )
