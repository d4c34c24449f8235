#!/usr/bin/env python3
"""Counts the documents of a corpus that other generators of Rust turn into code, and writes the page of results.

    cargo xtask corpus ../shared/corpus/openapi --call >target/corpus.txt
    benches/rivals/run.py ../shared/corpus/openapi --ours target/corpus.txt >docs/results.md

A document counts if the program ends with exit code 0 within a minute. Below target/rivals are the programs, what they generate, and
what they print.
"""

import argparse
import collections
import datetime
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "rivals"
RIVALS = {"openapi-to-rust": "0.23.0", "cargo-progenitor": "0.15.1"}
SUFFIXES = {".json", ".yaml", ".yml"}


def run(command, folder, seconds):
    """Whether a command succeeds in time. Its output is kept in the folder."""
    with open(folder / "output.txt", "a", encoding="utf-8") as output:
        try:
            done = subprocess.run(command, cwd=folder, stdout=output, stderr=output, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def install(program, version):
    command = ["cargo", "install", "--quiet", "--locked", "--debug", "--root", str(WORK), f"{program}@{version}"]
    subprocess.run(command, check=True)


def generate(program, document, folder):
    """Whether a program makes code of a document, in an empty folder."""
    tool = str(WORK / "bin" / program)
    if program == "cargo-progenitor":
        options = ["--name", "rival", "--version", "0.1.0"]
        return run([tool, "progenitor", "--input", document, "--output", ".", *options], folder, 60)
    return run([tool, "generate", document, "--output-dir", "src"], folder, 60)


def count(documents):
    """The numbers of documents of each folder: all, and for each program those that it turns into code."""
    rows = collections.defaultdict(collections.Counter)
    for number, document in enumerate(documents):
        rows[document.parent.name]["documents"] += 1
        for program in RIVALS:
            folder = WORK / program / str(number)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            rows[document.parent.name][program] += generate(program, str(document.resolve()), folder)
        print(f"{number + 1} of {len(documents)}: {document.name}", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path, help="the folder of documents")
    parser.add_argument("--ours", type=pathlib.Path, required=True, nargs="+", help="what `cargo xtask corpus` printed, run by run")
    arguments = parser.parse_args()
    runs = [path.read_text(encoding="utf-8").rstrip().replace(f"{arguments.corpus}/", "") for path in arguments.ours]
    for program, version in RIVALS.items():
        install(program, version)
    documents = sorted(it for it in arguments.corpus.rglob("*") if it.suffix in SUFFIXES)
    rows = count(documents)
    print("# Results\n")
    print(f"{datetime.date.today()}, written by `benches/rivals/run.py`: which documents of others become code.\n")
    print("## dropspec\n")
    print("`cargo xtask corpus --call` generates each document, compiles the interface and the client, and calls every operation of it")
    print("through the client on a server that echoes samples, and on a mock. Above the table are the documents that are not complete,")
    print("and why. `cargo xtask corpus --help` describes the columns, which count operations, but for the first two.\n")
    for number, text in enumerate(runs):
        if number == 1:
            print("After what the failures showed was mended, some of the documents were run again:\n")
        print(f"```text\n{text}\n```\n")
    print("## Other generators\n")
    print("Both generate a client. The documents of the same folders of which each makes code without an error, also of documents that are wrong.")
    print("Whether the code compiles was not tried.\n")
    columns = ["documents", *RIVALS]
    names = [f"`{program}` {version}" for program, version in RIVALS.items()]
    print(f"| folder | documents | {' | '.join(names)} |\n|---|{'---:|' * len(columns)}")
    rows["**all**"] = sum(rows.values(), collections.Counter())
    for folder, row in rows.items():
        print(f"| {folder} | {' | '.join(str(row[it]) for it in columns)} |")


if __name__ == "__main__":
    main()
