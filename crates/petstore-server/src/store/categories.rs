//! The table `categories`, and what its rules read.

use petstore_api::ErrorCode;

use crate::categories::{self, Category, NewCategory};
use crate::store::row::Statement;
use crate::store::table::table;
use crate::store::{Body, Change, Found, Resource, StoreError};

const FIND_BY_NAME: &str = "SELECT id FROM categories WHERE name_key = $1";
const FIND_PET: &str = "SELECT id FROM pets WHERE category_id = $1 ORDER BY id LIMIT 1";

table!(Category from NewCategory in "categories", CategoryNotFound { name, description } hidden "name_key");

impl Resource for Category {
    type New = NewCategory;

    fn reads(new: &NewCategory, _: Option<i64>) -> Vec<Statement> {
        let name_key = categories::name_key(&new.name);
        vec![Statement::new(FIND_BY_NAME, [name_key.into()])]
    }

    fn apply(
        new: &NewCategory,
        before: Option<&Category>,
        found: &mut Found<'_>,
    ) -> Result<Change<Category>, StoreError> {
        found.unique(before.map(|it| it.id), ErrorCode::CategoryExists, |other| {
            format!(
                "category {other} already has this name (upper and lower case are not told apart)"
            )
        })?;
        Ok(Change {
            hidden: vec![categories::name_key(&new.name).into()],
            ..Change::to(new.to_record())
        })
    }

    fn reads_of_deletion(id: i64) -> Vec<Statement> {
        vec![Statement::new(FIND_PET, [id.into()])]
    }

    fn check_deletion(&self, found: &mut Found<'_>) -> Result<Option<Statement>, StoreError> {
        categories::check_delete(self.id, found.next_row()?)?;
        Ok(None)
    }
}
