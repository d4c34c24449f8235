"""Many API keys at once, in the tables and with the text that the petstore gives them."""

import hashlib
import sqlite3
import time
import zlib
from contextlib import closing

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def add_keys(database, count, limit, file):
    """Adds `count` keys with `limit` requests a minute and a day to a database, and writes their secrets to `file`."""
    now = int(time.time())
    with closing(sqlite3.connect(database)) as db, open(file, "w", encoding="utf-8") as secrets:
        first = db.execute("SELECT max(id) + 1 FROM api_keys").fetchone()[0]
        for id in range(first, first + count):
            secret = make_secret(id)
            secrets.write(secret + "\n")
            db.execute(
                "INSERT INTO api_keys (id, name, plan, per_minute, per_day, access, created_at)"
                " VALUES (?, 'bench', 'enterprise', ?, ?, 'write', ?)",
                (id, limit, limit, now),
            )
            db.execute(
                "INSERT INTO api_key_secrets (hash, key_id, prefix, last4, created_at) VALUES (?, ?, ?, ?, ?)",
                (hashlib.sha256(secret.encode()).digest(), id, secret[:8], secret[-4:], now),
            )
        db.commit()


def make_secret(id):
    """A mark, 30 characters, and 6 with the CRC-32 of the text before them. Not secret at all: the id, reversed."""
    text = "pst_" + str(id)[::-1].ljust(30, "0")
    checksum = zlib.crc32(text.encode())
    digits = ""
    for _ in range(6):
        checksum, digit = divmod(checksum, 62)
        digits = ALPHABET[digit] + digits
    return text + digits
