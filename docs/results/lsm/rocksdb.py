#!/usr/bin/env python3
"""Records one load of set.tsv on RocksDB, through the package rocksdict.

    pip install rocksdict
    cargo run --release -p idgen-lab --example keys -- v4-binary 1000000 1000 | python3 rocksdb.py v4-binary 100 2048 8192 100 default

The keys come in hexadecimal, a line each. Before each row the key is looked up, as a check that it is new does, and every 500 rows
the script waits until all compactions are done, as at a rate that the machine keeps up with. It prints a line of JSON.
"""
import json
import random
import shutil
import sys
import tempfile
import time

from rocksdict import BlockBasedOptions, Cache, DBCompressionType, Options, Rdict

PENDING = ["num-running-compactions", "compaction-pending", "num-running-flushes", "mem-table-flush-pending"]


def counts(options):
    lines = (line.split() for line in options.get_statistics().splitlines())
    return {line[0]: int(line[3]) for line in lines if len(line) == 4 and line[1] == "COUNT"}


def record(strategy, payload, memtable_kib, base_kib, compressed, levels):
    folder = tempfile.mkdtemp(prefix="rocksdb-")
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.enable_statistics()
    options.set_write_buffer_size(memtable_kib << 10)
    options.set_target_file_size_base(memtable_kib << 10)
    options.set_max_bytes_for_level_base(base_kib << 10)
    if levels == "fixed":
        options.set_level_compaction_dynamic_level_bytes(False)
    options.set_compression_type(DBCompressionType.none() if compressed == 100 else DBCompressionType.lz4())
    table = BlockBasedOptions()
    table.set_bloom_filter(10.0, False)
    table.set_block_cache(Cache(base_kib << 10))
    options.set_block_based_table_factory(table)
    db = Rdict(folder, options)

    def wait():
        while any(db.property_value("rocksdb." + name) != "0" for name in PENDING):
            time.sleep(0.001)

    values = random.Random(2026)
    rows = 0
    for line in sys.stdin:
        key = bytes.fromhex(line.strip())
        db.get(key)
        # Half of a value that is to be compressed is random.
        drawn = payload if compressed == 100 else payload // 2
        db[key] = values.randbytes(drawn) + bytes(payload - drawn)
        rows += 1
        if rows % 500 == 0:
            wait()
    wait()
    now = counts(options)
    flushed, compacted = now["rocksdb.flush.write.bytes"], now["rocksdb.compact.write.bytes"]
    asked = now["rocksdb.bloom.filter.useful"] + now["rocksdb.bloom.filter.full.positive"]
    files = [int(db.property_value(f"rocksdb.num-files-at-level{level}")) for level in range(7)]
    db.close()
    shutil.rmtree(folder)
    return {
        "engine": "rocksdb",
        "strategy": strategy,
        "payload_bytes": payload,
        "memtable_kib": memtable_kib,
        "level_base_kib": base_kib,
        "rows": rows,
        "compressed_percent": compressed,
        "levels": levels,
        "flushed_bytes": flushed,
        "compacted_bytes": compacted,
        "filters": asked,
        "files_at_levels": files,
    }


if __name__ == "__main__":
    name, *numbers, levels = sys.argv[1:]
    print(json.dumps(record(name, *map(int, numbers), levels)))
