//! Categories and their rules: names are unique regardless of case, and a category with pets cannot be deleted.
//!
//! Pure functions over records; the store loads and saves them.

use petstore_api::ErrorCode;
pub use petstore_api::types::NewCategory;
use serde::{Deserialize, Serialize};

use crate::rule_violation::RuleViolation;

/// A category of pets, as it is stored: a kind of animal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// Assigned by the store; never reused.
    pub id: i64,
    /// The name as the client wrote it.
    pub name: String,
    /// A short description.
    pub description: Option<String>,
}

/// Returns the key by which category names are compared: names that differ only in case have the same key.
///
/// Each character is mapped to lower, upper and again to lower case, by Unicode's full mappings and without regard
/// to its neighbours. The round trip joins what one mapping alone keeps apart: `ß`, `ẞ` and `SS`; `Σ`, `σ` and `ς`;
/// the Kelvin sign and `k`. It also joins the dotless `ı` with `i`, which share the capital `I`.
/// Composed and decomposed accents stay different, and so does white space.
pub fn name_key(name: &str) -> String {
    name.chars()
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Checks that category `id` may be deleted. `pet` is the id of one of its pets, if it has any.
///
/// # Errors
///
/// `category_in_use`.
pub fn check_delete(id: i64, pet: Option<i64>) -> Result<(), RuleViolation> {
    let Some(pet) = pet else { return Ok(()) };
    let message =
        format!("category {id} still has pets, pet {pet} for one; move or delete them first");
    Err(RuleViolation::new(ErrorCode::CategoryInUse, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_only_in_case_have_the_same_key() {
        let cases = [
            ("Dog", "dOG", "plain letters"),
            ("ÉLAN", "élan", "letters beyond ASCII"),
            ("STRASSE", "straße", "one letter whose capital is two"),
            ("straße", "STRAẞE", "the capital sharp s"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος", "a letter with two small forms"),
            ("\u{212A}oala", "koala", "the Kelvin sign"),
            ("ǅ", "ǆ", "a title case letter"),
        ];
        for (one, other, reason) in cases {
            assert_eq!(name_key(one), name_key(other), "{reason}");
        }
    }

    #[test]
    fn names_with_other_differences_have_different_keys() {
        let cases = [
            ("dog", "dogs", "another word"),
            ("elan", "élan", "an accent is a difference"),
            ("dog", "dog ", "a space is a difference"),
            ("é", "e\u{301}", "composed and decomposed are not joined"),
        ];
        for (one, other, reason) in cases {
            assert_ne!(name_key(one), name_key(other), "{reason}");
        }
    }

    #[test]
    fn category_with_pets_cannot_be_deleted() {
        assert_eq!(check_delete(3, None), Ok(()));
        let in_use = check_delete(3, Some(7)).map_err(|error| error.code);
        assert_eq!(in_use, Err(ErrorCode::CategoryInUse));
    }
}
