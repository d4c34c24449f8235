//! What every answer says about the caller's limits, whether it is a success or an error.

use std::time::Duration;

use chrono::{DateTime, Utc};
use progenitor_client::{Error, ResponseValue};
use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::link;

/// Where the caller stood when the service answered, in the window that has the least left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Requests that the window allows.
    pub limit: u64,
    /// Requests that are left in it.
    pub remaining: u64,
    /// When the window ends, to the second.
    pub reset: DateTime<Utc>,
}

/// What the headers of an answer say. Where there was no answer, or none with these headers, it is `None`.
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
/// use petstore_client::Answered;
///
/// let pets = client.list_pets().send().await?;
/// if let Some(quota) = pets.quota() {
///     println!("{} of {} requests left until {}", quota.remaining, quota.limit, quota.reset);
/// }
/// # Ok(())
/// # }
/// ```
pub trait Answered {
    /// The headers of the answer.
    fn answer_headers(&self) -> Option<&HeaderMap>;

    /// The `X-RateLimit-*` headers.
    fn quota(&self) -> Option<Quota> {
        let headers = self.answer_headers()?;
        Some(Quota {
            limit: number(headers, "x-ratelimit-limit")?,
            remaining: number(headers, "x-ratelimit-remaining")?,
            reset: DateTime::from_timestamp(number(headers, "x-ratelimit-reset")?, 0)?,
        })
    }

    /// How long to stay away, from `Retry-After` (RFC 9110) in whole seconds.
    fn retry_after(&self) -> Option<Duration> {
        self.answer_headers().and_then(retry_after)
    }

    /// Where the next page of a list is, from the `Link` header (RFC 8288): absolute or from the root of the host.
    fn next_page(&self) -> Option<&str> {
        link::next(self.answer_headers()?)
    }

    /// The name by which the service's log knows the request, from `X-Request-Id`.
    fn request_id(&self) -> Option<&str> {
        self.answer_headers()?.get("x-request-id")?.to_str().ok()
    }
}

impl<T> Answered for ResponseValue<T> {
    fn answer_headers(&self) -> Option<&HeaderMap> {
        Some(self.headers())
    }
}

impl<E> Answered for Error<E> {
    fn answer_headers(&self) -> Option<&HeaderMap> {
        match self {
            Error::ErrorResponse(answer) => Some(answer.headers()),
            Error::UnexpectedResponse(answer) => Some(answer.headers()),
            _ => None,
        }
    }
}

/// `Retry-After` in seconds. A date, which this service never sends, counts as absent.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

fn number<N: std::str::FromStr>(headers: &HeaderMap, name: &str) -> Option<N> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reqwest::StatusCode;

    fn answer(headers: &[(&'static str, &'static str)]) -> ResponseValue<()> {
        let headers = headers.iter().map(|(name, value)| {
            (
                name.parse().expect("a name"),
                value.parse().expect("a value"),
            )
        });
        ResponseValue::new((), StatusCode::OK, headers.collect())
    }

    const STANDING: [(&str, &str); 3] = [
        ("x-ratelimit-limit", "60"),
        ("x-ratelimit-remaining", "59"),
        ("x-ratelimit-reset", "1795233600"),
    ];

    #[test]
    fn every_answer_tells_where_the_caller_stands() {
        let quota = Quota {
            limit: 60,
            remaining: 59,
            reset: DateTime::from_timestamp(1_795_233_600, 0).expect("a time"),
        };
        let answer = answer(&STANDING);
        assert_eq!(answer.quota(), Some(quota));
        assert_eq!(Error::ErrorResponse(answer).quota(), Some(quota));
    }

    #[test]
    fn no_standing_is_made_up() {
        assert_eq!(answer(&STANDING[..2]).quota(), None, "a header is missing");
        let odd = [STANDING[0], STANDING[1], ("x-ratelimit-reset", "soon")];
        assert_eq!(answer(&odd).quota(), None, "no number");
        assert_eq!(
            Error::<()>::InvalidRequest(String::new()).quota(),
            None,
            "no answer"
        );
    }

    #[test]
    fn retry_after_is_seconds() {
        assert_eq!(
            answer(&[("retry-after", "17")]).retry_after(),
            Some(Duration::from_secs(17))
        );
        let date = [("retry-after", "Sat, 21 Nov 2026 03:00:00 GMT")];
        assert_eq!(answer(&date).retry_after(), None);
    }
}
