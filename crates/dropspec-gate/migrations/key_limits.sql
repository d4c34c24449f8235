-- Limits of a key's own on any plan that has none, whatever the document calls it.

-- A CHECK can be changed in the text of the table, without writing any row.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'plan = ''enterprise''', 'per_minute IS NOT NULL')
WHERE type = 'table' AND name = 'api_keys';
PRAGMA writable_schema = RESET;

-- A change of the catalog by its own statements, so that other connections read it again.
DROP INDEX api_key_secrets_by_prefix;
CREATE INDEX api_key_secrets_by_prefix ON api_key_secrets (prefix);
