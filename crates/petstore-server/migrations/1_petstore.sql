-- The petstore's own tables: categories, pets with their stock, orders.

-- "psto": tells a petstore's database from any other (see store/open.rs).
PRAGMA application_id = 0x7073746f;

-- AUTOINCREMENT throughout: an id is never given twice, so that what once named a pet or an order names it for ever.
CREATE TABLE categories (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL,
    -- The name without regard to case, as categories::name_key folds it; SQLite's NOCASE knows ASCII alone.
    name_key    TEXT NOT NULL UNIQUE,
    description TEXT
) STRICT;

CREATE TABLE pets (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL,
    category_id INTEGER NOT NULL REFERENCES categories (id),
    status      TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    -- Units free to order. Those that open orders hold have left it.
    stock       INTEGER NOT NULL CHECK (stock >= 0),
    -- The rules see to these; should a rule ever fail to, the database stops it.
    CHECK (status <> 'available' OR stock > 0),
    CHECK (status <> 'sold' OR stock = 0)
) STRICT;

-- An index ends in the row's id, so each of these also gives its rows in the order of ids.
CREATE INDEX pets_by_category ON pets (category_id);
CREATE INDEX pets_by_status ON pets (status);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status);

CREATE TABLE orders (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    -- No foreign key: a completed order keeps the id of a pet that was deleted since.
    pet_id      INTEGER NOT NULL,
    quantity    INTEGER NOT NULL CHECK (quantity >= 1),
    -- RFC 3339 in UTC, with as many digits of the second's fraction as were given, up to nine.
    ship_date   TEXT,
    complete    INTEGER NOT NULL CHECK (complete IN (0, 1)),
    -- While an order is open, though, its pet must exist and cannot be deleted.
    open_pet_id INTEGER GENERATED ALWAYS AS (CASE complete WHEN 0 THEN pet_id END) VIRTUAL REFERENCES pets (id)
) STRICT;

CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_completion ON orders (complete);
CREATE INDEX orders_by_pet_and_completion ON orders (pet_id, complete);
CREATE INDEX open_orders_by_pet ON orders (open_pet_id) WHERE open_pet_id IS NOT NULL;
