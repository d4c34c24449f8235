"""One measurement: a server on its cores, wrk on the others, and what the server used."""

import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
CONNECTIONS = 32
WARM_UP_SECONDS = 1
START_TIMEOUT = 30
STOP_TIMEOUT = 15


@dataclass(frozen=True)
class Data:
    """A database that is copied for each measurement, and what clients need to know of it."""

    database: Path
    pets: int
    # A key, or `@FILE` with one key a line.
    keys: str

    def first_key(self):
        if not self.keys.startswith("@"):
            return self.keys
        with open(self.keys[1:], encoding="utf-8") as lines:
            return lines.readline().strip()


@dataclass(frozen=True)
class Case:
    """A server and the requests that it gets."""

    name: str
    # Makes the command line from the database, the port, and a port for the panel.
    command: Callable[[Path, int, int], list]
    data: Data
    method: str = "GET"
    path: str = "/pets/{id}"
    cores: int = 1
    # Whether it writes a line on standard error for each request.
    logs: bool = False
    # The answer to a request for pet 7, if it is another one than that of the petstore.
    answer: dict | None = None


def measure(case, seconds, directory):
    """Starts the server of `case`, sends requests for `seconds`, and returns the figures as a dictionary."""
    with running(case, directory) as server:
        check_answer(case, server.port)
        warm_up = run_wrk(case, server.port, WARM_UP_SECONDS)
        before = cpu_seconds(server.pid)
        result = run_wrk(case, server.port, seconds)
        used = cpu_seconds(server.pid) - before
        memory = resident_mib(server.pid)
        server.stop()
        # One request was sent to check the answer. Those that wrk gave up at its end are not counted.
        sent = warm_up["requests"] + result["requests"] + 1
        return {
            **result,
            "per_second": result["requests"] / result["seconds"],
            "cpu_us": used / result["requests"] * 1e6,
            "busy": used / result["seconds"] / case.cores,
            "memory_mib": memory,
            "ready_ms": server.ready_ms,
            "logged": count_lines(server.log) / sent if case.logs else None,
        }


def build(folder, program, features=""):
    """Builds a program with cargo features in the profile `dist`, and returns its path."""
    command = ["cargo", "build", "--locked", "--profile=dist", f"--bin={program}", f"--features={features}", "--message-format=json-render-diagnostics"]
    output = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    built = (json.loads(line).get("executable") for line in output.splitlines())
    return Path([it for it in built if it][-1])


@contextmanager
def running(case, directory):
    """The server of `case` on its cores, with a copy of its database in `directory`. It is stopped at the end."""
    with tempfile.TemporaryDirectory(dir=directory) as temporary:
        database = Path(temporary, "petstore.db")
        shutil.copy(case.data.database, database)
        server = Server(case.command, database, divide_cpus(case.cores)[0])
        try:
            server.wait_until_ready()
            yield server
        finally:
            server.stop()


class Server:
    """The process of a server, which was started with a database."""

    def __init__(self, command, database, cpus):
        self.port, panel_port = free_ports(2)
        self.log = database.with_name("log")
        self.started = time.monotonic()
        self.ready_ms = None
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command(database, self.port, panel_port),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                preexec_fn=lambda: os.sched_setaffinity(0, cpus),
            )
        self.pid = self.process.pid

    def wait_until_ready(self):
        while self.process.poll() is None and time.monotonic() < self.started + START_TIMEOUT:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                self.ready_ms = (time.monotonic() - self.started) * 1000
                return
            except OSError:
                time.sleep(0.002)
        tail = self.log.read_text(errors="replace")[-2000:]
        raise SystemExit(f"the server did not start: {' '.join(map(str, self.process.args))}\n{tail}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def divide_cpus(cores):
    """The CPUs of the server and those of the client. They share them if there are not enough."""
    cpus = sorted(os.sched_getaffinity(0))
    if cores > len(cpus):
        raise SystemExit(f"{cores} cores were asked for, but there are {len(cpus)}")
    return set(cpus[:cores]), set(cpus[cores:] or cpus)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [it.getsockname()[1] for it in sockets]
    for it in sockets:
        it.close()
    return ports


def check_answer(case, port):
    """Checks that the server answers as the petstore does, so that all are measured at the same work."""
    url = f"http://127.0.0.1:{port}{case.path.replace('{id}', '7')}"
    headers = {"X-API-Key": case.data.first_key(), "Content-Type": "application/json"}
    body = b'{"petId":7}' if case.method == "POST" else None
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
        answer = json.load(response)
    expected = {
        "/pets/{id}": case.answer or {"id": 7, "name": "Mittens 7", "categoryId": 1, "status": "available"},
        "/store/orders": {"id": 1, "petId": 7, "quantity": 1, "complete": False},
    }.get(case.path, answer)
    if {name: answer.get(name) for name in expected} != expected:
        raise SystemExit(f"{case.name} answers {case.path} with {answer}, not {expected}")


def run_wrk(case, port, seconds, cpus=None, connections=CONNECTIONS):
    """Sends requests of `case` for `seconds`, and returns what `load.lua` prints."""
    cpus = cpus or divide_cpus(case.cores)[1]
    threads = min(len(cpus), connections)
    arguments = [case.method, case.path, str(case.data.pets), case.data.keys, str(random.getrandbits(30))]
    output = subprocess.run(
        ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "-s", HERE / "load.lua"]
        + [f"http://127.0.0.1:{port}", "--", *arguments],
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cpus),
    ).stdout
    result = json.loads(output.splitlines()[-1])
    if result["errors"] or not result["requests"]:
        raise SystemExit(f"{case.name}: {output}")
    return result


def cpu_seconds(pid):
    """The CPU time that a process has used, in user mode and in the kernel (what `getrusage` says of it)."""
    # The name of the program, in brackets, may contain spaces.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return None


def count_lines(path):
    lines = 0
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            lines += block.count(b"\n")
    return lines
