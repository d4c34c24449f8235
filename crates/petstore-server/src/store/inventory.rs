//! The stock of pets, which is part of their table: the operations of the store on the inventory.

use petstore_api::ErrorCode;
use spec_gate::conditional::Precondition;

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::store::row::{FromRow, Row, Statement};
use crate::store::{
    EngineError, Found, Page, PageRequest, Record, Store, StoreError, check_precondition, require,
};

/// The conditions on the inventory items of a list. A field that is `None` adds no condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InventoryFilter {
    /// Only items of pets with this status.
    pub status: Option<PetStatus>,
}

impl Store {
    /// Reads a page of the inventory, ordered by pet id.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn list_inventory(
        &self,
        filter: InventoryFilter,
        page: PageRequest,
    ) -> Result<Page<InventoryItem>, StoreError> {
        let from = "SELECT id, stock, status FROM pets";
        self.page(from, [("status", filter.status.into())], page)
            .await
    }

    /// Reads the stock of the pet `pet_id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    pub async fn get_inventory_item(&self, pet_id: i64) -> Result<InventoryItem, StoreError> {
        let find = "SELECT id, stock, status FROM pets WHERE id = $1";
        let found = self.find(find, pet_id).await?;
        Ok(require(found, ErrorCode::PetNotFound, pet_id)?)
    }

    /// Sets the free units of the pet `pet_id` to `quantity`, 0 or more, if its stock meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`.
    pub async fn set_inventory(
        &self,
        pet_id: i64,
        quantity: i64,
        precondition: Precondition,
    ) -> Result<InventoryItem, StoreError> {
        let reads = [lock(pet_id), self.count_open_orders(pet_id)];
        let decide = move |found: &mut Found<'_>| {
            let before: InventoryItem = require(found.next()?, ErrorCode::PetNotFound, pet_id)?;
            check_precondition(&precondition, &before)?;
            let after = before.set_quantity(quantity, found.next()?.unwrap_or(0));
            Ok(([save(&before, &after)], after))
        };
        self.change(reads, decide).await
    }
}

/// Finds the stock of a pet, and locks the pet.
pub(super) fn lock(pet_id: i64) -> Statement {
    let lock = "SELECT id, stock, status FROM pets WHERE id = $1 FOR UPDATE";
    Statement::new(lock, [pet_id.into()])
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

impl FromRow for InventoryItem {
    fn from_row(row: &impl Row) -> Result<InventoryItem, EngineError> {
        Ok(InventoryItem {
            pet_id: row.get(0)?,
            quantity: row.get(1)?,
            status: row.get(2)?,
        })
    }
}
