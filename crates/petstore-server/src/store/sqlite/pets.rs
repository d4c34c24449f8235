//! The table `pets`: the operations of the store on pets, and the SQL for their stock.

use petstore_api::ErrorCode;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use spec_gate::conditional::Precondition;
use sqlite_engine::{Created, IdempotentRequest, Page, PageRequest, Select, run_idempotent};

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::pets::{self, InitialStock, NewPet, Pet};
use crate::rule_violation::RuleViolation;
use crate::store::pets::{PetFilter, PetStore};
use crate::store::sqlite::{SqliteStore, categories};
use crate::store::{StoreError, check_precondition};

impl PetStore for SqliteStore {
    async fn create_pet(
        &self,
        new: NewPet,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Pet>, StoreError> {
        self.engine
            .write(move |db| {
                run_idempotent(db, request.as_ref(), || {
                    let category = categories::find(db, new.category_id)?;
                    let initial = pets::initial_stock(&new, category.as_ref())?;
                    insert(db, &new, initial)
                })
            })
            .await
    }

    async fn get_pet(&self, id: i64) -> Result<Pet, StoreError> {
        self.engine.read(|db| load(db, id))
    }

    async fn list_pets(
        &self,
        filter: PetFilter,
        page: PageRequest,
    ) -> Result<Page<Pet>, StoreError> {
        self.engine.read(|db| {
            Ok(
                Select::new("SELECT id, name, category_id, status FROM pets")
                    .where_equal("id", filter.id)
                    .where_equal("category_id", filter.category_id)
                    .where_equal("status", filter.status)
                    .page(db, page, from_row)?,
            )
        })
    }

    async fn replace_pet(
        &self,
        id: i64,
        new: NewPet,
        precondition: Precondition,
    ) -> Result<Pet, StoreError> {
        self.engine
            .write(move |db| {
                check_precondition(&precondition, &load(db, id)?)?;
                let item = load_stock(db, id)?;
                let category = categories::find(db, new.category_id)?;
                let item = pets::stock_after_replace(
                    &item,
                    count_open_orders(db, id)?,
                    &new,
                    category.as_ref(),
                )?;
                update(db, &new, &item)?;
                Ok(Pet {
                    id,
                    name: new.name.clone(),
                    category_id: new.category_id,
                    status: item.status,
                })
            })
            .await
    }

    async fn delete_pet(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        self.engine
            .write(move |db| {
                check_precondition(&precondition, &load(db, id)?)?;
                pets::check_delete(id, count_open_orders(db, id)?)?;
                db.prepare_cached("DELETE FROM pets WHERE id = ?1")?
                    .execute([id])?;
                Ok(())
            })
            .await
    }
}

/// Finds the stock of the pet `id`.
pub(super) fn find_stock(db: &Connection, id: i64) -> rusqlite::Result<Option<InventoryItem>> {
    db.prepare_cached("SELECT id, stock, status FROM pets WHERE id = ?1")?
        .query_row([id], stock_from_row)
        .optional()
}

/// Loads the stock of the pet `id`, which the path of the request names.
pub(super) fn load_stock(db: &Connection, id: i64) -> Result<InventoryItem, StoreError> {
    Ok(find_stock(db, id)?.ok_or(RuleViolation::NotFound {
        code: ErrorCode::PetNotFound,
        id,
    })?)
}

/// Saves the stock and the status of a pet. To set a status, even to what it is, rewrites its entries in two indexes.
pub(super) fn save_stock(db: &Connection, item: &InventoryItem) -> rusqlite::Result<()> {
    let columns = (item.quantity, item.status, item.pet_id);
    let saved = db
        .prepare_cached("UPDATE pets SET stock = ?1 WHERE status = ?2 AND id = ?3")?
        .execute(columns)?;
    if saved == 0 {
        db.prepare_cached("UPDATE pets SET stock = ?1, status = ?2 WHERE id = ?3")?
            .execute(columns)?;
    }
    Ok(())
}

/// Converts a row of the columns `id, stock, status` to the stock of a pet.
pub(super) fn stock_from_row(row: &Row<'_>) -> rusqlite::Result<InventoryItem> {
    Ok(InventoryItem {
        pet_id: row.get(0)?,
        quantity: row.get(1)?,
        status: row.get(2)?,
    })
}

/// Counts the open orders of a pet.
pub(super) fn count_open_orders(db: &Connection, pet_id: i64) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT count(*) FROM orders WHERE open_pet_id = ?1")?
        .query_row([pet_id], |row| row.get(0))
}

fn load(db: &Connection, id: i64) -> Result<Pet, StoreError> {
    let pet = db
        .prepare_cached("SELECT id, name, category_id, status FROM pets WHERE id = ?1")?
        .query_row([id], from_row)
        .optional()?;
    Ok(pet.ok_or(RuleViolation::NotFound {
        code: ErrorCode::PetNotFound,
        id,
    })?)
}

fn insert(
    db: &Connection,
    new: &NewPet,
    InitialStock { status, quantity }: InitialStock,
) -> Result<Pet, StoreError> {
    db.prepare_cached(
        "INSERT INTO pets (name, category_id, status, stock) VALUES (:name, :category_id, :status, :stock)",
    )?
    .execute(named_params! {
        ":name": new.name, ":category_id": new.category_id, ":status": status, ":stock": quantity,
    })?;
    Ok(Pet {
        id: db.last_insert_rowid(),
        name: new.name.clone(),
        category_id: new.category_id,
        status,
    })
}

fn update(db: &Connection, new: &NewPet, item: &InventoryItem) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE pets SET name = :name, category_id = :category_id, status = :status, stock = :stock WHERE id = :id",
    )?
    .execute(named_params! {
        ":name": new.name, ":category_id": new.category_id,
        ":status": item.status, ":stock": item.quantity, ":id": item.pet_id,
    })
    .map(|_| ())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Pet> {
    Ok(Pet {
        id: row.get(0)?,
        name: row.get(1)?,
        category_id: row.get(2)?,
        status: row.get(3)?,
    })
}

impl ToSql for PetStatus {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for PetStatus {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<PetStatus> {
        let text = value.as_str()?;
        let found = PetStatus::ALL.into_iter().find(|it| it.as_str() == text);
        found.ok_or_else(|| FromSqlError::Other(format!("{text:?} is not a pet status").into()))
    }
}
