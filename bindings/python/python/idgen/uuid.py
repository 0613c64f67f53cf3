"""The standard ``uuid`` module as of Python 3.14, faster, on Python 3.10 and later.

To use it, write ``import idgen.uuid as uuid``. The class is the standard ``uuid.UUID`` itself. Two things
differ:

- ``uuid1()`` and ``uuid6()`` use a random node unless you pass one (RFC 9562 section 6.10).
  ``uuid1(getnode())`` uses the node of the standard module.
- No id is repeated after a fork. If you pass a node, the parent must have generated an id with it before the
  fork, because only a random clock sequence distinguishes unrelated processes.

>>> import idgen.uuid as uuid
>>> uuid.uuid5(uuid.NAMESPACE_DNS, "python.org")
UUID('886313e1-3b8a-5372-9b90-0c9aee199e5d')
"""

from __future__ import annotations

import os
from uuid import (
    NAMESPACE_DNS,
    NAMESPACE_OID,
    NAMESPACE_URL,
    NAMESPACE_X500,
    RESERVED_FUTURE,
    RESERVED_MICROSOFT,
    RESERVED_NCS,
    RFC_4122,
    UUID,
    SafeUUID,
    getnode,
)

from idgen._idgen import _stamp, uuid1, uuid4, uuid6, uuid7

__all__ = [
    "MAX",
    "NAMESPACE_DNS",
    "NAMESPACE_OID",
    "NAMESPACE_URL",
    "NAMESPACE_X500",
    "NIL",
    "RESERVED_FUTURE",
    "RESERVED_MICROSOFT",
    "RESERVED_NCS",
    "RFC_4122",
    "UUID",
    "SafeUUID",
    "getnode",
    "main",
    "uuid1",
    "uuid3",
    "uuid4",
    "uuid5",
    "uuid6",
    "uuid7",
    "uuid8",
]

NIL = UUID(int=0)
MAX = UUID(int=(1 << 128) - 1)


def uuid3(namespace: UUID, name: str | bytes) -> UUID:
    """Generate a UUID from the MD5 hash of a namespace UUID and a name.

    >>> idgen.uuid.uuid3(idgen.uuid.NAMESPACE_DNS, "python.org")
    UUID('6fa459ea-ee8a-3ca4-894e-db77e160355e')
    """
    import hashlib

    if isinstance(name, str):
        name = name.encode()
    return _stamp(hashlib.md5(namespace.bytes + name, usedforsecurity=False).digest(), 3)


def uuid5(namespace: UUID, name: str | bytes) -> UUID:
    """Generate a UUID from the SHA-1 hash of a namespace UUID and a name.

    >>> idgen.uuid.uuid5(idgen.uuid.NAMESPACE_DNS, "python.org")
    UUID('886313e1-3b8a-5372-9b90-0c9aee199e5d')
    """
    import hashlib

    if isinstance(name, str):
        name = name.encode()
    return _stamp(hashlib.sha1(namespace.bytes + name, usedforsecurity=False).digest()[:16], 5)


def uuid8(a: int | None = None, b: int | None = None, c: int | None = None) -> UUID:
    """Generate a UUID from three custom blocks.

    'a' is the first 48 bits, 'b' the 12 in the middle, 'c' the last 62. A block that is not given is
    random.

    >>> idgen.uuid.uuid8(0x123456789ABC, 0xDEF, 1)
    UUID('12345678-9abc-8def-8000-000000000001')
    """
    if a is None:
        a = int.from_bytes(os.urandom(6), "big")
    if b is None:
        b = int.from_bytes(os.urandom(2), "big")
    if c is None:
        c = int.from_bytes(os.urandom(8), "big")
    number = (a & 0xFFFF_FFFF_FFFF) << 80 | (b & 0xFFF) << 64 | c & 0x3FFF_FFFF_FFFF_FFFF
    return _stamp(number.to_bytes(16, "big"), 8)


def main() -> None:
    """Run the command line: ``python -m idgen.uuid`` works like ``python -m uuid``."""
    import argparse

    plain = {"uuid1": uuid1, "uuid4": uuid4, "uuid6": uuid6, "uuid7": uuid7, "uuid8": uuid8}
    named = {"uuid3": uuid3, "uuid5": uuid5}
    namespaces = {
        "@dns": NAMESPACE_DNS,
        "@url": NAMESPACE_URL,
        "@oid": NAMESPACE_OID,
        "@x500": NAMESPACE_X500,
    }
    parser = argparse.ArgumentParser(description="Generate UUIDs with the function of this name.")
    parser.add_argument(
        "-u", "--uuid", choices=sorted({*plain, *named}), default="uuid4", help="the function"
    )
    parser.add_argument("-n", "--namespace", help="for uuid3 and uuid5: a UUID, or @dns, @url, @oid or @x500")
    parser.add_argument("-N", "--name", help="for uuid3 and uuid5: the name to hash")
    parser.add_argument("-C", "--count", metavar="NUM", type=int, default=1, help="how many")
    args = parser.parse_args()
    if args.uuid in plain:
        for _ in range(args.count):
            print(plain[args.uuid]())
        return
    if not args.namespace or not args.name:
        parser.error(
            f"Incorrect number of arguments. {args.uuid} requires a namespace and a name. "
            "Run 'python -m idgen.uuid -h' for more information."
        )
    namespace = namespaces.get(args.namespace) or UUID(args.namespace)
    for _ in range(args.count):
        print(named[args.uuid](namespace, args.name))


if __name__ == "__main__":
    main()
