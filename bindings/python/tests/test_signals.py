"""Signals while an id waits for its clock: Control-C ends the wait, and handlers run."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a process cannot send itself these signals")

PRELUDE = """
import os, signal, sys, threading, time
import idgen

# What a shell starts in the background, as `make test &`, begins with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
NOW, HOUR = time.time_ns(), 3600 * 10**9
STATE = sys.argv[1]

def soon(number):
    threading.Timer(0.5, os.kill, (os.getpid(), number)).start()

def ahead(make):
    # A state that is an hour ahead of the system's clock.
    make(clock=lambda: NOW + HOUR, state=STATE)()
"""


def run(code: str, folder: pathlib.Path) -> list[str]:
    """Returns what the code prints. It runs in a process of its own, because the wait might never end."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code), str(folder / "ids.state")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


WAITS = {
    "a clock that stands still": (
        "now = NOW; new = idgen.Short(clock=lambda: now); new.batch(65_536)",
        "new()",
        "now += 10**9; new()",
    ),
    "a clock that was set back": (
        "now = NOW; new = idgen.V7(clock=lambda: now, when_behind='wait'); new(); now -= HOUR",
        "new()",
        "now += HOUR; new()",
    ),
    "the system's clock, 64 bits": (
        "ahead(idgen.Short); new = idgen.Short(state=STATE, when_behind='wait')",
        "new()",
        "idgen.Short()()",
    ),
    "the system's clock, a long batch": (
        "ahead(idgen.V6); new = idgen.V6(state=STATE, when_behind='wait')",
        "new.batch(9_000)",
        "idgen.V6()()",
    ),
    # The longest wait of the generator of the process, whose clock a test cannot set.
    "the process's own generator": ("", "idgen.batch('short', 65_536 * 150)", "idgen.short()"),
}


@pytest.mark.parametrize("prepare, wait, then", WAITS.values(), ids=WAITS.keys())
def test_control_c_ends_a_wait(prepare: str, wait: str, then: str, tmp_path: pathlib.Path) -> None:
    """The interrupted generator works again afterwards."""
    code = f"""
        {prepare}
        soon(signal.SIGINT)
        try:
            {wait}
        except KeyboardInterrupt:
            print("interrupted")
        {then}
    """
    assert run(code, tmp_path) == ["interrupted"]


def test_an_exception_of_a_handler_ends_a_wait(tmp_path: pathlib.Path) -> None:
    code = """
        def enough(*_):
            raise LookupError("enough")

        ahead(idgen.Short)
        new = idgen.Short(state=STATE, when_behind='wait')
        signal.signal(signal.SIGUSR1, enough)
        soon(signal.SIGUSR1)
        try:
            new()
        except LookupError as error:
            print(error)
    """
    assert run(code, tmp_path) == ["enough"]


def test_a_handler_may_use_other_generators(tmp_path: pathlib.Path) -> None:
    """The waiting generator is locked, so the handler gets an error. Others work, and the wait continues."""
    code = """
        now = NOW
        new, other = idgen.Short(clock=lambda: now), idgen.V7(clock=lambda: now)
        new.batch(65_536)

        def handler(*_):
            global now
            print(other().version)
            try:
                new()
            except RuntimeError as error:
                print(error)
            now += 10**9

        signal.signal(signal.SIGUSR1, handler)
        soon(signal.SIGUSR1)
        print(new() >> 32 == now // 10**9)
    """
    other, refusal, done = run(code, tmp_path)
    assert other == "7" and "signal handler" in refusal and done == "True"
