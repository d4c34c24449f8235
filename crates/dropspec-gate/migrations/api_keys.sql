-- API keys, their secrets, and what each key has used of its limits. Times are seconds since the Unix epoch.

CREATE TABLE api_keys (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    -- What the operator calls it; not unique.
    name         TEXT NOT NULL,
    plan         TEXT NOT NULL,
    -- The figures of an enterprise key. Those of the other plans come from the interface's document.
    per_minute   INTEGER CHECK (per_minute >= 1),
    per_day      INTEGER CHECK (per_day >= 1),
    access       TEXT NOT NULL CHECK (access IN ('read', 'write')),
    created_at   INTEGER NOT NULL,
    -- From then on none of its secrets is accepted.
    revoked_at   INTEGER,
    -- Written with the leases of usage, so it can lag behind by up to a minute.
    last_used_at INTEGER,
    -- Strikes at the end of the last ban, and that end.
    strikes      INTEGER NOT NULL DEFAULT 0 CHECK (strikes >= 0),
    banned_until INTEGER,
    -- How often the operator lifted a ban: a running server that knows of fewer follows the row.
    ban_epoch    INTEGER NOT NULL DEFAULT 0,
    CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
    CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
) STRICT;

-- A key has one secret, or several while a rotation's overlap lasts. Old ones stay, so that they are known as revoked.
CREATE TABLE api_key_secrets (
    -- SHA-256 of the secret, which is kept nowhere.
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
    key_id     INTEGER NOT NULL REFERENCES api_keys (id),
    -- The first eight characters and the last four, by which people know it.
    prefix     TEXT NOT NULL,
    last4      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- From then on it is not accepted any more; NULL: for good.
    expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_key_secrets_by_key ON api_key_secrets (key_id);
CREATE INDEX api_key_secrets_by_prefix ON api_key_secrets (prefix);

-- One row for each key and window, which the next minute or day takes over: there are no old rows to prune, and a
-- window that has passed cannot be opened again.
CREATE TABLE usage (
    key_id  INTEGER NOT NULL REFERENCES api_keys (id),
    window  TEXT NOT NULL CHECK (window IN ('minute', 'day')),
    start   INTEGER NOT NULL,
    -- Requests that were spent, or that the server has leased ahead and may spend without asking again.
    claimed INTEGER NOT NULL CHECK (claimed >= 0),
    PRIMARY KEY (key_id, window)
) STRICT, WITHOUT ROWID;
