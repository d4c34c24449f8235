//! Documentation from descriptions.

use dropspec_model::Schema;

/// The doc comment for a schema: its description or title, and whether it is deprecated.
pub(super) fn describe(schema: &Schema) -> String {
    let text = [&schema.description, &schema.title];
    let text = text
        .into_iter()
        .flatten()
        .find(|text| !text.trim().is_empty());
    let mut text = text.map_or(String::new(), |text| text.trim().to_owned());
    if schema.deprecated {
        text.push_str("\n\nDeprecated.");
    }
    text.trim().to_owned()
}

/// The description, or else the name of what it would describe.
pub(super) fn or_name(description: String, name: &str) -> String {
    if description.is_empty() {
        format!("`{name}`")
    } else {
        description
    }
}

/// The text up to the first blank line.
pub(super) fn first_paragraph(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim);
    lines
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}
