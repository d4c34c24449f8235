//! Names of commands and flags that are taken only once.

use std::collections::HashSet;

use heck::ToKebabCase;

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

/// The flag for a parameter or a property of this name. `suffix` tells flags of one name apart.
pub(crate) fn flag_name(name: &str, suffix: &str, taken: &mut HashSet<String>) -> String {
    let plain = match name.to_kebab_case() {
        empty if empty.is_empty() => suffix.to_owned(),
        plain => plain,
    };
    if taken.insert(plain.clone()) {
        return plain;
    }
    unique(&format!("{plain}-{suffix}"), |name| {
        taken.insert(name.to_owned())
    })
}
