-- The scopes of keys, for documents whose security schemes have scopes.

-- Separated by spaces; NULL: all.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;

-- A change of the scopes applies from the key's next request on, like the others.
DROP TRIGGER api_keys_updated;
CREATE TRIGGER api_keys_updated
AFTER UPDATE OF id, plan, per_minute, per_day, access, scopes, revoked_at, strikes, banned_until, ban_epoch ON api_keys BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;
