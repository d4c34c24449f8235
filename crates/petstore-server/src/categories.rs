//! Categories and their rules: names are unique regardless of case, and a category with pets cannot be deleted.
//!
//! Pure functions over records; the store loads and saves them.

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

/// The body of a request that creates or replaces a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCategory {
    /// The name; no other category may have it, regardless of case.
    pub name: String,
    /// A short description; `None` removes it.
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

/// Checks that a category may be created. `same_name` is the id of the category with the same name, if any.
///
/// # Errors
///
/// [`RuleViolation::CategoryExists`].
pub fn check_create(same_name: Option<i64>) -> Result<(), RuleViolation> {
    match same_name {
        Some(id) => Err(RuleViolation::CategoryExists { id }),
        None => Ok(()),
    }
}

/// Checks that category `id` may be replaced. `same_name` is the id of the category with the new name, if any;
/// the category may keep its own name, in any case.
///
/// # Errors
///
/// [`RuleViolation::CategoryExists`].
pub fn check_replace(id: i64, same_name: Option<i64>) -> Result<(), RuleViolation> {
    check_create(same_name.filter(|found| *found != id))
}

/// Checks that category `id` may be deleted. `pet` is the id of one of its pets, if it has any.
///
/// # Errors
///
/// [`RuleViolation::CategoryInUse`].
pub fn check_delete(id: i64, pet: Option<i64>) -> Result<(), RuleViolation> {
    match pet {
        Some(pet_id) => Err(RuleViolation::CategoryInUse { id, pet_id }),
        None => Ok(()),
    }
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
    fn name_of_another_category_is_rejected() {
        let taken = |id| Err(RuleViolation::CategoryExists { id });
        assert_eq!(check_create(None), Ok(()), "a free name");
        assert_eq!(check_create(Some(3)), taken(3), "a used name");
        assert_eq!(check_replace(3, None), Ok(()), "a free name");
        assert_eq!(check_replace(3, Some(3)), Ok(()), "its own name");
        assert_eq!(check_replace(3, Some(4)), taken(4), "a used name");
    }

    #[test]
    fn category_with_pets_cannot_be_deleted() {
        let in_use = RuleViolation::CategoryInUse { id: 3, pet_id: 7 };
        assert_eq!(check_delete(3, None), Ok(()));
        assert_eq!(check_delete(3, Some(7)), Err(in_use));
    }
}
