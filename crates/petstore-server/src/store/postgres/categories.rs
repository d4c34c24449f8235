//! The table `categories` on PostgreSQL.

use petstore_api::ErrorCode;
use postgres_engine::{
    Created, Db, EngineError, IdempotentRequest, Page, PageRequest, Row, Select, run_idempotent,
};
use spec_gate::conditional::Precondition;

use crate::categories::{self, Category, NewCategory};
use crate::rule_violation::RuleViolation;
use crate::store::categories::CategoryStore;
use crate::store::postgres::{PostgresStore, check_text};
use crate::store::{StoreError, check_precondition};

const SELECT: &str = "SELECT id, name, description FROM categories WHERE id = $1";
const SELECT_FOR_UPDATE: &str =
    "SELECT id, name, description FROM categories WHERE id = $1 FOR UPDATE";
const SELECT_BY_NAME: &str = "SELECT id FROM categories WHERE name_key = $1";

/// Finds the category of a pet. It cannot be deleted before the end of the transaction.
pub(super) const SELECT_FOR_PET: &str =
    "SELECT id, name, description FROM categories WHERE id = $1 FOR KEY SHARE";

impl CategoryStore for PostgresStore {
    async fn create_category(
        &self,
        new: NewCategory,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Category>, StoreError> {
        check_new(&new)?;
        let input = (new, request);
        let create = self.engine.write(&input, |db, (new, request)| {
            let create = async move {
                let name_key = categories::name_key(&new.name);
                let same_name = db.query_opt(SELECT_BY_NAME, &[&name_key]).await?;
                categories::check_create(to_id(same_name)?)?;
                insert(db, new, &name_key).await
            };
            Box::pin(run_idempotent(db, request.as_ref(), create))
        });
        create.await
    }

    async fn get_category(&self, id: i64) -> Result<Category, StoreError> {
        let read = self.engine.read(&id, |db, id| {
            Box::pin(async move { require(*id, db.query_opt(SELECT, &[id]).await?) })
        });
        read.await
    }

    async fn list_categories(&self, page: PageRequest) -> Result<Page<Category>, StoreError> {
        let read = self.engine.read(&page, |db, page| {
            Box::pin(async move {
                let select = Select::new("SELECT id, name, description FROM categories");
                Ok(select.page(db, *page, from_row).await?)
            })
        });
        read.await
    }

    async fn replace_category(
        &self,
        id: i64,
        new: NewCategory,
        precondition: Precondition,
    ) -> Result<Category, StoreError> {
        check_new(&new)?;
        let input = (id, new, precondition);
        let replace = self.engine.write(&input, |db, (id, new, precondition)| {
            Box::pin(async move {
                let name_key = categories::name_key(&new.name);
                let [category, same_name] = db
                    .query_all([(SELECT_FOR_UPDATE, &[id]), (SELECT_BY_NAME, &[&name_key])])
                    .await?;
                check_precondition(precondition, &require(*id, category.into_iter().next())?)?;
                categories::check_replace(*id, to_id(same_name.into_iter().next())?)?;
                let update =
                    "UPDATE categories SET name = $2, name_key = $3, description = $4 WHERE id = $1";
                db.query(update, &[id, &new.name, &name_key, &new.description])
                    .await?;
                Ok(Category {
                    id: *id,
                    name: new.name.clone(),
                    description: new.description.clone(),
                })
            })
        });
        replace.await
    }

    async fn delete_category(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        let input = (id, precondition);
        let delete = self.engine.write(&input, |db, (id, precondition)| {
            Box::pin(async move {
                let find_pet = "SELECT id FROM pets WHERE category_id = $1 ORDER BY id LIMIT 1";
                let [category, pet] = db
                    .query_all([(SELECT_FOR_UPDATE, &[id]), (find_pet, &[id])])
                    .await?;
                check_precondition(precondition, &require(*id, category.into_iter().next())?)?;
                categories::check_delete(*id, to_id(pet.into_iter().next())?)?;
                db.query("DELETE FROM categories WHERE id = $1", &[id])
                    .await?;
                Ok(())
            })
        });
        delete.await
    }
}

/// Converts a row of the columns `id, name, description`.
pub(super) fn from_row(row: &Row) -> Result<Category, EngineError> {
    Ok(Category {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
    })
}

fn check_new(new: &NewCategory) -> Result<(), RuleViolation> {
    check_text("/name", &new.name)?;
    check_text(
        "/description",
        new.description.as_deref().unwrap_or_default(),
    )
}

fn require(id: i64, row: Option<Row>) -> Result<Category, StoreError> {
    let row = row.ok_or(RuleViolation::NotFound {
        code: ErrorCode::CategoryNotFound,
        id,
    })?;
    Ok(from_row(&row)?)
}

fn to_id(row: Option<Row>) -> Result<Option<i64>, EngineError> {
    row.map(|row| row.get(0)).transpose()
}

async fn insert(db: &Db, new: &NewCategory, name_key: &str) -> Result<Category, StoreError> {
    let insert = "INSERT INTO categories (name, name_key, description) VALUES ($1, $2, $3) RETURNING id, name, description";
    let rows = db
        .query(insert, &[&new.name, &name_key, &new.description])
        .await?;
    let row = rows
        .first()
        .ok_or_else(|| EngineError::internal("no row was inserted"))?;
    Ok(from_row(row)?)
}
