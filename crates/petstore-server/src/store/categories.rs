//! The table `categories`: the store's operations on categories, and their SQL.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use sqlite_engine::{Created, IdempotentRequest, Page, PageRequest, Select, run_idempotent};

use crate::categories::{self, Category, NewCategory};
use crate::refusal::Refusal;
use crate::store::error::StoreError;
use crate::store::{Store, pets};

impl Store {
    /// Creates a category.
    ///
    /// # Errors
    ///
    /// Refusals: `CategoryExists`, `IdempotencyKeyReused`.
    pub async fn create_category(
        &self,
        new: NewCategory,
        idempotency: Option<IdempotentRequest>,
    ) -> Result<Created<Category>, StoreError> {
        self.write(move |db| {
            run_idempotent(db, idempotency, || {
                let name_key = categories::name_key(&new.name);
                categories::create(bearer(db, &name_key)?)?;
                insert(db, new, &name_key)
            })
        })
        .await
    }

    /// The category `id`.
    ///
    /// # Errors
    ///
    /// Refusals: `CategoryNotFound`.
    pub async fn category(&self, id: i64) -> Result<Category, StoreError> {
        self.read(|db| Ok(find(db, id)?.ok_or(Refusal::CategoryNotFound { id })?))
    }

    /// A page of the categories.
    ///
    /// # Errors
    ///
    /// No refusals.
    pub async fn categories(&self, page: PageRequest) -> Result<Page<Category>, StoreError> {
        self.read(|db| {
            Ok(Select::new("SELECT id, name, description FROM categories")
                .page(db, page, from_row)?)
        })
    }

    /// Replaces the category `id`; a description left out is gone.
    ///
    /// # Errors
    ///
    /// Refusals: `CategoryNotFound`, `CategoryExists`.
    pub async fn replace_category(
        &self,
        id: i64,
        new: NewCategory,
    ) -> Result<Category, StoreError> {
        self.write(move |db| {
            find(db, id)?.ok_or(Refusal::CategoryNotFound { id })?;
            let name_key = categories::name_key(&new.name);
            categories::replace(id, bearer(db, &name_key)?)?;
            update(db, id, &new, &name_key)?;
            Ok(Category {
                id,
                name: new.name,
                description: new.description,
            })
        })
        .await
    }

    /// Deletes the category `id`.
    ///
    /// # Errors
    ///
    /// Refusals: `CategoryNotFound`, `CategoryInUse`.
    pub async fn delete_category(&self, id: i64) -> Result<(), StoreError> {
        self.write(move |db| {
            find(db, id)?.ok_or(Refusal::CategoryNotFound { id })?;
            categories::delete(id, pets::any_of_category(db, id)?)?;
            db.prepare_cached("DELETE FROM categories WHERE id = ?1")?
                .execute([id])?;
            Ok(())
        })
        .await
    }
}

/// The category `id`.
pub(super) fn find(db: &Connection, id: i64) -> rusqlite::Result<Option<Category>> {
    db.prepare_cached("SELECT id, name, description FROM categories WHERE id = ?1")?
        .query_row([id], from_row)
        .optional()
}

/// The id of the category that bears a name.
fn bearer(db: &Connection, name_key: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM categories WHERE name_key = ?1")?
        .query_row([name_key], |row| row.get(0))
        .optional()
}

fn insert(db: &Connection, new: NewCategory, name_key: &str) -> Result<Category, StoreError> {
    db.prepare_cached(
        "INSERT INTO categories (name, name_key, description) VALUES (:name, :name_key, :description)",
    )?
    .execute(named_params! {
        ":name": new.name, ":name_key": name_key, ":description": new.description,
    })?;
    Ok(Category {
        id: db.last_insert_rowid(),
        name: new.name,
        description: new.description,
    })
}

fn update(db: &Connection, id: i64, new: &NewCategory, name_key: &str) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE categories SET name = :name, name_key = :name_key, description = :description WHERE id = :id",
    )?
    .execute(named_params! {
        ":name": new.name, ":name_key": name_key, ":description": new.description, ":id": id,
    })
    .map(|_| ())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Category> {
    Ok(Category {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
    })
}
