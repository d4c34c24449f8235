//! Names without punctuation and case, for comparing them.

/// The letters and digits of a name, in lower case.
pub(crate) fn letters(name: &str) -> String {
    name.to_lowercase()
        .replace(|c: char| !c.is_alphanumeric(), "")
}
