//! Validates the items of a stream.

use dropspec_schema::Framing;
use dropspec_schema::wire::items::read_all;

use super::Problems;
use crate::validate::SchemaValidator;

/// Checks the items of a body that was read to its end.
pub(super) fn check(
    framing: Framing,
    content_type: &str,
    validator: &SchemaValidator,
    body: &[u8],
    problems: &mut Problems,
) {
    let items = match read_all(framing, content_type, body) {
        Ok(items) => items,
        Err(error) => return problems.push(("body".to_owned(), error.to_string())),
    };
    for (index, item) in items.iter().enumerate() {
        let part = format!("item {}", index + 1);
        match item.to_values() {
            Err(error) => problems.push((part, format!("is not JSON: {error}"))),
            // The data of an event may be meant as a text.
            Ok((_, Some(text))) if validator.find_problems(&text).is_empty() => {}
            Ok((value, _)) => {
                let found = validator.find_problems(&value).into_iter();
                problems.extend(found.map(|it| (format!("{part} {}", it.pointer), it.message)));
            }
        }
    }
}
