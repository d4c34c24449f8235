//! The headers of deprecated operations: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a `Link` to the successor
//! (RFC 5829, section 3.2).

use std::time::{Duration, SystemTime};

use chrono::{NaiveDate, NaiveTime};
use dropspec_runtime::OperationInfo;
use http::HeaderValue;
use http::header::{HeaderName, LINK};

use crate::base_path::BasePath;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// The response headers that announce the deprecation of one operation; empty if the operation is not deprecated.
pub type DeprecationHeaders = Vec<(HeaderName, HeaderValue)>;

/// Renders the deprecation headers of an operation. `operations` are all operations, to find its successor.
pub fn deprecation_headers(
    operation: &OperationInfo,
    operations: &[OperationInfo],
    base_path: &BasePath,
) -> DeprecationHeaders {
    let Some(deprecation) = &operation.deprecation else {
        return Vec::new();
    };
    let mut headers = Vec::new();
    if let Some(since) = deprecation.since {
        headers.push((
            DEPRECATION,
            header_value(format!("@{}", unix_seconds(since))),
        ));
    }
    if let Some(sunset) = deprecation.sunset {
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(unix_seconds(sunset));
        headers.push((SUNSET, header_value(httpdate::fmt_http_date(end))));
    }
    let successor = deprecation.successor.and_then(|id| {
        operations
            .iter()
            .find(|candidate| candidate.operation_id == id)
    });
    if let Some(successor) = successor {
        let link = format!("<{base_path}{}>; rel=\"successor-version\"", successor.path);
        headers.push((LINK, header_value(link)));
    }
    headers
}

/// The first second of a date in UTC; 0 for dates before 1970.
fn unix_seconds(date: NaiveDate) -> u64 {
    let seconds = date.and_time(NaiveTime::MIN).and_utc().timestamp();
    u64::try_from(seconds).unwrap_or(0)
}

/// Makes a value that is never freed: copies of it share no reference count, which all cores would have to change.
fn header_value(text: String) -> HeaderValue {
    HeaderValue::from_static(text.leak())
}

#[cfg(test)]
mod tests {
    use dropspec_runtime::{Deprecation, Method};

    use super::*;

    #[test]
    fn successor_is_below_the_base_path() {
        let successor = OperationInfo::new("getNew", Method::Get, "/new");
        let deprecation = Deprecation {
            since: None,
            sunset: None,
            successor: Some("getNew"),
        };
        let old = OperationInfo {
            deprecation: Some(deprecation),
            ..OperationInfo::new("getOld", Method::Get, "/old")
        };
        let base_path = "/v1".parse().unwrap_or_default();
        let headers = deprecation_headers(&old, &[successor], &base_path);
        assert_eq!(headers[0].1, "</v1/new>; rel=\"successor-version\"");
    }
}
