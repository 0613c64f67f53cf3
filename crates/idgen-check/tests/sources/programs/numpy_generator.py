"""Ids from NumPy's `default_rng`, a PCG64 with a seed: python3 numpy_generator.py FORM COUNT"""

import sys
import time
import uuid

import numpy

SEEDS = {
    "rng-seed-42": lambda: 42,
    "rng-seed-seconds": lambda: int(time.time()),
    "rng-seed-milliseconds": lambda: time.time_ns() // 1_000_000,
}

generator = numpy.random.default_rng(SEEDS[sys.argv[1]]())
for _ in range(int(sys.argv[2])):
    print(uuid.UUID(bytes=generator.bytes(16), version=4))
