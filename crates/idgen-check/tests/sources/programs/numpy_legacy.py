"""Ids from NumPy's legacy functions, a Mersenne Twister: python3 numpy_legacy.py FORM COUNT"""

import sys
import time
import uuid

import numpy

FORMS = {
    "bytes": lambda: uuid.UUID(bytes=numpy.random.bytes(16), version=4),
    "randint-256": lambda: uuid.UUID(bytes=bytes(int(numpy.random.randint(0, 256)) for _ in range(16)), version=4),
    "randint-16": lambda: uuid.UUID("".join("%x" % numpy.random.randint(0, 16) for _ in range(32)), version=4),
}

if sys.argv[1] == "seed-seconds":
    numpy.random.seed(int(time.time()))
    FORMS["seed-seconds"] = FORMS["bytes"]

for _ in range(int(sys.argv[2])):
    print(FORMS[sys.argv[1]]())
