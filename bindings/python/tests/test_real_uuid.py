"""Objects that are created without the constructor equal those that are created with it."""

from __future__ import annotations

import gc
import sys
import tracemalloc
import uuid
import weakref
from collections.abc import Iterator
from typing import Any

import idgen
import idgen.uuid
import pytest
from idgen import _idgen


def test_objects_are_created_without_the_constructor() -> None:
    """On CPython, this wheel must not use the slow constructor by accident."""
    expected = sys.implementation.name == "cpython"
    assert _idgen._learn(uuid.UUID, uuid.SafeUUID) is expected


def numbers() -> Iterator[int]:
    """Numbers at the edges of the 30-bit digits, and around each power of two."""
    for bits in range(129):
        for near in (-1, 0, 1):
            if 0 <= (1 << bits) + near < 1 << 128:
                yield (1 << bits) + near


def test_objects_equal_constructed_ones() -> None:
    for number in numbers():
        fast, slow = idgen.from_int(number), uuid.UUID(int=number)
        assert fast == slow and hash(fast) == hash(slow) and repr(fast) == repr(slow)
        assert fast.int == number and fast.is_safe is slow.is_safe and type(fast) is type(slow)
        assert sys.getsizeof(fast) == sys.getsizeof(slow) and sys.getsizeof(fast.int) == sys.getsizeof(
            slow.int
        )
        assert fast.int + 1 - 1 == number and int(str(fast.int)) == number
        assert idgen.to_int(slow) == number


def test_the_cycle_collector_does_not_track_ids() -> None:
    """A UUID cannot be part of a cycle, so the cycle collector need not track it."""
    id = idgen.v4()
    assert not gc.is_tracked(id)
    assert not gc.is_tracked(idgen.batch("v4", 1)[0])
    gc.collect()
    assert str(uuid.UUID(int=id.int)) == str(id)


def test_ids_survive_collections() -> None:
    kept = idgen.batch("v7", 50_000)
    texts = [str(id) for id in kept]
    gc.collect()
    del kept[::2]
    gc.collect()
    assert [str(id) for id in kept] == texts[1::2]


def test_references_are_counted() -> None:
    assert sys.getrefcount(idgen.v4()) == sys.getrefcount(uuid.UUID(int=1 << 100))
    id = idgen.v4()
    watched = weakref.ref(id)
    assert watched() is id
    del id
    assert watched() is None


@pytest.mark.parametrize("form", ["uuid", "str", "bytes", "int", "base64", "buffer"])
def test_nothing_leaks(form: str) -> None:
    def work() -> None:
        for _ in range(20):
            idgen.batch("v7", 500, form)
            idgen.v4()
            idgen.parse(idgen.v4_str())
            with pytest.raises(ValueError):
                idgen.parse("nothing")
            with pytest.raises(TypeError):
                idgen.uuid.uuid1(other=1)  # type: ignore[call-arg]

    work()
    # The class and the members of SafeUUID are referred to by each object.
    before = sys.getrefcount(uuid.UUID), sys.getrefcount(uuid.SafeUUID.unknown)
    tracemalloc.start()
    work()
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        work()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 10_000, "less than one byte an id"
    after = sys.getrefcount(uuid.UUID), sys.getrefcount(uuid.SafeUUID.unknown)
    assert abs(after[0] - before[0]) < 20 and abs(after[1] - before[1]) < 20


class Property:
    """A class of UUIDs whose number is not in a slot, as in a class written in C."""

    def __init__(self, *, int: int, is_safe: uuid.SafeUUID = uuid.SafeUUID.unknown) -> None:
        self._int, self.is_safe = int, is_safe

    int = property(lambda self: self._int)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Property) and other._int == self._int

    def __hash__(self) -> Any:
        return hash(self._int)


class OtherOrder(uuid.UUID):
    """A derived class: its own dictionary has no slots."""

    __slots__ = ()


@pytest.fixture
def learned(request: pytest.FixtureRequest) -> Iterator[type]:
    try:
        assert _idgen._learn(request.param, uuid.SafeUUID) is False
        yield request.param
    finally:
        _idgen._learn(uuid.UUID, uuid.SafeUUID)


@pytest.mark.parametrize("learned", [Property, OtherOrder], indirect=True)
def test_other_classes_use_the_public_constructor(learned: type) -> None:
    """For a class with another layout, the public constructor and attribute are used."""
    for make in (idgen.v1, idgen.v4, idgen.v7, idgen.week, idgen.V7(), idgen.uuid.uuid1, idgen.uuid.uuid4):
        id = make()
        assert type(id) is learned and 0 < id.int < 1 << 128
    assert idgen.v1().is_safe is uuid.SafeUUID.safe
    for number in numbers():
        id = idgen.from_int(number)
        assert type(id) is learned and id.int == number
        assert idgen.to_int(id) == number and idgen.to_bytes(id) == number.to_bytes(16, "big")
    assert [type(id) for id in idgen.batch("v7", 10)] == [learned] * 10
    assert type(idgen.parse("bM14DLq6ECaVZFuMZWAk2w")) is learned
    assert type(idgen.inspect(idgen.v4_str()).id) is learned
    with pytest.raises(TypeError):
        idgen.to_str(object())  # type: ignore[arg-type]


def test_the_standard_class_can_be_restored() -> None:
    assert type(idgen.v4()) is uuid.UUID
