//! Lifecycle of operations, parameters and schemas: stability, deprecation and sunset, read from their extensions.

use chrono::NaiveDate;
use dropspec_schema::Stability;

use crate::node::{Node, Object};

/// Name of the extension with the [`Stability`] of an operation or schema.
pub const STABILITY: &str = "x-stability";
/// Name of the extension with the day since which an operation is deprecated.
pub const DEPRECATED_SINCE: &str = "x-deprecated-since";
/// Name of the extension with the last day on which a deprecated element is available.
pub const SUNSET: &str = "x-deprecated-sunset";
/// Name of the extension with the `operationId` of the operation to use instead of a deprecated one.
pub const SUCCESSOR: &str = "x-successor";

/// Why the value of a lifecycle extension cannot be read.
pub type InvalidLifecycle = String;

/// The values of the lifecycle extensions of an operation, parameter or schema. `None` where one is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifecycle {
    /// `x-stability`
    pub stability: Option<Result<Stability, InvalidLifecycle>>,
    /// `x-deprecated-since`
    pub deprecated_since: Option<Result<NaiveDate, InvalidLifecycle>>,
    /// `x-deprecated-sunset`
    pub sunset: Option<Result<NaiveDate, InvalidLifecycle>>,
    /// `x-successor`, an `operationId`; whether the operation exists is not checked.
    pub successor: Option<Result<String, InvalidLifecycle>>,
}

impl Lifecycle {
    /// Reads the lifecycle from the extensions (or all members) of an element.
    pub fn from_extensions(extensions: &Object) -> Lifecycle {
        let date = |name| read(extensions, name, "a date (YYYY-MM-DD)", parse_date);
        Lifecycle {
            stability: read(extensions, STABILITY, "a stability", |text| {
                text.parse().ok()
            }),
            deprecated_since: date(DEPRECATED_SINCE),
            sunset: date(SUNSET),
            successor: read(extensions, SUCCESSOR, "an operationId", |text| {
                Some(text.to_owned())
            }),
        }
    }
}

fn read<T>(
    extensions: &Object,
    name: &str,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<Result<T, InvalidLifecycle>> {
    let node: &Node = &extensions.get(name)?.node;
    let parsed = node.as_str().and_then(parse);
    Some(parsed.ok_or_else(|| match node.as_str() {
        Some(text) => format!("`{text}` is not {expected}"),
        None => format!("{} is not {expected}", node.kind()),
    }))
}

/// Parses a calendar date as `2027-06-30` (RFC 3339, full-date): four, two and two digits.
pub fn parse_date(text: &str) -> Option<NaiveDate> {
    let date: NaiveDate = text.parse().ok()?;
    // chrono also accepts spaces and missing zeros.
    (text.len() == 10 && date.to_string() == text).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn parses_only_full_dates_of_the_calendar() {
        let dates = "2026-11-21|2024-02-29|2000-02-29".split('|');
        let others =
            "2026-11-31|2026-02-29|2100-02-29|2026-1-01|2026-1-001| 2026-1-01|soon|２026-11-2";
        let all = dates.map(|text| (text, Some(text)));
        for (text, expected) in all.chain(others.split('|').map(|text| (text, None))) {
            let date = parse_date(text).map(|date| date.to_string());
            assert_eq!(date.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn reads_valid_and_invalid_extensions() {
        let text = "x-stability: beta\nx-deprecated-since: 2026\nx-deprecated-sunset: soon";
        let document = Document::parse("a.yaml", text).unwrap();
        let lifecycle = Lifecycle::from_extensions(document.root().as_object().unwrap());
        assert_eq!(lifecycle.stability, Some(Ok(Stability::Beta)));
        let since = lifecycle.deprecated_since.unwrap().unwrap_err();
        assert_eq!(since, "a number is not a date (YYYY-MM-DD)");
        let sunset = lifecycle.sunset.unwrap().unwrap_err();
        assert_eq!(sunset, "`soon` is not a date (YYYY-MM-DD)");
        assert_eq!(lifecycle.successor, None);
    }
}
