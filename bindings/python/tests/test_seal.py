"""Sealed ids, and reseed()."""

import uuid
from datetime import datetime, timezone

import idgen
import pytest

SECRET = b"0123456789abcdef"


def test_opening_returns_the_sealed_id() -> None:
    key = idgen.SealKey(SECRET)
    ids = idgen.batch("v7", 1_000)
    sealed = [key.seal(id) for id in ids]
    assert {(id.version, id.variant) for id in sealed} == {(4, uuid.RFC_4122)}
    assert all(type(id) is uuid.UUID for id in sealed)
    assert len(set(sealed)) == 1_000 and sealed != sorted(sealed), "the order is hidden"
    assert [idgen.SealKey(SECRET).open(id) for id in sealed] == ids
    assert key.open(str(sealed[0])) == key.open(sealed[0].bytes) == ids[0]
    assert idgen.SealKey(SECRET[::-1]).open(sealed[0]) != ids[0]


def test_other_versions_and_short_secrets_are_refused() -> None:
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


RING = b"""idgen seal ring
# The first keys.
begin the-first-secret-of-at-least-16-bytes
2027-01-01T00:00:00Z the-secret-for-ids-from-2027-on
"""


def test_a_ring_of_a_file() -> None:
    ring, id = idgen.SealRing.from_file(RING), idgen.v7()
    since = datetime(2027, 1, 1, tzinfo=timezone.utc)
    same = idgen.SealRing(
        b"the-first-secret-of-at-least-16-bytes", [(since, b"the-secret-for-ids-from-2027-on")]
    )
    assert len(ring) == 2 and ring.seal(id) == same.seal(id)
    assert idgen.SealRing.from_file(RING.replace(b"\n", b"\r\n")).seal(id) == same.seal(id)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + RING,
        RING.replace(b"idgen", b"Idgen"),
        b"# our keys\n" + RING,
        RING.decode().encode("utf-16"),
        RING.decode().encode("utf-16-be"),
        RING.splitlines()[0],
    ],
)
def test_a_changed_file_is_no_ring_and_no_secret(content: bytes) -> None:
    for read in (
        idgen.SealRing.from_file,
        idgen.SealKey.from_file,
        idgen.SealKey,
        idgen.SealRing,
        lambda secret: idgen.SealRing(b"a secret of at least 16 bytes", [(1 << 60, secret)]),
        lambda secret: idgen.Prefixed("keyed", key=secret),
    ):
        if content == RING.splitlines()[0] and read is idgen.SealRing.from_file:
            with pytest.raises(ValueError, match="no keys"):
                read(content)
            continue
        with pytest.raises(ValueError) as refused:
            read(content)
        assert "first-secret" not in str(refused.value)


def test_a_ring_is_no_secret_and_a_secret_is_no_ring() -> None:
    for wrong in (idgen.SealKey, idgen.SealKey.from_file, idgen.SealRing):
        with pytest.raises(ValueError, match="ring"):
            wrong(RING)
    with pytest.raises(ValueError, match="ring"):
        idgen.SealRing.from_file(b"a secret of at least 16 bytes\n")


def test_a_secret_of_a_file() -> None:
    secret, id = b"a secret of at least 16 bytes", idgen.v7()
    same = idgen.SealKey(secret).seal(id)
    assert (
        idgen.SealKey.from_file(secret).seal(id) == idgen.SealKey.from_file(secret + b"\r\n").seal(id) == same
    )
    # As the content of a file it would be another key than the one of the command line.
    with pytest.raises(ValueError, match="from_file"):
        idgen.SealKey(secret + b"\n")
    for changed in (
        b"\xef\xbb\xbf" + secret,
        secret + b"\n\n",
        secret.decode().encode("utf-16"),
        b" " + secret,
    ):
        for read in (idgen.SealKey, idgen.SealKey.from_file):
            with pytest.raises(ValueError):
                read(changed)
    # Random bytes are taken as they are.
    for raw in (
        bytes(range(240, 256)) + b"\n",
        b"\xff\xfe" + bytes(range(1, 30)),
        b"\n" + bytes(range(128, 160)),
    ):
        assert idgen.SealKey(raw).open(idgen.SealKey(raw).seal(id)) == id
    # A line end is a byte of such a secret.
    assert idgen.SealKey(bytes(range(240, 255)) + b"\n").seal(id) != idgen.SealKey(
        bytes(range(240, 255)) + b"\r"
    ).seal(id)


def test_a_ring_has_a_key_for_each_period() -> None:
    first, later = idgen.SealKey(SECRET), idgen.SealKey(SECRET[::-1])
    old = idgen.V7(clock=lambda: datetime(2026, 1, 1, tzinfo=timezone.utc))()
    new = idgen.V7(clock=lambda: datetime(2027, 1, 2, tzinfo=timezone.utc))()
    ring = idgen.SealRing(SECRET, [(datetime(2027, 1, 1, tzinfo=timezone.utc), SECRET[::-1])])
    assert (len(ring), repr(ring)) == (2, "<idgen.SealRing of 2 keys>")
    assert ring.seal(old) == first.seal(old) == idgen.SealRing(SECRET).seal(old)
    # An id of the second key has a second form, where the first key would claim the first.
    assert later.open(ring.seal(new)).int & ((1 << 124) - 1) == new.int & ((1 << 124) - 1)
    assert ring.open(ring.seal(old)) == old and ring.open(ring.seal(new)) == new
    nanoseconds = 1_798_761_600 * 10**9
    assert idgen.SealRing(SECRET, [(nanoseconds, SECRET[::-1])]).seal(new) == ring.seal(new)


def test_a_ring_refuses_bad_periods_and_foreign_ids() -> None:
    moment = datetime(2027, 1, 1, tzinfo=timezone.utc)
    for periods in ([(moment, SECRET), (moment, SECRET)], [(-1, SECRET)], [(moment, b"short")]):
        with pytest.raises(ValueError) as refused:
            idgen.SealRing(SECRET, periods)
        assert "short" not in str(refused.value).replace("too short", "")
    with pytest.raises(ValueError, match="time zone"):
        idgen.SealRing(SECRET, [(datetime(2027, 1, 1), SECRET)])
    with pytest.raises(ValueError, match="version 7"):
        idgen.SealRing(SECRET).seal(idgen.v4())
    strange = 0
    for _ in range(160):
        try:
            idgen.SealRing(SECRET).open(idgen.v4())
            strange += 1
        except ValueError:
            pass
    assert strange < 40, "15 of 16 are noticed"


def test_the_seal_of_a_type() -> None:
    key, number = idgen.SealKey(SECRET), 2**64 - 1
    users, orders = idgen.TypeSeal("user", key), idgen.TypeSeal("order", idgen.SealRing(SECRET))
    sealed = users.seal_int(number)
    assert type(sealed) is uuid.UUID and sealed.version == 8 and users.open_int(str(sealed)) == number
    assert orders.seal_int(number) != sealed
    with pytest.raises(ValueError, match="no key of this type sealed"):
        orders.open_int(sealed)
    for wrong in (-1, 2**64):
        with pytest.raises(OverflowError):
            users.seal_int(wrong)
    with pytest.raises(TypeError, match="a SealRing or a SealKey, not bytes"):
        idgen.TypeSeal("user", SECRET)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    id = idgen.v7()
    assert users.open(users.seal(id)) == id and users.seal(id) != key.seal(id)
    assert repr(users) == "<idgen.TypeSeal>"


def test_reseed_gives_version_1_another_node() -> None:
    before, node = idgen.v1(), idgen.v1().node
    assert before.node == node
    idgen.reseed()
    assert idgen.v1().node != node
    generator = idgen.V7()
    first = generator()
    idgen.reseed()
    assert generator() > first


def test_a_generator_with_a_state_is_an_error_after_reseed(tmp_path: object) -> None:
    new = idgen.V7(state=f"{tmp_path}/ids.state")
    new()
    idgen.reseed()
    with pytest.raises(RuntimeError):
        new()
