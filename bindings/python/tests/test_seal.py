"""Sealed ids, and reseed()."""

import uuid

import idgen
import pytest

SECRET = b"0123456789abcdef"


def test_what_is_sealed_is_opened() -> None:
    key = idgen.SealKey(SECRET)
    ids = idgen.batch("v7", 1_000)
    sealed = [key.seal(id) for id in ids]
    assert {(id.version, id.variant) for id in sealed} == {(4, uuid.RFC_4122)}
    assert all(type(id) is uuid.UUID for id in sealed)
    assert len(set(sealed)) == 1_000 and sealed != sorted(sealed), "the order is hidden"
    assert [idgen.SealKey(SECRET).open(id) for id in sealed] == ids
    assert key.open(str(sealed[0])) == key.open(sealed[0].bytes) == ids[0]
    assert idgen.SealKey(SECRET[::-1]).open(sealed[0]) != ids[0]


def test_what_cannot_be_sealed_is_refused() -> None:
    key = idgen.SealKey(SECRET)
    assert repr(key) == "<idgen.SealKey>"
    with pytest.raises(ValueError, match="version 7"):
        key.seal(idgen.v4())
    with pytest.raises(ValueError, match="version 4"):
        key.open(idgen.v7())
    with pytest.raises(ValueError, match="6 bytes") as refused:
        idgen.SealKey(b"secret")
    assert "secret" not in str(refused.value)
    with pytest.raises(TypeError):
        idgen.SealKey("a text, not bytes")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_reseed_gives_version_1_another_node() -> None:
    before, node = idgen.v1(), idgen.v1().node
    assert before.node == node
    idgen.reseed()
    assert idgen.v1().node != node
    generator = idgen.V7()
    first = generator()
    idgen.reseed()
    assert generator() > first


def test_a_generator_with_a_state_refuses_after_reseed(tmp_path: object) -> None:
    new = idgen.V7(state=f"{tmp_path}/ids.state")
    new()
    idgen.reseed()
    with pytest.raises(RuntimeError):
        new()
