//! The address of a collector of traces.

use std::fmt;
use std::str::FromStr;

use http::Uri;
use thiserror::Error;

/// The URL of a collector that speaks OTLP over HTTP, such as `http://127.0.0.1:4318`. It has no secrets, so it can be logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtlpEndpoint(String);

/// Why a text is not the URL of a collector.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct OtlpEndpointError(&'static str);

const NO_URL: &str = "write a URL such as http://127.0.0.1:4318 or https://collector.example";
const CREDENTIALS: &str = "the URL shows in the list of processes; leave out user and password, and set \
    OTEL_EXPORTER_OTLP_HEADERS, such as authorization=Basic%20...";
const QUERY: &str = "leave out the query and what follows `#`; the path /v1/traces is added";

impl OtlpEndpoint {
    /// The URL to which traces are sent.
    #[cfg(feature = "otlp")]
    pub(super) fn traces_url(&self) -> String {
        /// The path at which collectors take traces (OTLP 1.10, "OTLP/HTTP request").
        const TRACES_PATH: &str = "/v1/traces";
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
        let uri: Uri = text.parse().map_err(|_| OtlpEndpointError(NO_URL))?;
        let authority = uri.authority().ok_or(OtlpEndpointError(NO_URL))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(OtlpEndpointError(NO_URL));
        }
        if authority.as_str().contains('@') {
            return Err(OtlpEndpointError(CREDENTIALS));
        }
        // The parser leaves out a fragment.
        if text.contains(['?', '#']) {
            return Err(OtlpEndpointError(QUERY));
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

    #[cfg(feature = "otlp")]
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
        for (text, expected) in [
            ("", NO_URL),
            ("127.0.0.1:4318", NO_URL),
            ("/v1/traces", NO_URL),
            ("grpc://127.0.0.1:4317", NO_URL),
            ("http://", NO_URL),
            ("https://user:secret@c.example", CREDENTIALS),
            ("https://c.example/?key=secret", QUERY),
            ("https://c.example/#traces", QUERY),
        ] {
            let refused = Err(OtlpEndpointError(expected));
            assert_eq!(text.parse::<OtlpEndpoint>(), refused, "{text}");
        }
    }
}
