//! Credentials: what a request shows for each security scheme.

use serde_json::Value;

use super::Request;
use super::message::header;

/// Where a credential stands.
pub(super) enum Credential<'d> {
    Header(&'d str, &'static str),
    Query(&'d str),
    Cookie(&'d str),
}

/// The credential of a scheme; `None` if a request does not show it.
pub(super) fn credential(scheme: &Value) -> Option<Credential<'_>> {
    let name = || scheme["name"].as_str();
    match scheme["type"].as_str()? {
        "apiKey" => match scheme["in"].as_str()? {
            "header" => Some(Credential::Header(name()?, "key")),
            "query" => Some(Credential::Query(name()?)),
            "cookie" => Some(Credential::Cookie(name()?)),
            _ => None,
        },
        "http" => match scheme["scheme"].as_str()?.to_ascii_lowercase().as_str() {
            "basic" => Some(Credential::Header(
                "Authorization",
                "Basic dXNlcjpzZWNyZXQ=",
            )),
            "bearer" => Some(Credential::Header("Authorization", "Bearer token")),
            _ => None,
        },
        "oauth2" | "openIdConnect" => Some(Credential::Header("Authorization", "Bearer token")),
        _ => None,
    }
}

impl Credential<'_> {
    /// Whether a request has it.
    pub(super) fn is_in(&self, request: &Request) -> bool {
        match self {
            Credential::Header(name, value) => {
                let kind = value.split_once(' ').map_or("", |(kind, _)| kind);
                header(&request.headers, name).is_some_and(|found| found.starts_with(kind))
            }
            Credential::Query(name) => request.query().iter().any(|(found, _)| found == name),
            Credential::Cookie(name) => request.cookies().iter().any(|(found, _)| found == name),
        }
    }
}
