//! The table `categories`: the operations of the store on categories.

use petstore_api::ErrorCode;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use spec_gate::conditional::Precondition;
use sqlite_engine::{Created, IdempotentRequest, Page, PageRequest, Select, run_idempotent};

use crate::categories::{self, Category, NewCategory};
use crate::rule_violation::RuleViolation;
use crate::store::categories::CategoryStore;
use crate::store::sqlite::SqliteStore;
use crate::store::{StoreError, check_precondition};

impl CategoryStore for SqliteStore {
    async fn create_category(
        &self,
        new: NewCategory,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Category>, StoreError> {
        self.engine
            .write(move |db| {
                run_idempotent(db, request.as_ref(), || {
                    let name_key = categories::name_key(&new.name);
                    categories::check_create(find_id_by_name(db, &name_key)?)?;
                    insert(db, &new, &name_key)
                })
            })
            .await
    }

    async fn get_category(&self, id: i64) -> Result<Category, StoreError> {
        self.engine.read(|db| load(db, id))
    }

    async fn list_categories(&self, page: PageRequest) -> Result<Page<Category>, StoreError> {
        self.engine.read(|db| {
            Ok(Select::new("SELECT id, name, description FROM categories")
                .page(db, page, from_row)?)
        })
    }

    async fn replace_category(
        &self,
        id: i64,
        new: NewCategory,
        precondition: Precondition,
    ) -> Result<Category, StoreError> {
        self.engine
            .write(move |db| {
                check_precondition(&precondition, &load(db, id)?)?;
                let name_key = categories::name_key(&new.name);
                categories::check_replace(id, find_id_by_name(db, &name_key)?)?;
                update(db, id, &new, &name_key)?;
                Ok(Category {
                    id,
                    name: new.name.clone(),
                    description: new.description.clone(),
                })
            })
            .await
    }

    async fn delete_category(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        self.engine
            .write(move |db| {
                check_precondition(&precondition, &load(db, id)?)?;
                categories::check_delete(id, find_pet(db, id)?)?;
                db.prepare_cached("DELETE FROM categories WHERE id = ?1")?
                    .execute([id])?;
                Ok(())
            })
            .await
    }
}

/// Finds the category `id`.
pub(super) fn find(db: &Connection, id: i64) -> rusqlite::Result<Option<Category>> {
    db.prepare_cached("SELECT id, name, description FROM categories WHERE id = ?1")?
        .query_row([id], from_row)
        .optional()
}

fn load(db: &Connection, id: i64) -> Result<Category, StoreError> {
    Ok(find(db, id)?.ok_or(RuleViolation::NotFound {
        code: ErrorCode::CategoryNotFound,
        id,
    })?)
}

/// Finds the id of the category with a name, given as its [`categories::name_key`].
fn find_id_by_name(db: &Connection, name_key: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM categories WHERE name_key = ?1")?
        .query_row([name_key], |row| row.get(0))
        .optional()
}

/// Finds the id of one pet of a category, if it has any.
fn find_pet(db: &Connection, category_id: i64) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM pets WHERE category_id = ?1 ORDER BY id LIMIT 1")?
        .query_row([category_id], |row| row.get(0))
        .optional()
}

fn insert(db: &Connection, new: &NewCategory, name_key: &str) -> Result<Category, StoreError> {
    db.prepare_cached(
        "INSERT INTO categories (name, name_key, description) VALUES (:name, :name_key, :description)",
    )?
    .execute(named_params! {
        ":name": new.name, ":name_key": name_key, ":description": new.description,
    })?;
    Ok(Category {
        id: db.last_insert_rowid(),
        name: new.name.clone(),
        description: new.description.clone(),
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
