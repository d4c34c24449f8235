//! The table `pets` on PostgreSQL, with the SQL for their stock.

use petstore_api::ErrorCode;
use postgres_engine::{
    Created, Db, EngineError, IdempotentRequest, Page, PageRequest, Row, Select, run_idempotent,
};
use spec_gate::conditional::Precondition;

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::pets::{self, InitialStock, NewPet, Pet};
use crate::rule_violation::RuleViolation;
use crate::store::pets::{PetFilter, PetStore};
use crate::store::postgres::{PostgresStore, categories, check_text};
use crate::store::{StoreError, check_precondition};

const SELECT: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";

/// Locks a pet: whoever changes its stock, its status or its orders does so first.
const LOCK: &str = "SELECT id, name, category_id, status, stock FROM pets WHERE id = $1 FOR UPDATE";

/// Locks a pet for its stock.
pub(super) const LOCK_STOCK: &str = "SELECT id, stock, status FROM pets WHERE id = $1 FOR UPDATE";

/// Counts the open orders of a pet, after it is locked.
pub(super) const COUNT_OPEN_ORDERS: &str =
    "SELECT count(*) FROM orders WHERE pet_id = $1 AND NOT complete";

/// Saves the stock and the status of a pet.
pub(super) const SAVE_STOCK: &str = "UPDATE pets SET stock = $2, status = $3 WHERE id = $1";

impl PetStore for PostgresStore {
    async fn create_pet(
        &self,
        new: NewPet,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Pet>, StoreError> {
        check_text("/name", &new.name)?;
        let input = (new, request);
        let create = self.engine.write(&input, |db, (new, request)| {
            let create = async move {
                let category = db
                    .query_opt(categories::SELECT_FOR_PET, &[&new.category_id])
                    .await?;
                let category = category.as_ref().map(categories::from_row).transpose()?;
                insert(db, new, pets::initial_stock(new, category.as_ref())?).await
            };
            Box::pin(run_idempotent(db, request.as_ref(), create))
        });
        create.await
    }

    async fn get_pet(&self, id: i64) -> Result<Pet, StoreError> {
        let read = self.engine.read(&id, |db, id| {
            Box::pin(async move {
                let row = db.query_opt(SELECT, &[id]).await?;
                Ok(from_row(&row.ok_or(RuleViolation::NotFound {
                    code: ErrorCode::PetNotFound,
                    id: *id,
                })?)?)
            })
        });
        read.await
    }

    async fn list_pets(
        &self,
        filter: PetFilter,
        page: PageRequest,
    ) -> Result<Page<Pet>, StoreError> {
        let input = (filter, page);
        let read = self.engine.read(&input, |db, (filter, page)| {
            Box::pin(async move {
                let select = Select::new("SELECT id, name, category_id, status FROM pets")
                    .where_equal("id", filter.id)
                    .where_equal("category_id", filter.category_id)
                    .where_equal("status", filter.status.map(PetStatus::as_str));
                Ok(select.page(db, *page, from_row).await?)
            })
        });
        read.await
    }

    async fn replace_pet(
        &self,
        id: i64,
        new: NewPet,
        precondition: Precondition,
    ) -> Result<Pet, StoreError> {
        check_text("/name", &new.name)?;
        let input = (id, new, precondition);
        let replace = self.engine.write(&input, |db, (id, new, precondition)| {
            Box::pin(async move {
                let [category, pet, open_orders] = db
                    .query_all([
                        (categories::SELECT_FOR_PET, &[&new.category_id]),
                        (LOCK, &[id]),
                        (COUNT_OPEN_ORDERS, &[id]),
                    ])
                    .await?;
                let (pet, item) = require(*id, &pet)?;
                check_precondition(precondition, &pet)?;
                let category = category.first().map(categories::from_row).transpose()?;
                let open_orders = read_count(&open_orders)?;
                let item = pets::stock_after_replace(&item, open_orders, new, category.as_ref())?;
                let update = "UPDATE pets SET name = $2, category_id = $3, status = $4, stock = $5 WHERE id = $1";
                let status = item.status.as_str();
                db.query(update, &[id, &new.name, &new.category_id, &status, &item.quantity])
                    .await?;
                Ok(Pet {
                    id: *id,
                    name: new.name.clone(),
                    category_id: new.category_id,
                    status: item.status,
                })
            })
        });
        replace.await
    }

    async fn delete_pet(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        let input = (id, precondition);
        let delete = self.engine.write(&input, |db, (id, precondition)| {
            Box::pin(async move {
                let [pet, open_orders] = db
                    .query_all([(LOCK, &[id]), (COUNT_OPEN_ORDERS, &[id])])
                    .await?;
                let (pet, _) = require(*id, &pet)?;
                check_precondition(precondition, &pet)?;
                pets::check_delete(*id, read_count(&open_orders)?)?;
                db.query("DELETE FROM pets WHERE id = $1", &[id]).await?;
                Ok(())
            })
        });
        delete.await
    }
}

/// Converts a row of the columns `id, stock, status` to the stock of a pet.
pub(super) fn stock_from_row(row: &Row) -> Result<InventoryItem, EngineError> {
    Ok(InventoryItem {
        pet_id: row.get(0)?,
        quantity: row.get(1)?,
        status: read_status(row, 2)?,
    })
}

/// Reads the result of [`COUNT_OPEN_ORDERS`].
pub(super) fn read_count(rows: &[Row]) -> Result<i64, EngineError> {
    let row = rows
        .first()
        .ok_or_else(|| EngineError::internal("a count has no row"))?;
    row.get(0)
}

fn require(id: i64, rows: &[Row]) -> Result<(Pet, InventoryItem), StoreError> {
    let row = rows.first().ok_or(RuleViolation::NotFound {
        code: ErrorCode::PetNotFound,
        id,
    })?;
    let pet = from_row(row)?;
    let item = InventoryItem {
        pet_id: id,
        quantity: row.get(4)?,
        status: pet.status,
    };
    Ok((pet, item))
}

async fn insert(
    db: &Db,
    new: &NewPet,
    InitialStock { status, quantity }: InitialStock,
) -> Result<Pet, StoreError> {
    let insert = "INSERT INTO pets (name, category_id, status, stock) VALUES ($1, $2, $3, $4)
         RETURNING id, name, category_id, status";
    let rows = db
        .query(
            insert,
            &[&new.name, &new.category_id, &status.as_str(), &quantity],
        )
        .await?;
    let row = rows
        .first()
        .ok_or_else(|| EngineError::internal("no row was inserted"))?;
    Ok(from_row(row)?)
}

fn from_row(row: &Row) -> Result<Pet, EngineError> {
    Ok(Pet {
        id: row.get(0)?,
        name: row.get(1)?,
        category_id: row.get(2)?,
        status: read_status(row, 3)?,
    })
}

fn read_status(row: &Row, column: usize) -> Result<PetStatus, EngineError> {
    let text: &str = row.get(column)?;
    let found = PetStatus::ALL.into_iter().find(|it| it.as_str() == text);
    found.ok_or_else(|| EngineError::internal(format!("{text:?} is not a pet status")))
}
