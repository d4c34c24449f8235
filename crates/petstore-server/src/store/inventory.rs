//! The store's operations on inventory. A pet's stock lives in its own row, so the SQL for one is beside the pets'.

use sqlite_engine::{Page, PageRequest, Select};

use crate::inventory::InventoryItem;
use crate::pets::PetStatus;
use crate::refusal::Refusal;
use crate::store::error::StoreError;
use crate::store::{Store, orders, pets};

/// Which inventory items are wanted. What is `None` does not narrow the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InventoryFilter {
    /// Only items of pets with this status.
    pub status: Option<PetStatus>,
}

impl Store {
    /// A page of the inventory, in the order of the pets' ids.
    ///
    /// # Errors
    ///
    /// No refusals.
    pub async fn inventory(
        &self,
        filter: InventoryFilter,
        page: PageRequest,
    ) -> Result<Page<InventoryItem>, StoreError> {
        self.read(|db| {
            Ok(Select::new("SELECT id, stock, status FROM pets")
                .equal("status", filter.status)
                .page(db, page, pets::stock_from_row)?)
        })
    }

    /// The stock of the pet `pet_id`.
    ///
    /// # Errors
    ///
    /// Refusals: `PetNotFound`.
    pub async fn inventory_item(&self, pet_id: i64) -> Result<InventoryItem, StoreError> {
        self.read(|db| Ok(pets::stock(db, pet_id)?.ok_or(Refusal::PetNotFound { id: pet_id })?))
    }

    /// Sets the free units of the pet `pet_id` to `quantity`, which is not negative.
    ///
    /// # Errors
    ///
    /// Refusals: `PetNotFound`.
    pub async fn set_inventory(
        &self,
        pet_id: i64,
        quantity: i64,
    ) -> Result<InventoryItem, StoreError> {
        self.write(move |db| {
            let item = pets::stock(db, pet_id)?.ok_or(Refusal::PetNotFound { id: pet_id })?;
            let item = item.set(quantity, orders::count_open(db, pet_id)?);
            pets::save_stock(db, &item)?;
            Ok(item)
        })
        .await
    }
}
