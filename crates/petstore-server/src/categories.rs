//! Categories and their rules: names are unique ignoring case, and a category in use stays.
//!
//! Pure functions over records. Loading and saving them is the store's work.

use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;

/// A kind of animal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// Given by the store on creation, never reused.
    pub id: i64,
    /// The name as the client wrote it.
    pub name: String,
    /// A short description.
    pub description: Option<String>,
}

/// What a client says of a category, on creating and on replacing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCategory {
    /// The name; no other category may bear it, ignoring case.
    pub name: String,
    /// A short description; left out, the category has none.
    pub description: Option<String>,
}

/// What two names that differ only in case have in common.
///
/// Each character goes to lower, upper and again to lower case, by Unicode's full mappings and without regard
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

/// Whether a category may be created, given the id of the category that has its name already, if any.
///
/// # Errors
///
/// [`Refusal::CategoryExists`].
pub fn create(bearer: Option<i64>) -> Result<(), Refusal> {
    match bearer {
        Some(id) => Err(Refusal::CategoryExists { id }),
        None => Ok(()),
    }
}

/// Whether category `id` may be replaced, given the id of the category that has the new name already, if any.
/// Its own name, in whatever case, it may keep.
///
/// # Errors
///
/// [`Refusal::CategoryExists`].
pub fn replace(id: i64, bearer: Option<i64>) -> Result<(), Refusal> {
    create(bearer.filter(|bearer| *bearer != id))
}

/// Whether category `id` may be deleted, given the id of one of its pets, if it has any.
///
/// # Errors
///
/// [`Refusal::CategoryInUse`].
pub fn delete(id: i64, pet: Option<i64>) -> Result<(), Refusal> {
    match pet {
        Some(pet_id) => Err(Refusal::CategoryInUse { id, pet_id }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_only_in_case_share_a_key() {
        let cases = [
            ("Dog", "dOG", "plain letters"),
            ("ÉLAN", "élan", "letters beyond ASCII"),
            ("STRASSE", "straße", "one letter whose capital is two"),
            ("straße", "STRAẞE", "a capital that came late"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος", "a letter with two small forms"),
            ("\u{212A}oala", "koala", "the Kelvin sign"),
            ("ǅ", "ǆ", "a title case letter"),
        ];
        for (one, other, reason) in cases {
            assert_eq!(name_key(one), name_key(other), "{reason}");
        }
    }

    #[test]
    fn names_that_differ_otherwise_do_not() {
        let cases = [
            ("dog", "dogs", "another word"),
            ("elan", "élan", "an accent is a difference"),
            ("dog", "dog ", "so is a space"),
            ("é", "e\u{301}", "composed and decomposed are not joined"),
        ];
        for (one, other, reason) in cases {
            assert_ne!(name_key(one), name_key(other), "{reason}");
        }
    }

    #[test]
    fn a_name_is_borne_once() {
        assert_eq!(create(None), Ok(()), "a free name");
        assert_eq!(
            create(Some(3)),
            Err(Refusal::CategoryExists { id: 3 }),
            "a taken name"
        );
        assert_eq!(replace(3, None), Ok(()), "a free name");
        assert_eq!(
            replace(3, Some(3)),
            Ok(()),
            "its own name, perhaps in another case"
        );
        assert_eq!(
            replace(3, Some(4)),
            Err(Refusal::CategoryExists { id: 4 }),
            "another's name"
        );
    }

    #[test]
    fn a_category_in_use_stays() {
        assert_eq!(delete(3, None), Ok(()));
        assert_eq!(
            delete(3, Some(7)),
            Err(Refusal::CategoryInUse { id: 3, pet_id: 7 })
        );
    }
}
