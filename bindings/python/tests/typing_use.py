"""Uses of the API that type checkers must accept: test_typing.py runs mypy and pyright on this file."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterator

import idgen
import idgen.uuid
from typing_extensions import assert_type

assert_type(idgen.v7(), uuid.UUID)
assert_type(idgen.v7_str(), str)
assert_type(idgen.v4_bytes(), bytes)
assert_type(idgen.ulid_int(), int)
assert_type(idgen.short(), int)
assert_type(idgen.mysql_short(1), int)
assert_type(idgen.batch("v7", 10), list[uuid.UUID])
assert_type(idgen.batch("v7", 10, "str"), list[str])
assert_type(idgen.batch("v7", 10, form="bytes"), list[bytes])
assert_type(idgen.batch("v7", 10, form="buffer"), bytes)
assert_type(idgen.batch("short", 10), list[int])
assert_type(idgen.fill("v4", bytearray(16)), int)
assert_type(idgen.to_base64(idgen.v4()), str)
assert_type(idgen.to_swapped("text"), bytes)
assert_type(idgen.from_base64("text"), uuid.UUID)
assert_type(idgen.parse(b"sixteen bytes !!"), uuid.UUID)
assert_type(idgen.timestamp(idgen.v7()), "datetime.datetime | None")
assert_type(idgen.inspect(5).version, "int | None")
assert_type(idgen.odds("v4", rate_per_sec=1, years=1).probability, float)
moment = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)
assert_type(idgen.bounds("v7", moment), tuple[uuid.UUID, uuid.UUID])
assert_type(idgen.bounds("v7", 0, 10**18, form="bytes"), tuple[bytes, bytes])
assert_type(idgen.bounds("short", moment), tuple[int, int])
assert_type(idgen.bounds("mysql_short", moment, server_id=1), tuple[int, int])
assert_type(idgen.SealRing.from_file(b""), idgen.SealRing)
assert_type(idgen.uuid.uuid7(), uuid.UUID)
assert_type(idgen.uuid.uuid5(idgen.uuid.NAMESPACE_DNS, "x"), uuid.UUID)

new = idgen.V7(state="ids.state", tolerance=datetime.timedelta(seconds=1), when_behind="wait")
assert_type(new(), uuid.UUID)
assert_type(next(new), uuid.UUID)
assert_type(new.batch(5), list[uuid.UUID])
assert_type(idgen.Short(node="mac")(), int)
lease = idgen.DeviceLease(55366, moment, 1_795_305_600_000_000_000)
assert_type(idgen.Short(lease=lease)(), int)
assert_type(lease.not_after, datetime.datetime)
assert_type(idgen.Prefixed("keyed", key=b"0123456789abcdef").next_str(), str)
ids: Iterator[uuid.UUID] = idgen.V4(seed=1)

# Each of these must be an error: a checker that finds none complains about the unused comment.
idgen.v7(1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
idgen.to_str(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
idgen.V7("node")  # type: ignore[arg-type, call-arg]  # pyright: ignore[reportCallIssue]
idgen.V7(when_behind="sleep")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
