//! The stock of pets, which is part of their table: the operations of the store on the inventory.

use dropspec_gate::conditional::Precondition;
use petstore_api::ErrorCode;

use crate::inventory::InventoryItem;
use crate::store::resource::require;
use crate::store::row::{FromRow, Row, Statement, Value};
use crate::store::table::{Statements, Table};
use crate::store::{EngineError, Found, Record, Store, StoreError, check_precondition};

impl Store {
    /// Sets the free units of the pet `pet_id` to `quantity`, 0 or more, if its stock meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `PetNotFound`, `PreconditionFailed`.
    pub async fn set_inventory(
        &self,
        pet_id: i64,
        quantity: i64,
        precondition: Precondition,
    ) -> Result<InventoryItem, StoreError> {
        let reads = vec![lock(pet_id), count_open_orders(pet_id)];
        let decide = move |found: &mut Found<'_>| {
            let before: InventoryItem = require(found.next_row()?, pet_id)?;
            check_precondition(&precondition, &before)?;
            let after = before.set_quantity(quantity, found.next_row()?.unwrap_or(0));
            Ok((vec![save(&before, &after)], after))
        };
        self.change(reads, decide).await
    }
}

/// Finds the stock of a pet, and locks the pet: whoever changes its stock, its status or its orders does so first.
pub(super) fn lock(pet_id: i64) -> Statement {
    Statement::new(Statements::<InventoryItem>::LOCK, [pet_id.into()])
}

/// Counts the open orders of a pet, after it is locked.
pub(super) fn count_open_orders(pet_id: i64) -> Statement {
    let count = "SELECT count(*) FROM orders WHERE pet_id = $1 AND NOT complete";
    Statement::new(count, [pet_id.into()])
        .on_sqlite("SELECT count(*) FROM orders WHERE open_pet_id = $1")
}

/// Saves the stock of a pet. To set a status, even to what it is, would write its entries in two indexes again.
pub(super) fn save(before: &InventoryItem, after: &InventoryItem) -> Statement {
    let (stock, status, id) = (after.quantity.into(), after.status, after.pet_id.into());
    if status == before.status {
        return Statement::new("UPDATE pets SET stock = $1 WHERE id = $2", [stock, id]);
    }
    let update = "UPDATE pets SET stock = $1, status = $2 WHERE id = $3";
    Statement::new(update, [stock, status.into(), id])
}

impl Record for InventoryItem {}

impl Table for InventoryItem {
    const NAME: &'static str = "pets";
    const COLUMNS: &'static [&'static str] = &["stock", "status"];
    const NOT_FOUND: ErrorCode = ErrorCode::PetNotFound;

    fn id(&self) -> i64 {
        self.pet_id
    }

    fn values(&self) -> Vec<Value> {
        vec![self.quantity.into(), self.status.into()]
    }
}

impl FromRow for InventoryItem {
    fn from_row(row: &impl Row) -> Result<InventoryItem, EngineError> {
        Ok(InventoryItem {
            pet_id: row.get(0)?,
            quantity: row.get(1)?,
            status: row.column(2)?,
        })
    }
}
