//! The headers of an operation that is on its way out: `Deprecation` (RFC 9745),
//! `Sunset` (RFC 8594) and a `Link` to its successor (RFC 5829, section 3.2).

use std::time::{Duration, SystemTime};

use chrono::{NaiveDate, NaiveTime};
use http::HeaderValue;
use http::header::{HeaderMap, HeaderName, LINK};
use spec_runtime::OperationInfo;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// The headers of one operation; none for one that is here to stay.
#[derive(Debug, Default)]
pub struct Lifecycle {
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Lifecycle {
    /// Adds the headers to an answer.
    pub fn stamp(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.headers {
            headers.append(name, value.clone());
        }
    }
}

/// The headers of each operation, in the order of the table.
pub fn of_operations(operations: &[OperationInfo]) -> Vec<Lifecycle> {
    operations
        .iter()
        .map(|operation| of_operation(operation, operations))
        .collect()
}

fn of_operation(operation: &OperationInfo, operations: &[OperationInfo]) -> Lifecycle {
    let Some(deprecation) = &operation.deprecation else {
        return Lifecycle::default();
    };
    let mut headers = Vec::new();
    if let Some(since) = deprecation.since {
        headers.push((DEPRECATION, value(format!("@{}", unix_seconds(since)))));
    }
    if let Some(sunset) = deprecation.sunset {
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(unix_seconds(sunset));
        headers.push((SUNSET, value(httpdate::fmt_http_date(end))));
    }
    let successor = deprecation.successor.and_then(|id| {
        operations
            .iter()
            .find(|candidate| candidate.operation_id == id)
    });
    if let Some(successor) = successor {
        headers.push((
            LINK,
            value(format!("<{}>; rel=\"successor-version\"", successor.path)),
        ));
    }
    Lifecycle { headers }
}

/// The first second of a date in UTC; dates before 1970 count as its start.
fn unix_seconds(date: NaiveDate) -> u64 {
    let seconds = date.and_time(NaiveTime::MIN).and_utc().timestamp();
    u64::try_from(seconds).unwrap_or(0)
}

fn value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("dates and paths of the operation table are visible ASCII")
}
