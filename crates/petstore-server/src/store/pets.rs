//! The table `pets`: the store's operations on pets, and the SQL for a pet and its stock.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use sqlite_engine::{Created, IdempotentRequest, Page, PageRequest, Select, run_idempotent};

use crate::inventory::InventoryItem;
use crate::pets::{self, NewPet, Opening, Pet, PetStatus};
use crate::refusal::Refusal;
use crate::store::error::StoreError;
use crate::store::{Store, categories, orders};

/// Which pets are wanted. What is `None` does not narrow the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PetFilter {
    /// Only the pet with this id.
    pub id: Option<i64>,
    /// Only pets of this category.
    pub category_id: Option<i64>,
    /// Only pets of this status.
    pub status: Option<PetStatus>,
}

impl Store {
    /// Creates a pet.
    ///
    /// # Errors
    ///
    /// Refusals: `UnknownCategory`, `IdempotencyKeyReused`.
    pub async fn create_pet(
        &self,
        new: NewPet,
        idempotency: Option<IdempotentRequest>,
    ) -> Result<Created<Pet>, StoreError> {
        self.write(move |db| {
            run_idempotent(db, idempotency, || {
                let opening = pets::create(&new, categories::find(db, new.category_id)?.as_ref())?;
                insert(db, &new, opening)
            })
        })
        .await
    }

    /// The pet `id`.
    ///
    /// # Errors
    ///
    /// Refusals: `PetNotFound`.
    pub async fn pet(&self, id: i64) -> Result<Pet, StoreError> {
        self.read(|db| Ok(find(db, id)?.ok_or(Refusal::PetNotFound { id })?))
    }

    /// A page of the pets that `filter` lets through.
    ///
    /// # Errors
    ///
    /// No refusals.
    pub async fn pets(
        &self,
        filter: PetFilter,
        page: PageRequest,
    ) -> Result<Page<Pet>, StoreError> {
        self.read(|db| {
            Ok(
                Select::new("SELECT id, name, category_id, status FROM pets")
                    .equal("id", filter.id)
                    .equal("category_id", filter.category_id)
                    .equal("status", filter.status)
                    .page(db, page, from_row)?,
            )
        })
    }

    /// Replaces the pet `id`; a status left out stays.
    ///
    /// # Errors
    ///
    /// Refusals: `PetNotFound`, `UnknownCategory`, `InvalidStatusTransition`, `InsufficientStock`,
    /// `PetHasOpenOrders`.
    pub async fn replace_pet(&self, id: i64, new: NewPet) -> Result<Pet, StoreError> {
        self.write(move |db| {
            let item = stock(db, id)?.ok_or(Refusal::PetNotFound { id })?;
            let category = categories::find(db, new.category_id)?;
            let item = pets::replace(&item, orders::count_open(db, id)?, &new, category.as_ref())?;
            update(db, &new, &item)?;
            Ok(Pet {
                id,
                name: new.name,
                category_id: new.category_id,
                status: item.status,
            })
        })
        .await
    }

    /// Deletes the pet `id`. Its completed orders stay.
    ///
    /// # Errors
    ///
    /// Refusals: `PetNotFound`, `PetHasOpenOrders`.
    pub async fn delete_pet(&self, id: i64) -> Result<(), StoreError> {
        self.write(move |db| {
            stock(db, id)?.ok_or(Refusal::PetNotFound { id })?;
            pets::delete(id, orders::count_open(db, id)?)?;
            db.prepare_cached("DELETE FROM pets WHERE id = ?1")?
                .execute([id])?;
            Ok(())
        })
        .await
    }
}

/// The stock of the pet `id`.
pub(super) fn stock(db: &Connection, id: i64) -> rusqlite::Result<Option<InventoryItem>> {
    db.prepare_cached("SELECT id, stock, status FROM pets WHERE id = ?1")?
        .query_row([id], stock_from_row)
        .optional()
}

/// Saves the stock of a pet, and the status that goes with it.
pub(super) fn save_stock(db: &Connection, item: &InventoryItem) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE pets SET stock = :stock, status = :status WHERE id = :id")?
        .execute(
            named_params! { ":stock": item.quantity, ":status": item.status, ":id": item.pet_id },
        )
        .map(|_| ())
}

/// Reads `id, stock, status`.
pub(super) fn stock_from_row(row: &Row<'_>) -> rusqlite::Result<InventoryItem> {
    Ok(InventoryItem {
        pet_id: row.get(0)?,
        quantity: row.get(1)?,
        status: row.get(2)?,
    })
}

/// One of the pets of a category, if it has any.
pub(super) fn any_of_category(db: &Connection, category_id: i64) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM pets WHERE category_id = ?1 ORDER BY id LIMIT 1")?
        .query_row([category_id], |row| row.get(0))
        .optional()
}

fn find(db: &Connection, id: i64) -> rusqlite::Result<Option<Pet>> {
    db.prepare_cached("SELECT id, name, category_id, status FROM pets WHERE id = ?1")?
        .query_row([id], from_row)
        .optional()
}

fn insert(
    db: &Connection,
    new: &NewPet,
    Opening { status, stock }: Opening,
) -> Result<Pet, StoreError> {
    db.prepare_cached(
        "INSERT INTO pets (name, category_id, status, stock) VALUES (:name, :category_id, :status, :stock)",
    )?
    .execute(named_params! {
        ":name": new.name, ":category_id": new.category_id, ":status": status, ":stock": stock,
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
        match value.as_str()? {
            "available" => Ok(PetStatus::Available),
            "pending" => Ok(PetStatus::Pending),
            "sold" => Ok(PetStatus::Sold),
            other => Err(FromSqlError::Other(
                format!("no pet status: {other}").into(),
            )),
        }
    }
}
