"""Prints encodings.json, orders.json or layouts.json: UUIDs in the encodings and orders of standards and databases, and the
layouts of RFC 9562. It uses Python's standard library only, and nothing of idgen.

    python3 tests/vectors/standards.py encodings > tests/vectors/encodings.json
"""

import base64
import json
import sys
import uuid

SORT = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
HEX32 = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

#: The examples of RFC 9562, appendices A and B, the nil and the max UUID (5.9, 5.10), and ids that show the order of bytes.
IDS = [
    ("appendix A.1", "c232ab00-9414-11ec-b3c8-9f6bdeced846"),
    ("appendix A.2", "5df41881-3aed-3515-88a7-2f4a814cf09e"),
    ("appendix A.3", "919108f7-52d1-4320-9bac-f847db4148a8"),
    ("appendix A.4", "2ed6657d-e927-568b-95e1-2665a8aea6a2"),
    ("appendix A.5", "1ec9414c-232a-6b00-b3c8-9f6bdeced846"),
    ("appendix A.6", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"),
    ("appendix B.1", "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0"),
    ("appendix B.2", "5c146b14-3c52-8afd-938a-375d0df1fbf6"),
    ("5.9", "00000000-0000-0000-0000-000000000000"),
    ("5.10", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    (None, "00112233-4455-1677-8899-aabbccddeeff"),
    (None, "00112233-4455-7677-8899-aabbccddeeff"),
]


def translated(text: str, alphabet: str, to: str) -> str:
    return text.rstrip("=").translate(str.maketrans(alphabet, to))


def encodings() -> object:
    def of(section: str | None, text: str) -> dict[str, str | None]:
        data = uuid.UUID(text).bytes
        hex32, url = base64.b32hexencode(data).decode(), base64.urlsafe_b64encode(data).decode()
        number = int.from_bytes(data, "big")
        return {
            "section": section,
            "uuid": text,
            "base32": "".join(CROCKFORD[number >> 5 * place & 31] for place in reversed(range(26))),
            "base32hex": hex32.rstrip("="),
            "base32human": translated(hex32, HEX32, CROCKFORD),
            "base64": base64.b64encode(data).decode().rstrip("="),
            "base64url": url.rstrip("="),
            "base64sort": translated(url, URL, SORT),
        }

    def invalid(format: str, text: str, offset: int | None, why: str) -> dict[str, object]:
        return {"format": format, "text": text, "offset": offset, "why": why}

    return {
        "$schema": "schema/encodings.schema.json",
        "about": "UUIDs in the encodings of RFC 4648, of the ULID specification (base32), and of two drafts: "
        "draft-brown-davis-base64-sort (base64sort) and draft-crockford-davis-base32-for-humans (base32human). Without padding characters.",
        "valid": [of(section, text) for section, text in IDS],
        "invalid": [
            invalid("base32", "81ARZ3NDEKTSV4RRFFQ69G5FAV", 0, "more than 128 bits"),
            invalid("base32", "0IARZ3NDEKTSV4RRFFQ69G5FAV", 1, "I is no digit"),
            invalid("base32", "01ARZ3NDEKTSV4RRFFQ69G5FAL", 25, "L is no digit"),
            invalid("base32", "O1ARZ3NDEKTSV4RRFFQ69G5FAV", 0, "O is no digit"),
            invalid("base32", "01ARZ3NDEKTSV4RRFFQ69G5FAU", 25, "U is no digit"),
            invalid("base32hex", "DJ6NG35QN882D5B4BE66AO14RD", 25, "bits beyond the 128"),
            invalid("base32hex", "DJ6NG35QN882D5B4BE66AO14RW", 25, "W is no digit"),
            invalid("base32hex", "DJ6NG35QN882D5B4BE66AO14R", None, "too short"),
            invalid("base32human", "DK6QG35TQ882D5B4BE66AR14VD", 25, "bits beyond the 128"),
            invalid("base32human", "DK6QG35TQ882D5B4BE66AR1LVC", 23, "L is no digit"),
            invalid("base64", "bM14DLq6ECaVZFuMZWAk2x", 21, "bits beyond the 128"),
            invalid("base64", "bM14DLq6ECaVZFuMZWAk2w==", None, "padding"),
            invalid("base64url", "bM14DLq6ECaVZFuMZWAk2+", 21, "+ is no digit"),
            invalid("base64sort", "QBps2Aeu31PKO4iBOL-Zql", 21, "bits beyond the 128"),
        ],
    }


def orders() -> object:
    def of(section: str | None, text: str) -> dict[str, str | None]:
        id = uuid.UUID(text)
        b, guid = id.bytes, id.bytes_le
        sqlguid = bytes(guid[at] for at in (10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3))
        swapped = 0 < b[6] < 0x60 and b[8] >= 0x80
        mariadb = b[10:16] + b[8:10] + b[6:8] + b[4:6] + b[0:4] if swapped else b
        return {
            "section": section,
            "uuid": text,
            "guid": guid.hex(),
            "mysql_swapped": (b[6:8] + b[4:6] + b[0:4] + b[8:16]).hex(),
            "sql_server": sqlguid.hex(),
            "clickhouse": (b[8:16] + b[0:8]).hex(),
            "java_legacy": (b[7::-1] + b[:7:-1]).hex(),
            "timeuuid": (b[6:8] + b[4:6] + b[0:4] + bytes(byte ^ 0x80 for byte in b[8:16])).hex() if b[6] >> 4 == 1 else None,
            "mariadb": None if not swapped and b[6] >= 0x80 and 0 < b[8] <= 0x80 else mariadb.hex(),
        }

    refused = (None, "00112233-4455-8677-8099-aabbccddeeff")
    return {
        "$schema": "schema/orders.schema.json",
        "about": "Bytes of UUIDs, in hexadecimal, in the order in which databases compare them from left to right; guid is what .NET "
        "and SQL Server store, java_legacy what MongoDB's old driver for Java stored, and ClickHouse's binary formats have. MariaDB and "
        "Cassandra's timeuuid refuse an id whose value is null.",
        "orders": [of(section, text) for section, text in [*IDS, refused]],
    }


def layouts() -> object:
    def field(name: str, first: int, bits: int, **more: object) -> dict[str, object]:
        return {"name": name, "first_bit": first, "bits": bits, **more}

    def layout(version: int, section: str, *fields: dict[str, object]) -> dict[str, object]:
        marks = [field("ver", 48, 4, value=version), field("var", 64, 2, value=2)]
        return {"version": version, "section": section, "fields": sorted([*fields, *marks], key=lambda f: f["first_bit"])}

    tail = [field("clock_seq", 66, 14), field("node", 80, 48)]
    return {
        "$schema": "schema/layouts.schema.json",
        "about": "The fields of each version of RFC 9562, section 5: bit 0 is the most significant one. The sections of RFC 9562.",
        "layouts": [
            layout(1, "5.1", field("time_low", 0, 32), field("time_mid", 32, 16), field("time_high", 52, 12), *tail),
            layout(3, "5.3", field("md5_high", 0, 48), field("md5_mid", 52, 12), field("md5_low", 66, 62)),
            layout(4, "5.4", field("random_a", 0, 48), field("random_b", 52, 12), field("random_c", 66, 62)),
            layout(5, "5.5", field("sha1_high", 0, 48), field("sha1_mid", 52, 12), field("sha1_low", 66, 62)),
            layout(6, "5.6", field("time_high", 0, 32), field("time_mid", 32, 16), field("time_low", 52, 12), *tail),
            layout(7, "5.7", field("unix_ts_ms", 0, 48), field("rand_a", 52, 12), field("rand_b", 66, 62)),
            layout(8, "5.8", field("custom_a", 0, 48), field("custom_b", 52, 12), field("custom_c", 66, 62)),
        ],
        "examples": [
            {"section": section, "uuid": text, "fields": fields_of(text)} for section, text in IDS if section and section[0] == "a"
        ],
    }


def fields_of(text: str) -> dict[str, str]:
    """The fields of an example, as the RFC's figures give them, in hexadecimal."""
    n = uuid.UUID(text).int
    bits = lambda first, count: f"{n >> (128 - first - count) & (1 << count) - 1:0{(count + 3) // 4}x}"
    named = {
        1: {"time_low": (0, 32), "time_mid": (32, 16), "time_high": (52, 12), "clock_seq": (66, 14), "node": (80, 48)},
        3: {"md5_high": (0, 48), "md5_mid": (52, 12), "md5_low": (66, 62)},
        4: {"random_a": (0, 48), "random_b": (52, 12), "random_c": (66, 62)},
        5: {"sha1_high": (0, 48), "sha1_mid": (52, 12), "sha1_low": (66, 62)},
        6: {"time_high": (0, 32), "time_mid": (32, 16), "time_low": (52, 12), "clock_seq": (66, 14), "node": (80, 48)},
        7: {"unix_ts_ms": (0, 48), "rand_a": (52, 12), "rand_b": (66, 62)},
        8: {"custom_a": (0, 48), "custom_b": (52, 12), "custom_c": (66, 62)},
    }
    return {name: bits(*place) for name, place in named[uuid.UUID(text).version].items()}


print(json.dumps({"encodings": encodings, "orders": orders, "layouts": layouts}[sys.argv[1]](), indent=1))
