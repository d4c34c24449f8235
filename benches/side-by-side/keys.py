"""Many API keys at once, in the tables and with the text that the petstore gives them."""

import hashlib
import sqlite3
import time
import zlib
from contextlib import closing

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def add_keys(database, count, file):
    """Adds `count` keys of the plan `free` to a database, and writes their secrets to `file`, one a line."""
    now = int(time.time())
    with closing(sqlite3.connect(database)) as db:
        first = db.execute("SELECT max(id) + 1 FROM api_keys").fetchone()[0]
        secrets = [(id, make_secret(id)) for id in range(first, first + count)]
        db.executemany(
            "INSERT INTO api_keys (id, name, plan, access, created_at) VALUES (?, 'bench', 'free', 'write', ?)",
            ((id, now) for id, _ in secrets),
        )
        # In the order of the primary key, as the table is then written from front to back.
        db.executemany(
            "INSERT INTO api_key_secrets (hash, key_id, prefix, last4, created_at) VALUES (?, ?, ?, ?, ?)",
            sorted((hashlib.sha256(it.encode()).digest(), id, it[:8], it[-4:], now) for id, it in secrets),
        )
        db.commit()
    file.write_text("".join(f"{secret}\n" for _, secret in secrets))


def make_secret(id):
    """A mark, 30 characters, and 6 with the CRC-32 of the text before them. Not secret at all: the id reversed."""
    text = "pst_" + str(id)[::-1].ljust(30, "0")
    checksum = zlib.crc32(text.encode())
    digits = ""
    for _ in range(6):
        checksum, digit = divmod(checksum, 62)
        digits = ALPHABET[digit] + digits
    return text + digits
