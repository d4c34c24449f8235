-- The service's own tables. Edit this file until the first release; after it, add another migration.

-- Tells a database of recordings from any other.
PRAGMA application_id = 0x248b01cd;

CREATE TABLE recordings (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    audio BLOB NOT NULL
) STRICT;
