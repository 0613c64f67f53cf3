"""Prints ids of a library: driver.py LIBRARY MODE COUNT [FOLDER]. ../../README.md says what the modes are."""

import os
import sys
import threading
import time
import uuid

BURST = 100_000
THREADS = 4
FORKS = 20


def text(generator):
    """The generator's ids as texts."""
    return lambda: str(generator())


def pypi(module: str, name: str):
    """A function of an installed module, which returns ids."""
    return lambda: text(getattr(__import__(module, fromlist=[name]), name))


def python_ulid():
    from ulid import ULID

    return text(ULID)


def ulid_py():
    import ulid

    return text(ulid.monotonic.new)


# Each library: a function that returns its generator.
LIBRARIES = {
    "python-uuid-v4": lambda: text(uuid.uuid4),
    "python-uuid-v1": lambda: text(uuid.uuid1),
    "pypi-uuid6-v7": pypi("uuid6", "uuid7"),
    "pypi-uuid6-v6": pypi("uuid6", "uuid6"),
    "pypi-uuid7": pypi("uuid_extensions", "uuid7"),
    "pypi-uuid-utils-v7": pypi("uuid_utils", "uuid7"),
    "pypi-fastuuid-v7": pypi("fastuuid", "uuid7"),
    "pypi-uuid-v7": pypi("uuid_v7.base", "uuid7"),
    "pypi-python-ulid": python_ulid,
    "pypi-ulid-py": ulid_py,
}


def burst(generator, count: int, file, size: int = BURST) -> None:
    """Makes ids in bursts, and writes each burst when it is complete."""
    while count > 0:
        ids = [generator() for _ in range(min(count, size))]
        file.write("\n".join(ids) + "\n")
        file.flush()
        count -= size


def to_file(path: str, generator, count: int) -> None:
    with open(path, "w") as file:
        burst(generator, count, file)


def clocks(a: float, b: float) -> None:
    """Prints two readings of the clock in milliseconds, so that the caller knows whether it was set."""
    print(int(a * 1000), int(b * 1000), flush=True)


def forked(generator, count: int, folder: str) -> None:
    """Forks FORKS times, each time right after an id. Parent and child then make so many ids each."""
    with open(f"{folder}/parent.txt", "w") as file:
        for i in range(FORKS):
            last = generator()
            child = os.fork()
            if child == 0:
                to_file(f"{folder}/child-{i + 1}.txt", generator, count)
                os._exit(0)
            ids = [last, *(generator() for _ in range(count))]
            file.write("\n".join(ids) + "\n")
            file.flush()
            if os.waitpid(child, 0)[1] != 0:
                sys.exit("the child failed")


def main(library: str, mode: str, count: int, folder: str) -> None:
    generator = LIBRARIES[library]()
    if mode == "one":
        burst(generator, count, sys.stdout)
    elif mode == "threads":
        # By default a thread runs for 5 ms, which hides what two threads do to each other.
        sys.setswitchinterval(1e-6)
        paths = [f"{folder}/thread-{i + 1}.txt" for i in range(THREADS)]
        threads = [threading.Thread(target=to_file, args=(path, generator, count // THREADS)) for path in paths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    elif mode == "fork":
        forked(generator, count // (2 * FORKS), folder)
    elif mode == "back":
        with open(f"{folder}/ids.txt", "w") as file:
            burst(generator, count // 2, file)
            before = time.time()
            with open(os.environ["FAKETIME_TIMESTAMP_FILE"], "w") as clock:
                clock.write("-5\n")
            clocks(before, time.time())
            burst(generator, count // 2, file)
    elif mode == "frozen":
        before = time.time()
        # Not sleep, which fails in Python while the clock is frozen.
        sum(range(3_000_000))
        clocks(before, time.time())
        with open(f"{folder}/ids.txt", "w") as file:
            burst(generator, count, file, 256)
    else:
        sys.exit(f"no mode {mode}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
