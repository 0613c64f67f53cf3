"""Ids from Python's `random`, a Mersenne Twister: python3 python.py FORM COUNT"""

import random
import sys
import time
import uuid

DIGITS = "0123456789abcdef"


def fill(digit) -> str:
    """The usual template, whose `y` is a digit from 8 to b."""
    template = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
    return "".join(
        DIGITS[digit()] if c == "x" else DIGITS[digit() & 3 | 8] if c == "y" else c for c in template
    )


FORMS = {
    "secure": uuid.uuid4,
    "getrandbits-128": lambda: uuid.UUID(int=random.getrandbits(128), version=4),
    "getrandbits-128-all-bits": lambda: uuid.UUID(int=random.getrandbits(128)),
    "randbytes": lambda: uuid.UUID(bytes=random.randbytes(16), version=4),
    "getrandbits-4": lambda: fill(lambda: random.getrandbits(4)),
    "getrandbits-8": lambda: uuid.UUID(bytes=bytes(random.getrandbits(8) for _ in range(16)), version=4),
    "choices": lambda: uuid.UUID("".join(random.choices(DIGITS, k=32)), version=4),
    "fraction-16": lambda: fill(lambda: int(random.random() * 16)),
    "choice": lambda: uuid.UUID("".join(random.choice(DIGITS) for _ in range(32)), version=4),
}

# Seeds from the clock, or a small one.
SEEDS = {
    "seed-seconds": lambda: int(time.time()),
    "seed-milliseconds": lambda: int(time.time() * 1000),
    "seed-42": lambda: 42,
}
if sys.argv[1] in SEEDS:
    random.seed(SEEDS[sys.argv[1]]())
    FORMS[sys.argv[1]] = FORMS["getrandbits-128"]

for _ in range(int(sys.argv[2])):
    print(FORMS[sys.argv[1]]())
