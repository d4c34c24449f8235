-- How many requests of each key each operation admitted on each day (UTC), and how many of them used a deprecated parameter
-- or property.

CREATE TABLE operation_usage (
    -- Days since 1970-01-01.
    day       INTEGER NOT NULL,
    -- The `operationId`.
    operation TEXT NOT NULL,
    -- The deprecated parameter or property, such as `query parameter limit`; empty for the operation itself.
    input     TEXT NOT NULL,
    -- 0: requests without a key; -1: of tokens; -2: of keys beyond the limit of a day. A key may not exist any more.
    key_id    INTEGER NOT NULL,
    -- A row of 0 requests, with the key id 0, says that they were counted on this day.
    requests  INTEGER NOT NULL CHECK (requests >= 0),
    PRIMARY KEY (day, operation, input, key_id)
) STRICT, WITHOUT ROWID;
