"""PostgreSQL and Redis for one measurement, on free ports, with their data in a temporary folder."""

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from measure import cpu_seconds, free_ports

TIMEOUT = 60


class Postgres:
    """A server that stores durably (`fsync` is on), with the default settings of PostgreSQL."""

    def __init__(self, url, process):
        self.url, self.process = url, process

    def query(self, sql, rows=""):
        """The answer to a statement, which may read `rows`."""
        command = ["psql", self.url, "-XAtqc", sql]
        return subprocess.run(command, input=rows, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def cpu_seconds(self):
        """The CPU time of all its processes, also of those that have ended."""
        me = str(self.process.pid)
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == me:
                total += int(fields[11]) + int(fields[12])
            elif stat.parent.name == me:
                total += sum(map(int, fields[11:15]))
        return total / os.sysconf("SC_CLK_TCK")


class Redis:
    """A server that stores nothing."""

    def __init__(self, port, process):
        self.port, self.url, self.process = port, f"redis://127.0.0.1:{port}", process

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def calls(self):
        """Scripts that were run, which is one for each call of the ledger."""
        lines = self._command("INFO", "commandstats").splitlines()
        calls = [it for it in lines if it.partition(":")[0] in ("cmdstat_evalsha", "cmdstat_eval", "cmdstat_fcall")]
        return sum(int(it.partition("calls=")[2].partition(",")[0]) for it in calls)

    def answers(self):
        return self._command("PING").strip() == "PONG"

    def _command(self, *words):
        command = ["redis-cli", "-p", str(self.port), *words]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


@contextmanager
def postgres():
    """A new PostgreSQL server with the empty database `petstore`."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
    initdb = programs / "initdb" if programs else shutil.which("initdb")
    if not initdb:
        raise SystemExit("PostgreSQL is not installed")
    port = free_ports(1)[0]
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        as_user = []
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
            as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
        data = f"{folder}/data"
        subprocess.run([*as_user, initdb, "--auth=trust", "--username=postgres", "--locale=C", "--encoding=UTF8", data], check=True, **quiet)
        command = [*as_user, Path(initdb).with_name("postgres"), "-D", data, "-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"]
        process = subprocess.Popen(command, **quiet)
        try:
            server = f"postgres://postgres@127.0.0.1:{port}"
            wait_for("PostgreSQL", lambda: subprocess.run(["psql", f"{server}/postgres", "-Xqc", "CREATE DATABASE petstore"], **quiet).returncode == 0)
            yield Postgres(f"{server}/petstore", process)
        finally:
            process.send_signal(2)
            process.wait(TIMEOUT)


@contextmanager
def redis():
    """A new Redis server."""
    port = free_ports(1)[0]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/")
    try:
        server = Redis(port, process)
        wait_for("Redis", server.answers)
        yield server
    finally:
        process.terminate()
        process.wait(TIMEOUT)


def wait_for(name, is_ready):
    deadline = time.monotonic() + TIMEOUT
    while not is_ready():
        if time.monotonic() > deadline:
            raise SystemExit(f"{name} did not start")
        time.sleep(0.05)
