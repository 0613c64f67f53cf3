"""No id is repeated with forks, multiprocessing, preforking servers and threads."""

from __future__ import annotations

import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import idgen
import idgen.uuid
import pytest
from fork_helpers import ALL, COUNT, NOT_ACROSS_PROCESSES, make_all, use_all

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
# Python warns that a fork of a threaded process may deadlock. These tests check that it does not.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def merge(parts: list[dict[str, list[str]]]) -> None:
    """Fails if one source returned an id twice, over all processes."""
    for name in parts[0]:
        ids = [id for part in parts for id in part[name]]
        assert len(ids) == len(parts) * COUNT
        assert len(set(ids)) == len(ids), f"{name} repeated {len(ids) - len(set(ids))} ids"


def in_child(work: Any) -> int:
    """Forks; the child sends the result of `work` as JSON. Returns the end of the pipe to read from."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        status = 1
        try:
            os.close(reader)
            with os.fdopen(writer, "w") as out:
                json.dump(work(), out)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    return reader


def answer(reader: int) -> Any:
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    assert os.wait()[1] == 0, "the child failed"
    return json.loads(text)


@posix
def test_children_and_grandchildren_do_not_repeat_their_parents() -> None:
    use_all()
    names = list(ALL)

    def child() -> list[dict[str, list[str]]]:
        grandchild = in_child(lambda: [make_all(names)])
        mine = make_all(names)
        return [mine, *answer(grandchild)]

    readers = [in_child(child) for _ in range(3)]
    parts = [make_all(names)]
    for reader in readers:
        parts += answer(reader)
    assert len(parts) == 7
    merge(parts)


def first_ids_in_children() -> None:
    """Run in a process of its own, which has generated no id yet."""
    # With a node of the caller, only random clock sequences distinguish processes that begin after the fork.
    names = [name for name in ALL if name not in ("uuid1 with node", "uuid6 with node")]
    parts = [answer(reader) for reader in [in_child(lambda: make_all(names)) for _ in range(3)]]
    merge(parts)
    nodes = {int(id) >> 16 & 0xFFFF for part in parts for id in part["short"]}
    assert len(nodes) == 1, "each worker draws a node of 16 bits, which another one may draw too"


@posix
def test_children_of_a_parent_that_only_imported_repeat_nothing() -> None:
    """As with `gunicorn --preload`, the first ids are generated in the workers."""
    code = "import test_fork; test_fork.first_ids_in_children()"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=os.path.dirname(__file__), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


@posix
@pytest.mark.parametrize("make", [idgen.uuid.uuid1, idgen.uuid.uuid6])
def test_processes_with_one_clock_sequence_repeat_nothing(make: Any) -> None:
    """Only the tick distinguishes these ids, so no two processes may use the same tick."""
    begin = time.monotonic() + 0.3

    def work() -> list[int]:
        while time.monotonic() < begin:
            pass
        return [make(5, 6).int for _ in range(300_000)]

    reader = in_child(work)
    ids = work() + answer(reader)
    assert len(set(ids)) == len(ids) == 600_000


@posix
def test_ids_of_the_child_are_newer() -> None:
    """Ids of the child are newer than those that the parent generated before."""
    kinds = [idgen.v7_str, idgen.v6_str, idgen.ulid_str, idgen.prefixed_str]
    before = [make() for make in kinds]
    after = answer(in_child(lambda: [make() for make in kinds]))
    # Ids with equal times differ in random bits, so only the times are certain to be in order.
    assert len(after) == 4 and all(b[:13] <= a[:13] for b, a in zip(before, after)), (before, after)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_multiprocessing_repeats_nothing(method: str) -> None:
    use_all()
    names = [name for name in ALL if method == "fork" or name not in NOT_ACROSS_PROCESSES]
    with multiprocessing.get_context(method).Pool(3) as pool:
        parts = pool.map(make_all, [names] * 6, chunksize=1)
    merge([*parts, make_all(names)])


@posix
def test_a_preforking_server_repeats_nothing() -> None:
    """As with gunicorn: the master loads the application, forks workers, and forks new ones when they end.
    Each worker serves its requests in threads."""
    use_all()
    names = list(ALL)

    def worker() -> list[dict[str, list[str]]]:
        parts: list[dict[str, list[str]]] = []
        threads = [threading.Thread(target=lambda: parts.append(make_all(names))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return parts

    parts: list[dict[str, list[str]]] = []
    for _generation in range(2):
        use_all()
        readers = [in_child(worker) for _ in range(3)]
        for reader in readers:
            parts += answer(reader)
    assert len(parts) == 12
    merge([*parts, make_all(names)])


@posix
def test_a_state_file_belongs_to_the_parent(tmp_path: Any) -> None:
    """The child gets an error, because both would write the file; the parent continues."""
    new = idgen.V7(state=tmp_path / "ids.state")
    first = new()

    def child() -> str:
        try:
            return str(new())
        except RuntimeError as error:
            return str(error)

    assert "fork" in answer(in_child(child))
    assert first < new()


@posix
def test_a_fork_while_a_thread_generates_ids_does_not_hang() -> None:
    """The child raises an error and does not hang, although a thread of the parent still holds the lock."""
    entered, leave = threading.Event(), threading.Event()

    def clock() -> int:
        entered.set()
        leave.wait(30)
        return time.time_ns()

    new = idgen.V7(clock=clock)
    thread = threading.Thread(target=new)
    thread.start()
    assert entered.wait(30)

    def child() -> str:
        try:
            new()
        except RuntimeError as error:
            return str(error)
        return "no error"

    try:
        assert "create a new generator" in answer(in_child(child))
    finally:
        leave.set()
        thread.join()
    assert new().version == 7


@posix
def test_a_fork_during_batches_neither_hangs_nor_repeats() -> None:
    """While threads generate long batches without the GIL, the process forks. Children repeat no ids."""
    stop = threading.Event()
    made: list[int] = []
    shared = idgen.V4()

    def work() -> None:
        while not stop.is_set():
            made.extend(idgen.batch("v4", 3_000, form="int"))
            shared.batch(3_000)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        children = [answer(in_child(lambda: idgen.batch("v4", 3_000, form="int"))) for _ in range(10)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    ids = [*made, *(id for child in children for id in child)]
    assert len(set(ids)) == len(ids)


def test_threads_repeat_nothing() -> None:
    parts: list[dict[str, list[str]]] = []
    names = list(ALL)
    threads = [threading.Thread(target=lambda: parts.append(make_all(names))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    merge(parts)


def test_ids_of_each_thread_ascend() -> None:
    results: list[bool] = []

    def work() -> None:
        ids = [idgen.v7() for _ in range(20_000)]
        results.append(all(a < b for a, b in zip(ids, ids[1:])))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_the_gil_is_free_during_a_long_wait() -> None:
    """A generator that waits for its clock lets the other threads run."""
    new = idgen.Short(when_behind="wait")
    # The ids of three seconds, so that the generator waits for at least one whole second.
    waiting = threading.Thread(target=lambda: new.batch(65_536 * 3))
    waiting.start()
    turns = 0
    while waiting.is_alive():
        turns += 1
        time.sleep(0.001)
    waiting.join()
    assert turns > 3


def test_a_buffer_is_filled_without_the_gil() -> None:
    """While one thread fills a large buffer, another one runs Python code."""
    buffer = bytearray(16 * 2_000_000)
    interval = sys.getswitchinterval()
    # The switch interval is a minute, so this thread runs during a fill only if the other one released the
    # GIL.
    sys.setswitchinterval(60)
    try:
        # On a busy machine this thread may sleep through a whole fill, so there are several. If the fill
        # kept the GIL, there would be no turn in any of them.
        turns = 0
        for _ in range(100):
            done: list[int] = []
            thread = threading.Thread(target=lambda: done.append(idgen.fill("v7", buffer)))
            thread.start()
            while not done:
                turns += 1
                time.sleep(0)
            thread.join()
            assert done == [2_000_000]
            if turns > 0:
                break
    finally:
        sys.setswitchinterval(interval)
    assert turns > 0


def test_the_module_needs_no_gil() -> None:
    """On a free-threaded interpreter, the import does not enable the GIL. Others only check the ids."""
    code = """
        import sys, threading, idgen
        found = []
        threads = [threading.Thread(target=lambda: found.extend(idgen.batch("v7", 20_000))) for _ in range(4)]
        [t.start() for t in threads]; [t.join() for t in threads]
        assert len(set(found)) == 80_000
        print(getattr(sys, "_is_gil_enabled", lambda: True)())
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    free_threaded = hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled()
    assert run.stdout.strip() == str(not free_threaded)


@posix
def test_a_child_does_not_keep_the_lock_of_a_parent_that_has_ended(tmp_path: pathlib.Path) -> None:
    """A server that forks workers is killed, and its successor opens the state while a worker still runs."""
    path = tmp_path / "ids.state"
    program = """
import os, sys, idgen
states = [idgen.V7(state=sys.argv[1] + f".{n}") for n in range(20)]
ids = idgen.V7(state=sys.argv[1])
print(ids(), flush=True)
child = os.fork()
if child == 0:
    # The files that the child opens now have the numbers of the locks that it has closed.
    files = [open(os.devnull, "rb") for _ in range(40)]
    del states, ids
    assert all(file.read(1) == b"" for file in files)
    print("child", os.getpid(), flush=True)
    sys.stdin.read()
    os._exit(0)
try:
    idgen.V7(state=sys.argv[1])
except OSError:
    os._exit(0)
os._exit(1)
"""
    arguments = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        first = server.stdout.readline().strip()
        assert server.stdout.readline().startswith("child ")
        assert server.wait(60) == 0
        # The child lives, because its input is open.
        with idgen.V7(state=path) as successor:
            assert str(successor()) > first
