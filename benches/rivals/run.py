#!/usr/bin/env python3
"""Counts the documents of a corpus that other generators of Rust turn into code, and writes the page of results.

    cargo xtask corpus ../shared/corpus/openapi --call >target/corpus.txt
    benches/rivals/run.py ../shared/corpus/openapi --ours target/corpus.txt >docs/results.md

A document is generated if the program ends with exit code 0 within a minute. With `--check` its crate must also pass `cargo check`, which
takes hours for a large corpus. The programs are installed below target/rivals, with what they generate and the output of each run.
"""

import argparse
import collections
import datetime
import pathlib
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
    """Whether a program makes a crate of a document in an empty folder."""
    tool = str(WORK / "bin" / program)
    if program == "cargo-progenitor":
        command = [tool, "progenitor", "--input", document, "--output", ".", "--name", "rival", "--version", "0.1.0"]
        return run(command, folder, 60)
    if not run([tool, "generate", document, "--output-dir", "src/generated"], folder, 60):
        return False
    # It leaves the manifest to its user, and says which dependencies the code needs.
    dependencies = (folder / "src/generated/REQUIRED_DEPS.toml").read_text(encoding="utf-8")
    manifest = '[package]\nname = "rival"\nversion = "0.1.0"\nedition = "2024"\n\n'
    (folder / "Cargo.toml").write_text(manifest + dependencies, encoding="utf-8")
    (folder / "src/lib.rs").write_text("pub mod generated;\n", encoding="utf-8")
    return True


def check(folder):
    with open(folder / "Cargo.toml", "a", encoding="utf-8") as manifest:
        manifest.write("\n[workspace]\n")
    return run(["cargo", "check", "--quiet", "--target-dir", str(WORK / "target")], folder, 1200)


def count(corpus, is_checked):
    """The numbers of documents of each folder: all, and for each program those that it generates, and those that compile."""
    rows = collections.defaultdict(collections.Counter)
    documents = sorted(it for it in corpus.rglob("*") if it.suffix in SUFFIXES)
    for number, document in enumerate(documents):
        row = rows[document.parent.name]
        row["documents"] += 1
        for program in RIVALS:
            folder = WORK / "generated" / f"{number}-{program}"
            subprocess.run(["rm", "-rf", str(folder)], check=True)
            (folder / "src").mkdir(parents=True)
            if generate(program, str(document.resolve()), folder):
                row[program] += 1
                row[f"{program}, compiled"] += is_checked and check(folder)
        print(f"{number + 1} of {len(documents)}: {document.name}", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path, help="the folder of documents")
    parser.add_argument("--ours", type=pathlib.Path, required=True, help="what `cargo xtask corpus` printed")
    parser.add_argument("--check", action="store_true", help="compile what is generated")
    arguments = parser.parse_args()
    for program, version in RIVALS.items():
        install(program, version)
    rows = count(arguments.corpus, arguments.check)
    columns = ["documents"] + [it for name in RIVALS for it in [name, f"{name}, compiled"][: 1 + arguments.check]]
    print("<!-- Written by benches/rivals/run.py, whose first lines say how; do not edit. -->")
    print("# Results\n")
    print(f"{datetime.date.today()}: which documents of others become code, by `cargo xtask corpus --call`. It generates each document, compiles")
    print("the interface and the client, and calls every operation of it through the client on a server that echoes samples, and on a mock.")
    print("Above the table are the documents that are not complete, and why. A column counts operations unless it says what else;")
    print("`cargo xtask corpus --help` describes them.\n")
    print(f"```text\n{arguments.ours.read_text(encoding='utf-8').rstrip()}\n```\n")
    print("## Other generators\n")
    print("The documents of the same folders that each turns into code without an error, whichever part of the document the code has:\n")
    names = [f"`{it}` {RIVALS[it]}" if it in RIVALS else it for it in columns]
    print(f"| folder | {' | '.join(names)} |\n|---|{'---:|' * len(columns)}")
    rows["**all**"] = sum(rows.values(), collections.Counter())
    for folder, row in rows.items():
        print(f"| {folder} | {' | '.join(str(row[it]) for it in columns)} |")


if __name__ == "__main__":
    main()
