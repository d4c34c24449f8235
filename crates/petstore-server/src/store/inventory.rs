//! The operations of the store on the inventory. The stock of a pet is part of its row, so its SQL is in `pets`.

use spec_gate::conditional::Precondition;
use sqlite_engine::{Page, PageRequest, Select};

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::store::error::StoreError;
use crate::store::{Store, check_precondition, pets};

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
        self.engine.read(|db| {
            Ok(Select::new("SELECT id, stock, status FROM pets")
                .where_equal("status", filter.status)
                .page(db, page, pets::stock_from_row)?)
        })
    }

    /// Reads the stock of the pet `pet_id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `PetNotFound`.
    pub async fn get_inventory_item(&self, pet_id: i64) -> Result<InventoryItem, StoreError> {
        self.engine.read(|db| pets::load_stock(db, pet_id))
    }

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
        self.engine
            .write(move |db| {
                let item = pets::load_stock(db, pet_id)?;
                check_precondition(&precondition, &item)?;
                let item = item.set_quantity(quantity, pets::count_open_orders(db, pet_id)?);
                pets::save_stock(db, &item)?;
                Ok(item)
            })
            .await
    }
}
