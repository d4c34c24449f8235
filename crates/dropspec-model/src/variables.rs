//! The names of the environment variables that clients and command lines of a service read.

use heck::ToShoutySnakeCase;

/// What the names of the variables begin with, by the title of the document: `Book Store` becomes `BOOK_STORE`.
pub fn variable_prefix(title: &str) -> String {
    let signs = title.replace(|c: char| !c.is_ascii_alphanumeric(), " ");
    let name = signs.to_shouty_snake_case();
    match name.chars().next() {
        None => "SERVICE".to_owned(),
        // A shell has no such variable.
        Some(first) if first.is_ascii_digit() => format!("SERVICE_{name}"),
        Some(_) => name,
    }
}

/// The variable with the base URL.
pub fn base_url_variable(prefix: &str) -> String {
    format!("{prefix}_URL")
}

/// The variables with the credentials of security schemes, by the order of these in the document. Schemes whose names become one
/// have numbers.
pub fn credential_variables<'s>(
    prefix: &str,
    schemes: impl IntoIterator<Item = &'s str>,
) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for scheme in schemes {
        let mut variable = format!("{prefix}_{}", scheme.to_shouty_snake_case());
        if variable == base_url_variable(prefix) {
            variable.push_str("_CREDENTIALS");
        }
        let numbers = (2..).map(|number| format!("{variable}_{number}"));
        let mut names = std::iter::once(variable.clone()).chain(numbers);
        all.extend(names.find(|name| !all.contains(name)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_document_as_a_shell_takes_them() {
        for (title, prefix) in [
            ("Book Store", "BOOK_STORE"),
            ("petStore: v2!", "PET_STORE_V2"),
            ("3scale", "SERVICE_3SCALE"),
            ("図書館", "SERVICE"),
            ("", "SERVICE"),
        ] {
            assert_eq!(variable_prefix(title), prefix, "{title}");
        }
        assert_eq!(base_url_variable("BOOKS"), "BOOKS_URL");
        let schemes = ["apiKey", "o-auth.2", "url", "api_key", "API-KEY"];
        let variables = [
            "BOOKS_API_KEY",
            "BOOKS_O_AUTH_2",
            "BOOKS_URL_CREDENTIALS",
            "BOOKS_API_KEY_2",
            "BOOKS_API_KEY_3",
        ];
        assert_eq!(credential_variables("BOOKS", schemes), variables);
    }
}
