#!/usr/bin/env python3
"""Measures what a request costs with SQLite, and with PostgreSQL and Redis for one and for three servers.

All processes share the cores, so throughput says little; CPU time does. PostgreSQL and Redis are started for the
measurement, with data in a temporary folder. Linux; needs wrk, cargo, PostgreSQL, Redis and redis-cli. Prints a table in
Markdown."""

import argparse
import dataclasses
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import engines
import report
from data import add_keys, copy_keys, create_key, make_data, pets_sql, serve
from measure import CONNECTIONS, HERE, Case, Data, Server, build, cpu_seconds, run_wrk

PETS = 100_000


@dataclass(frozen=True)
class Setting:
    """Servers, and where they store."""

    name: str
    servers: int
    postgres: bool
    redis: bool


SETTINGS = [
    Setting("one server, SQLite", 1, False, False),
    Setting("one server, PostgreSQL", 1, True, False),
    Setting("one server, PostgreSQL and Redis", 1, True, True),
    Setting("three servers, PostgreSQL and Redis", 3, True, True),
]
KEYS = 200_000


@dataclass(frozen=True)
class Request:
    """Requests of one kind."""

    name: str
    method: str
    path: str
    # Each with another key, which the server has not seen before; otherwise all with the same.
    new_keys: bool = False


REQUESTS = [
    Request("`GET /pets/{id}`", "GET", "/pets/{id}"),
    Request("`POST /store/orders`", "POST", "/store/orders"),
    Request("`GET /pets/{id}`, the first of each key", "GET", "/pets/{id}", new_keys=True),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each setting is measured (3)")
    parser.add_argument("--seconds", type=int, default=4, help="how long each measurement takes (4)")
    parser.add_argument("--binary", metavar="FILE", type=Path, help="the petstore; by default it is built")
    options = parser.parse_args()
    binary = options.binary.resolve() if options.binary else build(HERE.parents[1], "petstore", "full")
    results = {}
    with tempfile.TemporaryDirectory(prefix="scale-") as temporary:
        for number in range(options.rounds):
            for setting in SETTINGS:
                folder = Path(temporary, f"{number}, {setting.name}")
                for request, cost in measure(binary, setting, options.seconds, folder):
                    results.setdefault((request, setting), []).append(cost)
    print(report.machine(), f"{options.rounds} rounds of {options.seconds} s", sep="; ", end="\n\n")
    print_table(results)


def measure(binary, setting, seconds, folder):
    """Starts the servers of a setting and what they need, and yields the figures of each kind of request."""
    keys = folder.with_name(f"{folder.name}, keys")
    with ExitStack() as running:
        postgres = running.enter_context(engines.postgres()) if setting.postgres else None
        redis = running.enter_context(engines.redis()) if setting.redis else None
        if postgres:
            # The first server creates the tables.
            start(binary, folder / "first", postgres, None).stop()
            data = Data(None, PETS, create_key(binary, postgres.url))
            postgres.query(pets_sql(PETS))
            copy_keys(postgres, KEYS, keys)
            postgres.query("VACUUM ANALYZE")
        else:
            data = make_data(binary, folder, PETS)
            add_keys(data.database, KEYS, keys)
        servers = []
        for number in range(setting.servers):
            place = folder if not postgres else folder / str(number)
            servers.append(start(binary, place, postgres, redis))
            running.callback(servers[-1].stop)
        for request in REQUESTS:
            used = dataclasses.replace(data, keys=f"@{keys}") if request.new_keys else data
            case = Case(setting.name, None, used, method=request.method, path=request.path)
            load(case, servers, 1)
            yield request, figures(case, servers, postgres, redis, seconds)


def start(binary, folder, postgres, redis):
    """Starts a server, whose log is in `folder`, and its database too if it is SQLite."""
    folder.mkdir(parents=True, exist_ok=True)
    command = serve(binary, *([f"--limits={redis.url}"] if redis else []))
    where = (lambda _, *ports: command(postgres.url, *ports)) if postgres else command
    server = Server(where, folder / "petstore.db", os.sched_getaffinity(0))
    server.wait_until_ready()
    return server


def load(case, servers, seconds):
    """Sends requests to all servers at the same time, and returns how many there were."""
    every_cpu = os.sched_getaffinity(0)
    with ThreadPoolExecutor(len(servers)) as pool:
        one = lambda server: run_wrk(case, server.port, seconds, every_cpu, CONNECTIONS // len(servers))
        return list(pool.map(one, servers))


def figures(case, servers, postgres, redis, seconds):
    def state():
        return {
            "servers": sum(cpu_seconds(it.pid) for it in servers),
            "postgres": postgres.cpu_seconds() if postgres else 0,
            "redis": redis.cpu_seconds() if redis else 0,
            "calls": redis.calls() if redis else 0,
            "wal": int(postgres.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")) if postgres else 0,
            "commits": int(postgres.query("SELECT xact_commit FROM pg_stat_database WHERE datname = 'petstore'")) if postgres else 0,
        }

    before = state()
    runs = load(case, servers, seconds)
    after = state()
    requests = sum(it["requests"] for it in runs)
    used = {name: (after[name] - before[name]) / requests for name in before}
    return {**used, "per_second": sum(it["requests"] / it["seconds"] for it in runs), "p99_us": max(it["p99_us"] for it in runs)}


def print_table(results):
    print("| request | setting | CPU µs of the servers | of PostgreSQL | of Redis | in all | requests for each call to Redis |"
          " commits for each request | WAL bytes for each request | requests/s |")
    print("| --- | --- " + "| ---: " * 8 + "|")
    for (request, setting), rounds in sorted(results.items(), key=lambda it: (REQUESTS.index(it[0][0]), SETTINGS.index(it[0][1]))):
        middle = {name: median(it[name] for it in rounds) for name in rounds[0]}
        cpu = [middle[it] * 1e6 for it in ("servers", "postgres", "redis")]
        cells = [
            request.name, setting.name, *(f"{it:.1f}" if it else "" for it in cpu), f"{sum(cpu):.1f}",
            f"{1 / middle['calls']:,.1f}" if middle["calls"] else "",
            f"{middle['commits']:.2f}" if setting.postgres else "",
            f"{middle['wal']:,.0f}" if setting.postgres else "",
            f"{middle['per_second']:,.0f}",
        ]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
