//! Times as people read them.

use chrono::{DateTime, SecondsFormat};

/// Formats Unix seconds as RFC 3339. A time that the calendar does not reach is written as a number.
pub fn to_rfc3339(seconds: i64) -> String {
    DateTime::from_timestamp(seconds, 0).map_or_else(
        || seconds.to_string(),
        |time| time.to_rfc3339_opts(SecondsFormat::Secs, true),
    )
}
