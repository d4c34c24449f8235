"""Databases of the petstore: pets in any number, and API keys in the tables and with the text that it gives them."""

import hashlib
import json
import os
import sqlite3
import subprocess
import time
import zlib
from contextlib import closing

from measure import Data, Server

LIMIT = 1_000_000_000
KEYS = "api_keys (id, name, plan, access, created_at)"
SECRETS = "api_key_secrets (hash, key_id, prefix, last4, created_at)"
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def serve(binary, *flags):
    """How the petstore is started."""
    return lambda database, port, panel_port: [
        *(binary, "serve", "--database", database),
        *(f"--listen=127.0.0.1:{port}", f"--admin-listen=127.0.0.1:{panel_port}", *flags),
    ]


def make_data(binary, directory, pets):
    """Lets the petstore create a SQLite database with a key of large limits, and fills it with pets."""
    data = make_empty(binary, directory, pets)
    with closing(sqlite3.connect(data.database)) as db:
        db.executescript(pets_sql(pets))
    return data


def make_empty(binary, directory, pets):
    """Lets a service create its SQLite database with a key of large limits. Requests ask for the pets 1 to `pets`."""
    directory.mkdir()
    database = directory / "petstore.db"
    server = Server(serve(binary), database, os.sched_getaffinity(0))
    try:
        server.wait_until_ready()
    finally:
        server.stop()
    return Data(database, pets, create_key(binary, database))


def create_key(binary, database):
    """Creates a key with limits that no measurement reaches."""
    create = [binary, "keys", "create", "--database", database, "--json", "--name=bench", "--plan=enterprise"]
    created = subprocess.run([*create, f"--per-minute={LIMIT}", f"--per-day={LIMIT}"], check=True, stdout=subprocess.PIPE)
    return json.loads(created.stdout)["key"]


def pets_sql(count):
    """Statements for SQLite and PostgreSQL that add a category and the pets 1 to `count`, with units for a billion orders each."""
    return f"""
        INSERT INTO categories (id, name, name_key) VALUES (1, 'Cat', 'cat');
        WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < {count})
            INSERT INTO pets (id, name, category_id, status, stock)
            SELECT id, 'Mittens ' || id, 1, 'available', 1000000000 FROM ids;
    """


def add_keys(database, count, file):
    """Adds `count` keys of the plan `free` to a SQLite database, and writes their secrets to `file`, one a line."""
    keys, secrets = key_rows(count, file)
    with closing(sqlite3.connect(database)) as db:
        for table, rows in (KEYS, keys), (SECRETS, secrets):
            columns = table.partition("(")[2].count(",") + 1
            db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)
        db.commit()


def copy_keys(postgres, count, file):
    """As `add_keys`, for a PostgreSQL database."""
    for table, rows in zip((KEYS, SECRETS), key_rows(count, file)):
        text = "".join("\t".join(f"\\\\x{it.hex()}" if isinstance(it, bytes) else str(it) for it in row) + "\n" for row in rows)
        postgres.query(f"COPY {table} FROM STDIN", text)


def key_rows(count, file):
    """Rows of both tables for keys with ids from 1,000."""
    now = int(time.time())
    secrets = [(id, make_secret(id)) for id in range(1000, 1000 + count)]
    file.write_text("".join(f"{secret}\n" for _, secret in secrets))
    keys = [(id, "bench", "free", "write", now) for id, _ in secrets]
    # In the order of the primary key, as the table is then written from front to back.
    return keys, sorted((hashlib.sha256(it.encode()).digest(), id, it[:8], it[-4:], now) for id, it in secrets)


def make_secret(id):
    """A mark, 30 characters, and 6 with the CRC-32 of the text before them. Not secret at all: the id reversed."""
    text = "pst_" + str(id)[::-1].ljust(30, "0")
    checksum = zlib.crc32(text.encode())
    digits = ""
    for _ in range(6):
        checksum, digit = divmod(checksum, 62)
        digits = ALPHABET[digit] + digits
    return text + digits
