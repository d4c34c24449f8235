//! What names have in common that differ in their signs and capitals.

/// The letters and digits of a name, in lower case.
pub(crate) fn letters(name: &str) -> String {
    name.to_lowercase()
        .replace(|c: char| !c.is_alphanumeric(), "")
}
