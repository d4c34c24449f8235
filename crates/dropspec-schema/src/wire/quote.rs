//! How much of a client's own text a message repeats.

use std::borrow::Cow;

use serde_json::Value;

/// The largest number of characters of a client's own data that an error message repeats.
const MAX_QUOTED_CHARACTERS: usize = 60;

/// Cuts a client's text to the length that an error message may repeat.
pub fn truncate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_QUOTED_CHARACTERS) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Writes a client's text as a JSON string for a message, truncated.
pub fn quote_text(text: &str) -> String {
    Value::from(truncate(text).into_owned()).to_string()
}
