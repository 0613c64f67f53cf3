"""idgen.uuid does what the standard module does, according to the standard library's own tests."""

from __future__ import annotations

import subprocess
import sys
import unittest
import uuid as standard
from typing import Any
from unittest import mock

import idgen.uuid as drop_in
import pytest

#: The names of the module in Python 3.14.
NAMES_OF_3_14 = {
    "MAX", "NAMESPACE_DNS", "NAMESPACE_OID", "NAMESPACE_URL", "NAMESPACE_X500", "NIL", "RESERVED_FUTURE",
    "RESERVED_MICROSOFT", "RESERVED_NCS", "RFC_4122", "SafeUUID", "UUID", "getnode", "main", "uuid1", "uuid3",
    "uuid4", "uuid5", "uuid6", "uuid7", "uuid8",
}  # fmt: skip

#: Tests of the standard module's own private functions, which another module does not have: they
#: replace `_generate_time_safe`, `_last_timestamp` or `_GETTERS` within it.
PRIVATE = {
    "test_uuid1_bogus_return_value",
    "test_uuid1_eui64",
    "test_uuid1_is_safe",
    "test_uuid1_is_unsafe",
    "test_uuid1_safe",
    "test_uuid1_time",
    "test_uuid1_unknown",
    "test_uuid6_time",
    "test_uuid7_monotonicity",
    "test_uuid7_overflow_counter",
    "test_uuid7_timestamp_backwards",
    "test_uuid7_uniqueness",
    "test_uuid7_uuid",
}


def test_the_module_has_the_standard_names() -> None:
    assert set(drop_in.__all__) == NAMES_OF_3_14
    public = {
        name for name in dir(standard) if not name.startswith("_") and callable(getattr(standard, name))
    }
    # Names that the module imports for its own use are not part of it.
    assert public - {"Enum", "bytes_", "int_"} <= NAMES_OF_3_14 | {"simple_enum"}
    for name in NAMES_OF_3_14 & set(dir(standard)) - {"main"}:
        if not name.startswith("uuid"):
            assert getattr(drop_in, name) is getattr(standard, name) or getattr(drop_in, name) == getattr(
                standard, name
            )
    assert drop_in.UUID is standard.UUID and drop_in.getnode is standard.getnode


def test_cpythons_own_tests_pass() -> None:
    """Run from the interpreter's installed test package, with only the module under test changed."""
    cpython = pytest.importorskip("test.test_uuid", reason="this interpreter came without its tests")

    class OfDropIn(cpython.BaseTestUUID, unittest.TestCase):  # type: ignore[misc,name-defined]
        uuid = drop_in

    wanted = [name for name in unittest.defaultTestLoader.getTestCaseNames(OfDropIn) if name not in PRIVATE]
    assert len(wanted) >= 12 and {
        "test_UUID",
        "test_exceptions",
        "test_uuid1",
        "test_uuid4",
        "test_uuid5",
    } <= set(wanted)
    result = unittest.TestResult()
    unittest.TestSuite(map(OfDropIn, wanted)).run(result)
    assert not result.errors and not result.failures, "\n".join(
        text for _, text in result.errors + result.failures
    )
    assert result.testsRun == len(wanted)
    assert {case.id().rsplit(".", 1)[1] for case, _ in result.skipped} <= {"test_uuid1_safe"}


def test_named_uuids_equal_the_standard_ones() -> None:
    for namespace in (
        drop_in.NAMESPACE_DNS,
        drop_in.NAMESPACE_URL,
        drop_in.NAMESPACE_OID,
        drop_in.NAMESPACE_X500,
        drop_in.NIL,
    ):
        for name in ("", "python.org", "ü", "x" * 1000):
            assert (
                drop_in.uuid3(namespace, name)
                == drop_in.uuid3(namespace, name.encode())
                == standard.uuid3(namespace, name)
            )
            assert (
                drop_in.uuid5(namespace, name)
                == drop_in.uuid5(namespace, name.encode())
                == standard.uuid5(namespace, name)
            )
    with pytest.raises(TypeError):
        drop_in.uuid5(drop_in.NAMESPACE_DNS, 5)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        drop_in.uuid5("x", "y")  # type: ignore[arg-type]


@pytest.mark.parametrize("make, version", [(drop_in.uuid1, 1), (drop_in.uuid6, 6)])
def test_nodes_and_clock_sequences(make: type[standard.UUID], version: int) -> None:
    def check(id: standard.UUID, node: int | None = None, sequence: int | None = None) -> None:
        assert id.version == version and id.variant == standard.RFC_4122
        assert node is None or id.node == node
        assert sequence is None or id.clock_seq == sequence

    call: Any = make
    check(make())
    check(call(5), 5)
    check(call(node=5), 5)
    check(call(5, 6), 5, 6)
    check(call(5, clock_seq=0x7FFF), 5, 0x3FFF)
    check(call(node=None, clock_seq=6), None, 6)
    check(call(None, None))
    for arguments in ((5,), (5, 6), (None, 6), (drop_in.getnode(),)):
        ids = [call(*arguments) for _ in range(20_000)]
        assert len(set(ids)) == 20_000
        if version == 6:
            assert ids == sorted(ids) or arguments[0] is None
    for bad in ((1, 2, 3), ("5",), (5.0,), (5, "6"), (5, 6.0)):
        with pytest.raises(TypeError):
            call(*bad)
    with pytest.raises(TypeError, match="multiple values"):
        call(5, node=5)
    with pytest.raises(TypeError, match="other"):
        call(other=5)


def test_nodes_out_of_range_are_refused_or_cut() -> None:
    """As in the standard module of 3.14, version 1 refuses them, and version 6 cuts them to 48 bits."""
    for node in (-1, 1 << 48, 1 << 100):
        with pytest.raises(ValueError, match="field 6 out of range"):
            drop_in.uuid1(node)
    assert drop_in.uuid6(1 << 48 | 5).node == 5


def test_many_nodes() -> None:
    ids = [drop_in.uuid1(node) for node in [*range(600), *range(600)]]
    assert len(set(ids)) == 1_200


def test_custom_blocks() -> None:
    assert str(drop_in.uuid8(0x123456789ABC, 0xDEF, 1)) == "12345678-9abc-8def-8000-000000000001"
    assert drop_in.uuid8(1 << 48, 1 << 12, 1 << 62).int == 8 << 76 | 2 << 62
    ids = {drop_in.uuid8() for _ in range(100)}
    assert len(ids) == 100 and {id.version for id in ids} == {8}


def test_against_the_newest_standard_module() -> None:
    """If this interpreter's module has the new functions, their results agree."""
    if not hasattr(standard, "uuid8"):
        assert sys.version_info < (3, 14)
        return
    assert standard.uuid8(1, 2, 3) == drop_in.uuid8(1, 2, 3)
    assert standard.NIL == drop_in.NIL and standard.MAX == drop_in.MAX


@pytest.mark.parametrize("name", ["uuid1", "uuid4", "uuid6", "uuid7", "uuid8"])
def test_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with mock.patch.object(sys, "argv", ["uuid", "-u", name, "-C", "3"]):
        drop_in.main()
    ids = [standard.UUID(line) for line in capsys.readouterr().out.split()]
    assert len(set(ids)) == 3 and {id.version for id in ids} == {int(name[-1])}


def test_command_line_of_a_process() -> None:
    run = [sys.executable, "-m", "idgen.uuid", "-u", "uuid5", "-n", "@dns", "-N", "python.org"]
    assert (
        subprocess.run(run, capture_output=True, text=True, check=True).stdout
        == f"{standard.uuid5(standard.NAMESPACE_DNS, 'python.org')}\n"
    )
    failed = subprocess.run([*run[:5], "-N", "x"], capture_output=True, text=True)
    assert failed.returncode == 2 and "Incorrect number of arguments" in failed.stderr
