//! The table `categories`: the operations of the store on categories.

use petstore_api::ErrorCode;
use spec_gate::conditional::Precondition;

use crate::categories::{self, Category, NewCategory};
use crate::rule_violation::RuleViolation;
use crate::store::row::{FromRow, Row, Statement};
use crate::store::{
    Created, EngineError, Found, IdempotentRequest, Page, PageRequest, Record, Store, StoreError,
    check_precondition, require,
};

const LIST: &str = "SELECT id, name, description FROM categories";
const FIND: &str = "SELECT id, name, description FROM categories WHERE id = $1";
const LOCK: &str = "SELECT id, name, description FROM categories WHERE id = $1 FOR UPDATE";
const FIND_BY_NAME: &str = "SELECT id FROM categories WHERE name_key = $1";
const FIND_PET: &str = "SELECT id FROM pets WHERE category_id = $1 ORDER BY id LIMIT 1";
const INSERT: &str =
    "INSERT INTO categories (name, name_key, description) VALUES ($1, $2, $3) RETURNING id";
const UPDATE: &str =
    "UPDATE categories SET name = $1, name_key = $2, description = $3 WHERE id = $4";
const DELETE: &str = "DELETE FROM categories WHERE id = $1";

/// Finds the category of a pet. It cannot be deleted before the end of the transaction.
pub(super) fn find_for_pet(id: i64) -> Statement {
    let find = "SELECT id, name, description FROM categories WHERE id = $1 FOR KEY SHARE";
    Statement::new(find, [id.into()])
}

impl Store {
    /// Creates a category.
    ///
    /// # Errors
    ///
    /// Rule violations: `CategoryExists`, `IdempotencyKeyReused`.
    pub async fn create_category(
        &self,
        new: NewCategory,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Category>, StoreError> {
        self.check_new_category(&new)?;
        let name_key = categories::name_key(&new.name);
        let reads = [Statement::new(FIND_BY_NAME, [(&name_key).into()])];
        let decide = move |found: &mut Found<'_>| {
            categories::check_create(found.next()?)?;
            let values = [
                (&new.name).into(),
                (&name_key).into(),
                new.description.as_ref().into(),
            ];
            Ok(([Statement::new(INSERT, values)], to_record(0, &new)))
        };
        self.write(request, reads, decide).await
    }

    /// Reads the category `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    pub async fn get_category(&self, id: i64) -> Result<Category, StoreError> {
        let found = self.find(FIND, id).await?;
        Ok(require(found, ErrorCode::CategoryNotFound, id)?)
    }

    /// Reads a page of the categories.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn list_categories(&self, page: PageRequest) -> Result<Page<Category>, StoreError> {
        self.page(LIST, [], page).await
    }

    /// Replaces the category `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `CategoryExists`.
    pub async fn replace_category(
        &self,
        id: i64,
        new: NewCategory,
        precondition: Precondition,
    ) -> Result<Category, StoreError> {
        self.check_new_category(&new)?;
        let name_key = categories::name_key(&new.name);
        let reads = [
            Statement::new(LOCK, [id.into()]),
            Statement::new(FIND_BY_NAME, [(&name_key).into()]),
        ];
        let decide = move |found: &mut Found<'_>| {
            check_category(id, found.next()?, &precondition)?;
            categories::check_replace(id, found.next()?)?;
            let values = [
                (&new.name).into(),
                (&name_key).into(),
                new.description.as_ref().into(),
                id.into(),
            ];
            Ok(([Statement::new(UPDATE, values)], to_record(id, &new)))
        };
        self.change(reads, decide).await
    }

    /// Deletes the category `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `CategoryInUse`.
    pub async fn delete_category(
        &self,
        id: i64,
        precondition: Precondition,
    ) -> Result<(), StoreError> {
        let reads = [LOCK, FIND_PET].map(|sql| Statement::new(sql, [id.into()]));
        let decide = move |found: &mut Found<'_>| {
            check_category(id, found.next()?, &precondition)?;
            categories::check_delete(id, found.next()?)?;
            Ok(([Statement::new(DELETE, [id.into()])], ()))
        };
        self.change(reads, decide).await
    }

    fn check_new_category(&self, new: &NewCategory) -> Result<(), RuleViolation> {
        self.check_text("/name", &new.name)?;
        let description = new.description.as_deref().unwrap_or_default();
        self.check_text("/description", description)
    }
}

/// Checks that the category is there and meets the precondition.
fn check_category(
    id: i64,
    category: Option<Category>,
    precondition: &Precondition,
) -> Result<(), RuleViolation> {
    let category = require(category, ErrorCode::CategoryNotFound, id)?;
    check_precondition(precondition, &category)
}

fn to_record(id: i64, new: &NewCategory) -> Category {
    Category {
        id,
        name: new.name.clone(),
        description: new.description.clone(),
    }
}

impl Record for Category {
    fn set_id(&mut self, id: i64) {
        self.id = id;
    }
}

impl FromRow for Category {
    fn from_row(row: &impl Row) -> Result<Category, EngineError> {
        Ok(Category {
            id: row.get(0)?,
            name: row.get(1)?,
            description: row.get(2)?,
        })
    }
}
