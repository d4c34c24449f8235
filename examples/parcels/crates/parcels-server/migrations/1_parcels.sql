-- The service's own tables. Edit this file until the first release; after it, add another migration.

-- Tells a database of parcels from any other.
PRAGMA application_id = 0x4a80ccd9;
