//! Samples of the credentials of security schemes, for requests that the generated client does not send.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use spec_client::Parts;
use spec_runtime::{ApiKeyLocation, OperationInfo, SecuritySchemeInfo, SecuritySchemeKind};

/// `sample:sample` as Basic credentials (RFC 7617).
const USER_AND_PASSWORD: &str = "c2FtcGxlOnNhbXBsZQ==";

/// Adds credentials by the first of the alternatives that an operation requires.
pub(crate) fn add_credentials(
    operation: &OperationInfo,
    schemes: &[SecuritySchemeInfo],
    parts: &mut Parts,
    headers: &mut HeaderMap,
) {
    let uses = operation.security.first().copied().unwrap_or_default();
    for scheme in uses.iter().filter_map(|of| schemes.get(of.scheme)) {
        let (name, text) = match scheme.kind {
            SecuritySchemeKind::ApiKey { location, name } => match location {
                ApiKeyLocation::Header => (name, "sample".to_owned()),
                ApiKeyLocation::Query => {
                    parts.push_query(name, "sample");
                    continue;
                }
                ApiKeyLocation::Cookie => {
                    parts.push_cookie(name, "sample");
                    continue;
                }
            },
            kind => {
                let scheme = kind.authentication_scheme().unwrap_or_default();
                let text = match kind {
                    SecuritySchemeKind::Basic => USER_AND_PASSWORD,
                    _ => "sample",
                };
                (AUTHORIZATION.as_str(), format!("{scheme} {text}"))
            }
        };
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(text)) {
            headers.insert(name, value);
        }
    }
}
