//! Names of commands and flags that are taken only once.

/// `name`, or with a number if `claim` refuses it.
pub(crate) fn unique(name: &str, mut claim: impl FnMut(&str) -> bool) -> String {
    let mut unique = name.to_owned();
    let mut number = 2;
    while !claim(&unique) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}
