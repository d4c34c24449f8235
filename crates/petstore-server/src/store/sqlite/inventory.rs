//! The operations of the store on the inventory. The stock of a pet is part of its row, so its SQL is in `pets`.

use spec_gate::conditional::Precondition;
use sqlite_engine::{Page, PageRequest, Select};

use crate::inventory::InventoryItem;
use crate::store::inventory::{InventoryFilter, InventoryStore};
use crate::store::sqlite::{SqliteStore, pets};
use crate::store::{StoreError, check_precondition};

impl InventoryStore for SqliteStore {
    async fn list_inventory(
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

    async fn get_inventory_item(&self, pet_id: i64) -> Result<InventoryItem, StoreError> {
        self.engine.read(|db| pets::load_stock(db, pet_id))
    }

    async fn set_inventory(
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
