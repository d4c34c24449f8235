//! The operations on the inventory on PostgreSQL. The stock of a pet is part of its row, so its SQL is in `pets`.

use petstore_api::ErrorCode;
use postgres_engine::{Page, PageRequest, Row, Select};
use spec_gate::conditional::Precondition;

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::rule_violation::RuleViolation;
use crate::store::inventory::{InventoryFilter, InventoryStore};
use crate::store::postgres::{PostgresStore, pets};
use crate::store::{StoreError, check_precondition};

const SELECT: &str = "SELECT id, stock, status FROM pets WHERE id = $1";

impl InventoryStore for PostgresStore {
    async fn list_inventory(
        &self,
        filter: InventoryFilter,
        page: PageRequest,
    ) -> Result<Page<InventoryItem>, StoreError> {
        let input = (filter, page);
        let read = self.engine.read(&input, |db, (filter, page)| {
            Box::pin(async move {
                let select = Select::new("SELECT id, stock, status FROM pets")
                    .where_equal("status", filter.status.map(PetStatus::as_str));
                Ok(select.page(db, *page, pets::stock_from_row).await?)
            })
        });
        read.await
    }

    async fn get_inventory_item(&self, pet_id: i64) -> Result<InventoryItem, StoreError> {
        let read = self.engine.read(&pet_id, |db, pet_id| {
            Box::pin(async move { require(*pet_id, &db.query(SELECT, &[pet_id]).await?) })
        });
        read.await
    }

    async fn set_inventory(
        &self,
        pet_id: i64,
        quantity: i64,
        precondition: Precondition,
    ) -> Result<InventoryItem, StoreError> {
        let input = (pet_id, quantity, precondition);
        let set = self
            .engine
            .write(&input, |db, (pet_id, quantity, precondition)| {
                Box::pin(async move {
                    let [item, open_orders] = db
                        .query_all([
                            (pets::LOCK_STOCK, &[pet_id]),
                            (pets::COUNT_OPEN_ORDERS, &[pet_id]),
                        ])
                        .await?;
                    let item = require(*pet_id, &item)?;
                    check_precondition(precondition, &item)?;
                    let item = item.set_quantity(*quantity, pets::read_count(&open_orders)?);
                    let status = item.status.as_str();
                    db.query(pets::SAVE_STOCK, &[pet_id, &item.quantity, &status])
                        .await?;
                    Ok(item)
                })
            });
        set.await
    }
}

fn require(pet_id: i64, rows: &[Row]) -> Result<InventoryItem, StoreError> {
    let row = rows.first().ok_or(RuleViolation::NotFound {
        code: ErrorCode::PetNotFound,
        id: pet_id,
    })?;
    Ok(pets::stock_from_row(row)?)
}
