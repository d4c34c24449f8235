"""The tables, in Markdown."""

import datetime
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass
class Table:
    """Cases that are compared with the first of them."""

    title: str
    cases: list


def header(options, rivals):
    """When, where and with what it was measured."""
    facts = [
        machine(),
        output(rivals, "--version"),
        output("wrk", "-v").partition(" [")[0],
        f"{options.rounds} rounds of {options.seconds} s for each server",
        f"load average at the end {os.getloadavg()[0]:.1f}",
    ]
    return "; ".join(facts) + "\n"


def machine():
    """When and where it was measured."""
    model = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    facts = [
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        f"{model}, {os.cpu_count()} cores",
        f"Linux {platform.release()}",
    ]
    return "; ".join(facts)


def table(table, results):
    """A table with medians over the rounds, and in brackets the least and the largest value."""
    base = results[table.cases[0].name]
    rows = [
        f"### {table.title}\n",
        f"| server | requests/s | × {table.cases[0].name} | CPU µs/request | × by CPU time | p50 ms | p99 ms | memory MiB | start ms | busy |",
        "| --- " + "| ---: " * 9 + "|",
    ]
    for case in table.cases:
        rounds = results[case.name]
        throughput = [it["per_second"] / of["per_second"] for it, of in zip(rounds, base)]
        cost = [of["cpu_us"] / it["cpu_us"] for it, of in zip(rounds, base)]
        cells = [
            case.name,
            spread((it["per_second"] for it in rounds), ",.0f"),
            spread(throughput, ".2f"),
            spread((it["cpu_us"] for it in rounds), ".1f"),
            spread(cost, ".2f"),
            f"{middle(rounds, 'p50_us') / 1000:.2f}",
            f"{middle(rounds, 'p99_us') / 1000:.2f}",
            f"{middle(rounds, 'memory_mib'):.0f}",
            f"{middle(rounds, 'ready_ms'):.0f}",
            f"{middle(rounds, 'busy'):.0%}",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    lost = [
        f"{case.name}: {1 - middle(results[case.name], 'logged'):.1%} of the log lines were lost."
        for case in table.cases
        if case.logs and middle(results[case.name], "logged") < 0.999
    ]
    return "\n".join([*rows, "", *lost])


def spread(values, form):
    values = sorted(values)
    return f"{median(values):{form}} ({values[0]:{form}}–{values[-1]:{form}})"


def middle(rounds, name):
    return median(it[name] for it in rounds)


def output(*command):
    """The first line that a program prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.splitlines()[0]
