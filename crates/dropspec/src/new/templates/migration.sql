-- The service's own tables. Edit this file until the first release; after it, add another migration.

-- Tells a database of {{name}} from any other.
PRAGMA application_id = {{application_id}};
