//! The address of a collector of traces.

use std::fmt;
use std::str::FromStr;

use http::Uri;
use thiserror::Error;

/// The path at which collectors take traces (OTLP 1.10, "OTLP/HTTP request").
const TRACES_PATH: &str = "/v1/traces";

/// The URL of a collector that speaks OTLP over HTTP, such as `http://127.0.0.1:4318`. It has no secrets, so it can be logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtlpEndpoint(String);

/// Why a text is not the URL of a collector.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum OtlpEndpointError {
    /// It is no URL of HTTP.
    #[error("write a URL such as http://127.0.0.1:4318 or https://collector.example")]
    NoUrl,
    /// It has a user or a password.
    #[error(
        "the URL shows in the list of processes; leave out user and password, and set OTEL_EXPORTER_OTLP_HEADERS, \
         such as authorization=Basic%20..."
    )]
    Credentials,
    /// It has a query or a fragment.
    #[error("leave out the query and what follows `#`; the path {TRACES_PATH} is added")]
    Query,
}

impl OtlpEndpoint {
    /// The URL to which traces are sent.
    #[cfg(feature = "otlp")]
    pub(super) fn traces_url(&self) -> String {
        let base = self.0.trim_end_matches('/');
        if base.ends_with(TRACES_PATH) {
            base.to_owned()
        } else {
            format!("{base}{TRACES_PATH}")
        }
    }

    /// Whether the collector speaks TLS.
    #[cfg(feature = "otlp")]
    pub(super) fn is_encrypted(&self) -> bool {
        self.0.to_ascii_lowercase().starts_with("https:")
    }
}

impl FromStr for OtlpEndpoint {
    type Err = OtlpEndpointError;

    fn from_str(text: &str) -> Result<OtlpEndpoint, OtlpEndpointError> {
        let uri: Uri = text.parse().map_err(|_| OtlpEndpointError::NoUrl)?;
        let authority = uri.authority().ok_or(OtlpEndpointError::NoUrl)?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(OtlpEndpointError::NoUrl);
        }
        if authority.as_str().contains('@') {
            return Err(OtlpEndpointError::Credentials);
        }
        // The parser leaves out a fragment.
        if text.contains(['?', '#']) {
            return Err(OtlpEndpointError::Query);
        }
        Ok(OtlpEndpoint(text.to_owned()))
    }
}

impl fmt::Display for OtlpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_of_traces_is_added_to_the_url_of_a_collector() {
        for (text, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://[::1]:4318/", "http://[::1]:4318/v1/traces"),
            ("https://c.example/otlp", "https://c.example/otlp/v1/traces"),
            ("https://c.example/v1/traces", "https://c.example/v1/traces"),
        ] {
            let endpoint: OtlpEndpoint = text.parse().expect("an endpoint");
            assert_eq!(endpoint.traces_url(), expected);
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_reason() {
        use OtlpEndpointError::{Credentials, NoUrl, Query};
        for (text, expected) in [
            ("", NoUrl),
            ("127.0.0.1:4318", NoUrl),
            ("/v1/traces", NoUrl),
            ("grpc://127.0.0.1:4317", NoUrl),
            ("http://", NoUrl),
            ("https://user:secret@c.example", Credentials),
            ("https://c.example/?key=secret", Query),
            ("https://c.example/#traces", Query),
        ] {
            assert_eq!(text.parse::<OtlpEndpoint>(), Err(expected), "{text}");
        }
    }
}
