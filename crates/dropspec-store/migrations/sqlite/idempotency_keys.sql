-- Answers kept for requests that carried an Idempotency-Key, to be given again when the request is repeated.

CREATE TABLE idempotency_keys (
    id         INTEGER PRIMARY KEY,
    -- Who sent the key, and to which operation: the same key elsewhere is another key.
    caller     TEXT NOT NULL,
    operation  TEXT NOT NULL,
    key        TEXT NOT NULL,
    -- SHA-256 of the body in canonical form.
    body       BLOB NOT NULL CHECK (length(body) = 32),
    -- The record that was created, as JSON (see store/answer.rs).
    answer     TEXT NOT NULL,
    -- Milliseconds since the Unix epoch; from then on the row counts as absent, and is pruned.
    expires_at INTEGER NOT NULL,
    UNIQUE (caller, operation, key)
) STRICT;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
