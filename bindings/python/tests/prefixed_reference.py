"""An independent implementation of keyed prefixes and ascending tails, written from DESIGN.md alone.

``python tests/prefixed_reference.py`` prints what tests/vectors/prefixed.json holds.
"""

from __future__ import annotations

import hmac
import json
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

SECRET = "0123456789abcdef"
MASK = 0xFFFFFFFF
#: The ids of the vectors end with these random bits.
RANDOM = 0x0123456789ABCDEF


def chacha20(key: bytes) -> Iterator[int]:
    """The keystream of RFC 8439 with a nonce of zeros, counter from 0, as little-endian 64-bit words."""
    constants = struct.unpack("<4I", b"expand 32-byte k")
    words = struct.unpack("<8I", key)
    counter = 0
    while True:
        start = [*constants, *words, counter, 0, 0, 0]
        x = list(start)
        for _ in range(10):
            for a, b, c, d in (
                (0, 4, 8, 12),
                (1, 5, 9, 13),
                (2, 6, 10, 14),
                (3, 7, 11, 15),
                (0, 5, 10, 15),
                (1, 6, 11, 12),
                (2, 7, 8, 13),
                (3, 4, 9, 14),
            ):
                for shifts in ((16, 12), (8, 7)):
                    x[a] = x[a] + x[b] & MASK
                    x[d] ^= x[a]
                    x[d] = (x[d] << shifts[0] | x[d] >> 32 - shifts[0]) & MASK
                    x[c] = x[c] + x[d] & MASK
                    x[b] ^= x[c]
                    x[b] = (x[b] << shifts[1] | x[b] >> 32 - shifts[1]) & MASK
        block = struct.pack("<16I", *(n + m & MASK for n, m in zip(x, start)))
        yield from struct.unpack("<8Q", block)
        counter += 1


@lru_cache
def permutation(secret: str, writer: str | None, number: int) -> list[int]:
    """The prefixes of all intervals of a round."""
    key = writer_key(secret, writer)
    draws = chacha20(hmac.digest(key, b"round " + struct.pack(">q", number), "sha256"))
    intervals = list(range(65_536))
    for last in range(65_535, 0, -1):
        other = next(draws) * (last + 1) >> 64
        intervals[last], intervals[other] = intervals[other], intervals[last]
    prefixes = [0] * 65_536
    for prefix, interval in enumerate(intervals):
        prefixes[interval] = prefix
    return prefixes


def keyed_prefix(secret: str, writer: str | None, number: int) -> int:
    """The prefix of an interval."""
    return permutation(secret, writer, number // 65_536)[number % 65_536]


def writer_key(secret: str, writer: str | None) -> bytes:
    """The key of all permutations and tags of a writer."""
    key = hmac.digest(secret.encode(), b"idgen prefix 2", "sha256")
    return key if writer is None else hmac.digest(key, b"writer " + writer.encode(), "sha256")


def writer_tag(secret: str, writer: str, prefix: int) -> int:
    """The 12 bits that stand for a named writer after a prefix."""
    mac = hmac.digest(writer_key(secret, writer), b"tag " + struct.pack(">H", prefix), "sha256")
    return int.from_bytes(mac[:2], "big") >> 4


def sequential_tag(writer: str) -> int:
    """The 12 bits that stand for a writer after a sequential prefix."""
    return int.from_bytes(hmac.digest(b"idgen writer", b"name " + writer.encode(), "sha256")[:2], "big") >> 4


def fraction(ticks: int) -> int:
    """The 12 bits of a fraction of the millisecond, from the 100 ns after it: 64 to 4,095."""
    return 64 + ticks * 4_032 // 10_000


def keyed_id(prefix: int, seconds: int, unix_ms: int, ticks: int, counter: int, random: int) -> str:
    """An id with a keyed prefix: round and offset, the fraction, a counter of 22 bits, 40 random."""
    length = seconds * 1_000
    number, offset = divmod(unix_ms, length)
    bits = (length - 1).bit_length()
    middle = number // 65_536 << bits | offset
    assert middle < 1 << 32 and 1 << 16 <= counter < 1 << 22
    top = prefix << 48 | middle << 16 | 8 << 12 | fraction(ticks)
    low = 0b10 << 62 | counter << 40 | random & (1 << 40) - 1
    return f"{top << 64 | low:032x}"


def named_id(prefix: int, tag: int, seconds: int, unix_ms: int, ticks: int, counter: int, random: int) -> str:
    """An id of a named writer: tag, round and offset in the 44 bits that other prefixes have for the time."""
    length = seconds * 1_000
    number, offset = divmod(unix_ms, length)
    middle = number // 65_536 << (length - 1).bit_length() | offset
    assert middle < 1 << 32
    return time_id(prefix, tag << 32 | middle, ticks, counter, random)


def time_id(prefix: int, unix_ms: int, ticks: int, counter: int, random: int) -> str:
    """An id with another prefix: 44 bits of milliseconds, the fraction, a counter of 18 bits, 32 random."""
    assert counter < 1 << 18
    top = prefix << 48 | unix_ms >> 12 << 16 | 8 << 12 | unix_ms & 0xFFF
    low = 0b10 << 62 | fraction(ticks) << 50 | counter << 32 | random & (1 << 32) - 1
    return f"{top << 64 | low:032x}"


def long_id(prefix: int, unix_ms: int, ticks: int, counter: int, random: int) -> str:
    """An id with a fixed prefix of 32 bits: milliseconds 42, the fraction, counter 11, random 24."""
    assert unix_ms < 1 << 42 and counter < 1 << 11
    time = f"{unix_ms << 12 | fraction(ticks):054b}"
    bits = (
        f"{prefix:032b}{time[:16]}1000{time[16:28]}101{time[28:]}{counter:011b}{random & (1 << 24) - 1:024b}"
    )
    assert len(bits) == 128
    return f"{int(bits, 2):032x}"


def vectors() -> dict[str, Any]:
    """The content of tests/vectors/prefixed.json."""
    prefixes = [
        {"secret": SECRET, "writer": writer, "number": number, "prefix": keyed_prefix(SECRET, writer, number)}
        for writer, base in ((None, 0), ("a", 29_700_000 // 65_536 * 65_536), ("round ", 65_536))
        for number in (*(base + n for n in (0, 1, 2, 3, 255, 12_480, 65_534, 65_535)),)
    ]
    keyed = []
    for seconds, unix_ms, ticks, counter in (
        (60, 1_795_262_400_123, 0, 0x10000),
        (60, 59_999, 9_999, (1 << 22) - 1),
        (60, 60_000 * 65_536 * 65_536 - 1, 4_567, 0x1BCDEF),
        (90, 1_795_262_400_123, 2, 0x10001),
        (3_600, 1_795_262_400_123, 3, 0x1FFFF),
        (86_400, 1_795_262_400_123, 5_000, 0x20000),
        (3_888_000, 1_795_262_400_123, 9_998, 0x1FFFFF),
    ):
        number = unix_ms // (seconds * 1_000)
        prefix = keyed_prefix(SECRET, None, number)
        keyed.append(
            {
                "secret": SECRET,
                "seconds": seconds,
                "unix_ms": unix_ms,
                "ticks": ticks,
                "prefix": prefix,
                "round": number // 65_536,
                "offset_ms": unix_ms % (seconds * 1_000),
                "counter": counter,
                "id": keyed_id(prefix, seconds, unix_ms, ticks, counter, RANDOM),
            }
        )
    tags = [
        {
            "secret": SECRET,
            "writer": writer,
            "prefix": prefix,
            "tag": writer_tag(SECRET, writer, prefix),
        }
        for writer in ("a", "", "round ", "Größe")
        for prefix in (0, 1, 0x8000, 0xFFFF)
    ]
    named = []
    for writer, seconds, unix_ms, ticks, counter in (
        ("a", 60, 1_795_262_400_123, 0, 0),
        ("b", 60, 1_795_262_400_123, 0, 0),
        ("a", 60, 60_000 * 65_536 * 65_536 - 1, 9_999, (1 << 18) - 1),
        ("a", 90, 1_795_262_400_123, 3, 1),
        ("a", 86_400, 1_795_262_400_123, 1_000, 0x10000),
        ("a", 3_888_000, 1_795_262_400_123, 4_321, 0x1FFFF),
    ):
        number = unix_ms // (seconds * 1_000)
        prefix = keyed_prefix(SECRET, writer, number)
        tag = writer_tag(SECRET, writer, prefix)
        named.append(
            {
                "secret": SECRET,
                "writer": writer,
                "seconds": seconds,
                "unix_ms": unix_ms,
                "ticks": ticks,
                "prefix": prefix,
                "tag": tag,
                "round": number // 65_536,
                "offset_ms": unix_ms % (seconds * 1_000),
                "counter": counter,
                "id": named_id(prefix, tag, seconds, unix_ms, ticks, counter, RANDOM),
            }
        )
    sequential = []
    for writer, seconds, unix_ms, ticks, counter in (
        ("a", 60, 1_795_262_400_123, 0, 0),
        ("orders-1", 3_600, 1_795_262_400_123, 7_777, 0x1FFFF),
        ("Größe", 60, 60_000 * 65_536 * 65_536 - 1, 9_999, (1 << 18) - 1),
    ):
        number = unix_ms // (seconds * 1_000)
        prefix, tag = number % 65_536, sequential_tag(writer)
        sequential.append(
            {
                "writer": writer,
                "seconds": seconds,
                "unix_ms": unix_ms,
                "ticks": ticks,
                "prefix": prefix,
                "tag": tag,
                "counter": counter,
                "id": named_id(prefix, tag, seconds, unix_ms, ticks, counter, RANDOM),
            }
        )
    time = []
    for prefix, unix_ms, ticks, counter in (
        (0x511A, 1_795_262_400_123, 0, 0),
        (0, 0, 9_999, 1),
        (0xFFFE, (1 << 44) - 1, 4_567, (1 << 18) - 1),
    ):
        time.append(
            {
                "prefix": prefix,
                "unix_ms": unix_ms,
                "ticks": ticks,
                "counter": counter,
                "id": time_id(prefix, unix_ms, ticks, counter, RANDOM),
            }
        )
    long = []
    for prefix, unix_ms, ticks, counter in (
        (0xFFFFFFFF, 1_795_262_400_123, 0, 0),
        (0xFFFFFFFF, 1_795_262_400_123, 4_567, 1_023),
        (0xFFFFFFFF, (1 << 42) - 1, 9_999, (1 << 11) - 1),
        (0x01234567, 0, 0, 1),
    ):
        long.append(
            {
                "prefix": f"{prefix:08x}",
                "unix_ms": unix_ms,
                "ticks": ticks,
                "counter": counter,
                "id": long_id(prefix, unix_ms, ticks, counter, RANDOM),
            }
        )
    return {
        "keyed_prefix": prefixes,
        "keyed_id": keyed,
        "writer_tag": tags,
        "named_id": named,
        "sequential_named_id": sequential,
        "time_id": time,
        "long_id": long,
    }


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1))
