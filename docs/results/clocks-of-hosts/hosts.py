"""Measures page fill with ids of hosts whose clocks differ: one process and one connection for each host.

    hosts.py SERVER SET OUT [--groups BEGINNING]     SERVER: mysql, mariadb, mariadb11 or postgres

Starts a container of the server, runs the loads of the file SET, and appends a line for each to the file OUT.
Loads of the same group run at the same time, each with a table of its own. It needs Docker with the images of
`make setup`, the environment of `scripts/python.sh env`, and the program `idgen` in the path, which reads the
pages of InnoDB's files.
"""

import argparse
import csv
import json
import math
import multiprocessing
import os
import random
import socket
import subprocess
import tempfile
import time
import uuid

import idgen
import psycopg
import pymysql

# Image, port, and where the files of tables are.
SERVERS = {
    "mysql": ("idgen-mysql:9.7", 13501),
    "mariadb": ("idgen-mariadb:10.11", 13502),
    "mariadb11": ("idgen-mariadb:11.8", 13503),
    "postgres": ("idgen-postgres:18", 13504),
}
PASSWORD = "hosts"
LOAD = ["hosts", "statement_rows", "rate", "spread_ms", "kind", "commits"]
COLUMNS = ["server", *LOAD, "rows", "rate_reached", "fill", "leaf_pages", "insert_us", "span_us"]


class Database:
    def __init__(self, server):
        self.postgres = server == "postgres"
        self.name, self.port = f"skew-{server}", SERVERS[server][1]
        if self.postgres:
            self.connection = psycopg.connect(
                host="127.0.0.1", port=self.port, user="postgres", password=PASSWORD, autocommit=True
            )
        else:
            self.connection = pymysql.connect(
                host="127.0.0.1", port=self.port, user="root", password=PASSWORD, autocommit=True
            )
        self.cursor = self.connection.cursor()

    def run(self, *texts):
        for text in texts:
            self.cursor.execute(text)

    def rows(self, text):
        self.cursor.execute(text)
        return self.cursor.fetchall()

    def create(self, table, kind):
        key = "uuid" if self.postgres else "BINARY(16)"
        if kind == "server":
            key = {True: "uuid DEFAULT uuidv7()", False: "BIGINT UNSIGNED AUTO_INCREMENT"}[self.postgres]
        if kind == "server-v7":
            key = "UUID DEFAULT UUID_v7()"
        payload = "text" if self.postgres else "VARBINARY(100)"
        self.run(f"CREATE TABLE {table} (id {key} PRIMARY KEY, payload {payload} NOT NULL)")

    def insert(self, table, ids, made, payload):
        """One statement. A payload is 100 bytes: when the id was made, the server's clock at the row, and random letters."""
        # The last 66 bytes are other ones for each row.
        bodies = [payload[at : at + 66] for at in random.choices(range(len(payload) - 66), k=len(made))]
        if self.postgres:
            value = "%s || extract(epoch FROM clock_timestamp())::numeric(16, 6) || %s"
        else:
            value = "CONCAT(%s, UNIX_TIMESTAMP(SYSDATE(6)), %s)"
        at = [f"{micros / 1e6:.6f}" for micros in made]
        if ids:
            row = f"(%s, {value})"
            ids = [uuid.UUID(bytes=i) for i in ids] if self.postgres else ids
            values = [field for fields in zip(ids, at, bodies) for field in fields]
        else:
            row = f"(DEFAULT, {value})"
            values = [field for fields in zip(at, bodies) for field in fields]
        self.cursor.execute(f"INSERT INTO {table} VALUES {', '.join([row] * len(made))}", values)

    def pages(self, table):
        """Page fill in per cent and the number of leaf pages of the index of the primary key."""
        if self.postgres:
            self.run("CREATE EXTENSION IF NOT EXISTS pgstattuple")
            [row] = self.rows(f"SELECT avg_leaf_density, leaf_pages FROM pgstatindex('{table}_pkey')")
            return float(row[0]), row[1]
        self.run(f"FLUSH TABLES {table} FOR EXPORT")
        schema, name = table.split(".")
        with tempfile.TemporaryDirectory() as directory:
            file = f"{directory}/{name}.ibd"
            subprocess.run(
                ["docker", "cp", "-q", f"{self.name}:/var/lib/mysql/{schema}/{name}.ibd", file], check=True
            )
            self.run("UNLOCK TABLES")
            answer = subprocess.run(
                ["idgen", "lab", "pages", "--json", file], check=True, capture_output=True
            )
        [table] = [index for index in json.loads(answer.stdout)["indexes"] if index["clustered"]]
        [leaves] = [level for level in table["levels"] if level["level"] == 0]
        return 100 * leaves["fill"]["mean"], leaves["pages"]

    def delays(self, table):
        """The rows, and percentiles 50, 95, 99 and 100 in microseconds of two times: from making the ids of a statement to the insert of
        its first row, and from this to the insert of its last row."""
        text = "payload" if self.postgres else "CAST(payload AS CHAR)"
        statements, rows = {}, self.rows(f"SELECT {text} FROM {table}")
        for (payload,) in rows:
            statements.setdefault(payload[:17], []).append(
                round(1e6 * (float(payload[17:34]) - float(payload[:17])))
            )
        first = sorted(min(delays) for delays in statements.values())
        span = sorted(max(delays) - min(delays) for delays in statements.values())
        return len(rows), percentiles(first), percentiles(span)


def percentiles(all):
    return [all[min(math.ceil(share * len(all)), len(all)) - 1] for share in (0.5, 0.95, 0.99, 1)]


def start(server):
    image, port = SERVERS[server]
    name = f"skew-{server}"
    subprocess.run(["docker", "rm", "--force", "--volumes", name], check=False, capture_output=True)
    if server == "postgres":
        env, options = "POSTGRES_PASSWORD", [f"-cport={port}", "-clisten_addresses=127.0.0.1"]
    else:
        env, options = (
            "MYSQL_ROOT_PASSWORD",
            [f"--port={port}", "--bind-address=127.0.0.1", "--skip-name-resolve"],
        )
        options += ["--max-connections=300"] + (["--mysqlx=OFF"] if server == "mysql" else [])
    environment = ["--env", f"{env}={PASSWORD}"]
    subprocess.run(
        ["docker", "run", "--detach", "--network=host", "--name", name, *environment, image, *options],
        check=True,
        capture_output=True,
    )
    for _ in range(120):
        try:
            return Database(server)
        except (pymysql.Error, psycopg.Error):
            time.sleep(1)
    raise SystemExit(f"{name} did not start")


def source(kind, host, offset_ms):
    """Returns a function that makes this many ids by a clock that is wrong by a constant."""
    offset = int(1e6 * offset_ms)

    def clock():
        return time.time_ns() + offset

    if kind == "v4":
        return lambda rows: [idgen.v4_bytes() for _ in range(rows)]
    if kind == "named":
        generator = idgen.Prefixed("sequential", "minute", writer=f"host-{host}", clock=clock)
    elif kind.startswith("server"):
        return lambda rows: None
    else:
        generator = idgen.V7(clock=clock)
    return lambda rows: generator.batch(rows, form="bytes")


def offset(load, host):
    """Evenly spread: the clock of the last host is ahead of the first one's by the whole difference."""
    return load["spread_ms"] * host / max(load["hosts"] - 1, 1)


def moments(load, begin):
    """When a host has rows to insert: at random, independently of the others, for as long as the load takes."""
    due, mean = begin, load["hosts"] * load["statement_rows"] / load["rate"]
    while True:
        due += random.expovariate(1 / mean)
        if due > begin + load["rows"] / load["rate"]:
            return
        time.sleep(max(0, due - time.time()))
        yield


def host(server, load, table, number, begin, ready, ended):
    random.seed()
    database = Database(server)
    payload = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=10_000))
    ids, rows = source(load["kind"], number, offset(load, number)), load["statement_rows"]
    ready.release()
    for _ in moments(load, begin.wait()):
        made = time.time_ns() // 1000
        database.insert(table, ids(rows), [made] * rows, payload)
    ended.put(time.time())


class Begin:
    """All hosts of all loads of a group begin at the same time."""

    def __init__(self, context):
        self.at, self.event = context.Value("d", 0.0), context.Event()

    def now(self):
        self.at.value = time.time() + 0.5
        self.event.set()

    def wait(self):
        self.event.wait()
        return self.at.value


def sender(load, path, begin, ready):
    """A host that sends its rows to the one inserter."""
    random.seed()
    to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ready.release()
    for _ in moments(load, begin.wait()):
        to.sendto(b"r" * load["statement_rows"], path)


def inserter(server, load, table, path, begin, ready, ended):
    """Makes the ids of all rows that wait, at most 100, and inserts them in one statement. Its clock is as wrong as the last host's."""
    database = Database(server)
    payload = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=10_000))
    ids = source("v7", 0, load["spread_ms"])
    queue = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    queue.bind(path)
    ready.release()
    begin.wait()
    last = time.time()
    while True:
        queue.settimeout(3)
        try:
            rows = len(queue.recv(1000))
            queue.setblocking(False)
            while rows < 100:
                rows += len(queue.recv(1000))
        except BlockingIOError:
            pass
        except TimeoutError:
            return ended.put(last)
        database.insert(table, ids(rows), [time.time_ns() // 1000] * rows, payload)
        last = time.time()


def run(server, group, database):
    """Runs loads at the same time, and returns their lines."""
    context = multiprocessing.get_context("fork")
    begin, ready, all = Begin(context), context.Semaphore(0), []
    for number, load in enumerate(group):
        table, ended = f"hosts.t{number}", context.SimpleQueue()
        database.run(f"DROP TABLE IF EXISTS {table}")
        database.create(table, load["kind"])
        hosts = load["hosts"]
        if load["kind"] == "inserter":
            path = f"\0idgen-{server}-{table}"
            arguments = (server, load, table, path, begin, ready, ended)
            processes = [context.Process(target=inserter, args=arguments)]
            processes += [
                context.Process(target=sender, args=(load, path, begin, ready)) for _ in range(hosts)
            ]
            connections = 1
        else:
            arguments = [(server, load, table, number, begin, ready, ended) for number in range(hosts)]
            processes = [context.Process(target=host, args=arguments) for arguments in arguments]
            connections = hosts
        all.append((load, table, ended, connections, processes))
    processes = [process for load in all for process in load[-1]]
    for process in processes:
        process.start()
    for _ in processes:
        ready.acquire()
    begin.now()
    lines = []
    for load, table, ended, connections, _ in all:
        last = max(ended.get() for _ in range(connections))
        rows, first, span = database.delays(table)
        fill, leaves = database.pages(table)
        took = last - begin.wait()
        line = {**load, "server": server, "rows": rows, "rate_reached": f"{rows / took:.0f}"}
        line |= {"fill": f"{fill:.2f}", "leaf_pages": leaves, "spread_ms": f"{load['spread_ms']:g}"}
        lines.append(
            line | {name: ",".join(map(str, all)) for name, all in (("insert_us", first), ("span_us", span))}
        )
    for process in processes:
        process.join()
    return lines


def commits(server, database, way):
    """With `late`, the server writes its log to the disk once a second."""
    if server == "postgres":
        value = "off" if way == "late" else "on"
        database.run(f"ALTER SYSTEM SET synchronous_commit = {value}", "SELECT pg_reload_conf()")
        return
    value = 0 if way == "late" else 1
    database.run(f"SET GLOBAL innodb_flush_log_at_trx_commit = {value}")
    if server == "mysql":
        database.run(f"SET GLOBAL sync_binlog = {value}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("server", choices=SERVERS)
    options.add_argument("set")
    options.add_argument("out")
    options.add_argument("--groups", default="", help="only groups whose names begin with this")
    options = options.parse_args()
    server = options.server
    groups = {}
    with open(options.set) as file:
        for load in csv.DictReader(file, delimiter="\t"):
            if server in load.pop("servers").split(",") and load["group"].startswith(options.groups):
                for name in ("hosts", "statement_rows", "rate", "rows"):
                    load[name] = int(load[name])
                load["spread_ms"] = float(load["spread_ms"])
                groups.setdefault(load.pop("group"), []).append(load)
    database = start(server)
    database.run("CREATE SCHEMA hosts")
    fresh = not os.path.exists(options.out)
    with open(options.out, "a", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        if fresh:
            out.writeheader()
        for group in groups.values():
            commits(server, database, group[0]["commits"])
            for line in run(server, group, database):
                out.writerow(line)
                print(*(line[name] for name in COLUMNS), sep="\t", flush=True)
            file.flush()
    subprocess.run(["docker", "rm", "--force", "--volumes", database.name], check=True, capture_output=True)


if __name__ == "__main__":
    main()
