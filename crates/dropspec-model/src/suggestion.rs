//! The known name that a misspelt one stands for.

use std::cell::RefCell;
use std::collections::HashMap;

use strsim::damerau_levenshtein;

/// For more texts of a document no name is looked for, as each is compared with all names.
const MOST_SUGGESTED: usize = 100;

/// What was suggested for texts of a document, of which any number can be wrong.
#[derive(Debug, Default)]
pub struct Suggestions {
    known: RefCell<HashMap<String, String>>,
}

impl Suggestions {
    /// What `suggest` returns for a text; nothing if there were many others before.
    pub fn find(&self, text: &str, suggest: impl FnOnce() -> String) -> String {
        let mut known = self.known.borrow_mut();
        if known.len() < MOST_SUGGESTED {
            let found = known.entry(text.to_owned()).or_insert_with(suggest);
            return found.clone();
        }
        known.get(text).cloned().unwrap_or_default()
    }
}

/// The known name that is most like `written`: the same apart from case, or with few letters added, missing, changed or
/// exchanged.
///
/// ```
/// let known = ["required", "readOnly"];
/// assert_eq!(dropspec_model::suggest("requried", known), Some("required"));
/// assert_eq!(dropspec_model::suggest("colour", known), None);
/// ```
pub fn suggest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = written.to_lowercase();
    // Of a short name a third is one letter; more would make it another word.
    let most = (written.chars().count() / 3).min(3);
    let distances = known
        .into_iter()
        .map(|name| (damerau_levenshtein(&lower, &name.to_lowercase()), name));
    let near = distances.filter(|(distance, name)| *distance <= most && *name != written);
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The beginning of a help text: ``did you mean `required`? ``; empty if no known name is like `written`.
pub fn did_you_mean<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let found = suggest(written, known);
    found.map_or_else(String::new, |name| format!("did you mean `{name}`? "))
}

/// Help for a text that must be one of these: the one that was probably meant, and all.
pub(crate) fn write_one_of(written: &str, known: &[&str]) -> String {
    let suggested = did_you_mean(written, known.iter().copied());
    format!("{suggested}write one of {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_found_and_other_words_are_not() {
        let known = "get put required operationId responses description in".split(' ');
        for (written, expected) in [
            ("gett", Some("get")),
            ("requried", Some("required")),
            ("operationID", Some("operationId")),
            ("operation_id", Some("operationId")),
            ("responces", Some("responses")),
            ("descripton", Some("description")),
            ("response", Some("responses")),
            ("id", None),
            ("colour", None),
            ("pet", Some("get")),
            ("", None),
        ] {
            assert_eq!(suggest(written, known.clone()), expected, "{written}");
        }
    }
}
