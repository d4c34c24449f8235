-- The expiry and the note of keys, the log of their changes, and what of their usage is only reserved.

-- From then on none of its secrets is accepted; NULL: never.
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
-- What the operator wants to remember of it.
ALTER TABLE api_keys ADD COLUMN note TEXT;

-- Those of `claimed` that the server may not have used yet, as of the last claim.
ALTER TABLE usage ADD COLUMN leased INTEGER NOT NULL DEFAULT 0;

-- A change of the expiry applies from the key's next request on, like the others.
DROP TRIGGER api_keys_updated;
CREATE TRIGGER api_keys_updated
AFTER UPDATE OF id, plan, per_minute, per_day, access, scopes, expires_at, revoked_at, strikes, banned_until, ban_epoch ON api_keys BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;

-- Who changed which key when. The oldest rows are deleted when there are too many.
CREATE TABLE api_key_log (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    changed_at INTEGER NOT NULL,
    author     TEXT NOT NULL,
    key_id     INTEGER NOT NULL REFERENCES api_keys (id),
    -- What was changed, such as `plan`.
    subject    TEXT NOT NULL,
    old_value  TEXT,
    new_value  TEXT
) STRICT;

CREATE INDEX api_key_log_by_key ON api_key_log (key_id);

-- One row: the address of the engine that counts requests since the last start of a server; NULL: this database.
CREATE TABLE limits_engine (address TEXT) STRICT;
INSERT INTO limits_engine VALUES (NULL);
