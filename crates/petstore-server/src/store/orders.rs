//! The table `orders`, and what its rules read and write.

use crate::inventory::InventoryItem;
use crate::orders::{self, OpenOrder, Order, OrderBody};
use crate::store::row::Statement;
use crate::store::table::{Filters, table};
use crate::store::{Change, EngineError, Found, Resource, StoreError, inventory};

/// Locks the pet of an order, before the order. The pet of an order never changes.
const LOCK_PET: &str = "SELECT id, stock, status FROM pets
     WHERE id = (SELECT pet_id FROM orders WHERE id = $1) FOR UPDATE";

table!(Order in "orders", OrderNotFound { pet_id, quantity, ship_date, complete } fixed 1;
    // On SQLite, the open and the completed orders of a pet have an index each.
    fn filters_on_sqlite(filters: Filters) -> Filters {
        use crate::store::Value::Boolean;

        match &*filters {
            [("pet_id", pet), ("complete", Boolean(complete))] => {
                let column = ["open_pet_id", "completed_pet_id"][usize::from(*complete)];
                vec![(column, pet.clone())]
            }
            _ => filters,
        }
    }
);

impl Resource for Order {
    type New = OrderBody;

    fn reads(new: &OrderBody, id: Option<i64>) -> Vec<Statement> {
        match id {
            // Without a pet the order is not valid.
            None => vec![inventory::lock(new.pet_id.unwrap_or_default())],
            Some(id) => vec![
                Statement::new(LOCK_PET, [id.into()]),
                count_open_of_same_pet(id),
            ],
        }
    }

    fn apply(
        new: &OrderBody,
        before: Option<&Order>,
        found: &mut Found<'_>,
    ) -> Result<Change<Order>, StoreError> {
        let (record, save) = match before {
            None => {
                let order = orders::validate_new(new)?;
                let before: Option<InventoryItem> = found.next_row()?;
                let after = orders::take_stock(&order, before.as_ref())?;
                (order, inventory::save(&before.unwrap_or(after), &after))
            }
            Some(order) => {
                let (order, before) = find_open_order(order, found)?;
                let open_orders = found.next_row()?.unwrap_or(0);
                let (order, after) = orders::apply_change(&order, new, &before, open_orders)?;
                (order, inventory::save(&before, &after))
            }
        };
        Ok(Change {
            also: Some(save),
            ..Change::to(record)
        })
    }

    fn reads_of_deletion(id: i64) -> Vec<Statement> {
        vec![Statement::new(LOCK_PET, [id.into()])]
    }

    fn check_deletion(&self, found: &mut Found<'_>) -> Result<Option<Statement>, StoreError> {
        let (order, before) = find_open_order(self, found)?;
        let after = orders::return_stock(&order, &before);
        Ok(Some(inventory::save(&before, &after)))
    }
}

fn count_open_of_same_pet(id: i64) -> Statement {
    let count = "SELECT count(*) FROM orders WHERE pet_id = (SELECT pet_id FROM orders WHERE id = $1) AND NOT complete";
    Statement::new(count, [id.into()]).on_sqlite(
        "SELECT count(*) FROM orders WHERE open_pet_id = (SELECT pet_id FROM orders WHERE id = $1)",
    )
}

/// An order, which must be open, and the stock of its pet, which exists while the order is open.
fn find_open_order(
    order: &Order,
    found: &mut Found<'_>,
) -> Result<(OpenOrder, InventoryItem), StoreError> {
    let open = OpenOrder::new(order.clone())?;
    let missing = || EngineError::internal(format!("open order {} has no pet", order.id));
    Ok((open, found.next_row()?.ok_or_else(missing)?))
}
