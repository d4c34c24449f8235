-- Every order wrote one entry into each of three indexes by pet. Open and completed orders of a pet now have an index each, so
-- that an order is in one of the two, beside `orders_by_pet`.
DROP INDEX orders_by_pet_and_completion;
ALTER TABLE orders ADD COLUMN
    completed_pet_id INTEGER GENERATED ALWAYS AS (CASE complete WHEN 1 THEN pet_id END) VIRTUAL;
CREATE INDEX completed_orders_by_pet ON orders (completed_pet_id) WHERE completed_pet_id IS NOT NULL;
