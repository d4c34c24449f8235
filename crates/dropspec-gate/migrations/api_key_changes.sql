-- How often the keys and secrets were changed, so that a server notices by one number that those which it has read are
-- old. The time of a key's last use does not count: authentication does not need it, and each lease writes it.

CREATE TABLE api_key_changes (count INTEGER NOT NULL) STRICT;
INSERT INTO api_key_changes VALUES (0);

CREATE TRIGGER api_keys_inserted AFTER INSERT ON api_keys BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;
CREATE TRIGGER api_keys_updated
AFTER UPDATE OF id, plan, per_minute, per_day, access, revoked_at, strikes, banned_until, ban_epoch ON api_keys BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;
CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;

CREATE TRIGGER api_key_secrets_inserted AFTER INSERT ON api_key_secrets BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;
CREATE TRIGGER api_key_secrets_updated AFTER UPDATE ON api_key_secrets BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;
CREATE TRIGGER api_key_secrets_deleted AFTER DELETE ON api_key_secrets BEGIN
    UPDATE api_key_changes SET count = count + 1;
END;
