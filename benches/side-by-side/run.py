#!/usr/bin/env python3
"""Measures the petstore beside other servers, in turns, and prints tables of ratios in Markdown.

Each server gets the first core, wrk the others. All read copies of the same database. Linux; needs wrk and cargo.
Nothing is installed outside this folder, and no process is left behind."""

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import report
from data import add_keys, make_data, make_empty, serve
from measure import HERE, Case, build, measure

ROOT = HERE.parents[1]
PETS = 100_000
MILLION = 1_000_000


def main():
    options = parse()
    check_programs()
    rivals = build(HERE, "side-by-side")
    ours = {"petstore": build(ROOT, "petstore"), **options.ours}
    target = rivals.parents[1]
    with tempfile.TemporaryDirectory(prefix="run-", dir=target) as temporary:
        directory = Path(temporary)
        data = {label: make_data(binary, directory / label, PETS) for label, binary in ours.items()}
        tables = make_tables(options, rivals, ours, data)
        tables.append(constant_table(rivals, build_constant(target), directory))
        if options.million:
            tables += [million_keys(label, binary, directory) for label, binary in ours.items()]
        if options.servers:
            for table in tables:
                table.cases[1:] = [it for it in table.cases[1:] if any(part in it.name for part in options.servers)]
        results = run(tables, options, directory)
    print(report.header(options, rivals), flush=True)
    for table in tables:
        print(report.table(table, results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each server is measured (5)")
    parser.add_argument("--seconds", type=int, default=4, help="how long each measurement takes (4)")
    parser.add_argument(
        "--servers", metavar="A,B", type=lambda it: it.split(","), help="only servers whose name contains one of these"
    )
    parser.add_argument(
        "--ours",
        metavar="LABEL=PATH",
        type=labelled_path,
        action="append",
        default=[],
        help="a further binary of the petstore, such as an older one; repeatable",
    )
    parser.add_argument("--orders", action="store_true", help="measure POST /store/orders, too")
    parser.add_argument("--cores", metavar="1,2,all", type=core_counts, help="measure with these numbers of cores, too")
    parser.add_argument("--million", action="store_true", help="measure a million keys that read a million pets, too")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    options.ours = dict(options.ours)
    return options


def labelled_path(text):
    label, _, path = text.partition("=")
    if not (label and os.access(path, os.X_OK)):
        raise argparse.ArgumentTypeError("write LABEL=PATH, with the path of a program")
    return label, Path(path).resolve()


def core_counts(text):
    all_cores = len(os.sched_getaffinity(0))
    return sorted({all_cores if it == "all" else int(it) for it in text.split(",")})


def check_programs():
    missing = [it for it in ("wrk", "cargo") if not shutil.which(it)]
    if sys.platform != "linux" or missing:
        sys.exit(f"this needs Linux, wrk and cargo; missing: {' '.join(missing) or 'Linux'}")


def build_constant(target):
    """Builds the service that `dropspec new` makes of `constant.yaml`, after its only operation is filled in."""
    folder = target / "constant"
    shutil.rmtree(folder, ignore_errors=True)
    dropspec = ["cargo", "run", "--quiet", "--locked", "--package=dropspec", f"--manifest-path={ROOT / 'Cargo.toml'}", "--"]
    new = [*dropspec, "new", "constant", "--spec", HERE / "constant.yaml", "--toolchain", ROOT]
    subprocess.run(new, cwd=target, check=True, stdout=sys.stderr)
    operations = folder / "crates/constant-server/src/operations.rs"
    text = operations.read_text().replace("use dropspec_service::not_implemented;\n", "")
    answer = 'Ok(HttpResponseOk(Pet { id: path.into_inner().id, name: "Mittens".to_owned() }))'
    operations.write_text(text.replace("Err(not_implemented())", answer))
    return build(folder, "constant")


def make_tables(options, rivals, ours, data):
    """All that is measured: tables of cases. The first case of a table is what the others are compared with."""
    shared = data["petstore"]

    def rival(name):
        return lambda database, port, _: [rivals, name, database, f"127.0.0.1:{port}"]

    axum = Case("axum + r2d2", rival("axum"), shared)
    full = Case("axum, same features", rival("axum-full"), shared, logs=True)
    reads = [
        axum,
        full,
        Case("bare hyper", rival("hyper"), shared),
        Case("bare dropshot wildcard", rival("dropshot"), shared),
    ]
    for label, binary in ours.items():
        reads.append(Case(label, serve(binary), data[label], logs=True))
        reads.append(Case(f"{label}, JSON log", serve(binary, "--log-format=json"), data[label], logs=True))
        quiet = serve(binary, "--log-level=warn")
        reads.append(Case(f"{label}, log at warn", quiet, data[label]))
        reads.append(Case(f"{label}, log at warn, GET /rate-limit", quiet, data[label], path="/rate-limit"))
    tables = [report.Table("GET /pets/{id}", reads)]
    if options.orders:
        orders = {"method": "POST", "path": "/store/orders"}
        cases = [Case("axum + r2d2, one commit an order", rival("axum"), shared, **orders)]
        for label, binary in ours.items():
            cases.append(Case(f"{label}, orders", serve(binary), data[label], logs=True, **orders))
        tables.append(report.Table("POST /store/orders", cases))
    for cores in options.cores or []:
        cases = [
            Case(f"{name}, {cores} cores", command, data_of, cores=cores, logs=logs)
            for name, command, data_of, logs in [
                (axum.name, axum.command, shared, False),
                ("bare hyper", rival("hyper"), shared, False),
                *((label, serve(binary), data[label], True) for label, binary in ours.items()),
            ]
        ]
        tables.append(report.Table(f"GET /pets/{{id}} with {cores} cores for the server", cases))
    return tables


def constant_table(rivals, constant, directory):
    """A service of `dropspec new`, whose requests pass the gate, beside dropshot alone."""
    answer = {"id": 7, "name": "Mittens"}
    data = make_empty(constant, directory / "constant", PETS)
    alone = lambda database, port, _: [rivals, "dropshot-constant", database, f"127.0.0.1:{port}"]
    cases = [
        Case("bare dropshot", alone, data, answer=answer),
        Case("dropspec new", serve(constant), data, answer=answer, logs=True),
        Case("dropspec new, log at warn", serve(constant, "--log-level=warn"), data, answer=answer),
    ]
    return report.Table("GET /pets/{id} with a constant answer", cases)


def million_keys(label, binary, directory):
    """One key without a limit that matters, and a million keys of the plan `free`, of which each request draws one."""
    data = make_data(binary, directory / f"{label}, million", MILLION)
    file = data.database.with_name("keys")
    add_keys(data.database, MILLION, file)
    command = serve(binary, "--log-level=warn")
    cases = [
        Case(f"{label}, one key", command, data),
        Case(f"{label}, a million keys", command, dataclasses.replace(data, keys=f"@{file}")),
    ]
    return report.Table(f"GET /pets/{{id}}: {label}, log at warn, a million pets", cases)


def run(tables, options, directory):
    """Measures all cases in turns. Each round starts with another one, so that no server has always the same place."""
    cases = [case for table in tables for case in table.cases]
    results = {case.name: [] for case in cases}
    for number in range(options.rounds):
        start = number * len(cases) // options.rounds
        for index, case in enumerate(cases[start:] + cases[:start]):
            progress = f"round {number + 1} of {options.rounds}, {index + 1} of {len(cases)}: {case.name}"
            print(progress, file=sys.stderr, flush=True)
            results[case.name].append(measure(case, options.seconds, directory))
    return results


if __name__ == "__main__":
    main()
