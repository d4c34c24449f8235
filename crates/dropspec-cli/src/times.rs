//! Times as people read them: `2026-11-23 14:05:00 UTC (in 41 seconds)`. The clock is an argument.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// How times are recognised, and what "now" is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// The time that others are compared with. Without it none is.
    pub(crate) now: Option<DateTime<Utc>>,
    /// The names of properties whose integers are Unix seconds.
    pub(crate) unix_seconds: Vec<String>,
}

impl Times {
    /// The time in a property of this name; `None` if it holds something else. Texts are times if they are RFC 3339.
    pub(crate) fn format(&self, name: &str, value: &Value) -> Option<String> {
        let time = match value {
            Value::String(text) => DateTime::parse_from_rfc3339(text).ok()?.to_utc(),
            Value::Number(seconds) if self.unix_seconds.iter().any(|it| it == name) => {
                DateTime::from_timestamp(seconds.as_i64()?, 0)?
            }
            _ => return None,
        };
        let text = time.format("%Y-%m-%d %H:%M:%S UTC").to_string();
        Some(match self.now {
            Some(now) => format!("{text} ({})", describe_distance((time - now).num_seconds())),
            None => text,
        })
    }
}

/// How far away a time is, in the largest unit of which there are two.
fn describe_distance(seconds: i64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (86_400, "days"),
        (3_600, "hours"),
        (60, "minutes"),
        (1, "seconds"),
    ];
    let distance = seconds.unsigned_abs();
    let unit = UNITS.iter().find(|(length, _)| distance >= 2 * length);
    let text = match unit {
        Some((length, name)) => format!("{} {name}", distance / length),
        None => return "now".to_owned(),
    };
    if seconds > 0 {
        format!("in {text}")
    } else {
        format!("{text} ago")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn formats_date_times_and_declared_unix_seconds() {
        let times = Times {
            now: DateTime::from_timestamp(1_795_233_559, 0),
            unix_seconds: vec!["reset".to_owned()],
        };
        let cases = [
            (
                "reset",
                json!(1_795_233_600),
                Some("2026-11-21 04:00:00 UTC (in 41 seconds)"),
            ),
            ("limit", json!(1_795_233_600), None),
            (
                "any",
                json!("2026-11-21T04:30:00+02:00"),
                Some("2026-11-21 02:30:00 UTC (89 minutes ago)"),
            ),
            ("name", json!("Mittens"), None),
            ("reset", json!(null), None),
        ];
        for (name, value, expected) in cases {
            assert_eq!(
                times.format(name, &value).as_deref(),
                expected,
                "{name} {value}"
            );
        }
    }

    #[test]
    fn distance_has_the_largest_unit_of_which_there_are_two() {
        let cases = [
            (0, "now"),
            (-1, "now"),
            (119, "in 119 seconds"),
            (120, "in 2 minutes"),
            (-7_200, "2 hours ago"),
            (172_800, "in 2 days"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(describe_distance(seconds), expected);
        }
    }
}
