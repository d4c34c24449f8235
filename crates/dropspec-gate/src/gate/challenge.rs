//! What tells a client how to authenticate: the `WWW-Authenticate` headers of an operation (RFC 9110, section 11.6.1), and
//! where it expects credentials, as a phrase.

use dropspec_runtime::security::Denial;
use dropspec_runtime::{SchemeUse, SecurityScheme, SecuritySchemeInfo};
use http::HeaderValue;
use http::header::{AUTHORIZATION, HeaderMap};

use crate::auth::Unauthenticated;

/// The challenges for one target of requests.
#[derive(Debug)]
pub struct Challenges {
    /// Where credentials are expected, such as `the X-API-Key header`.
    pub places: String,
    /// For requests without credentials.
    missing: Vec<HeaderValue>,
    /// For requests with invalid credentials.
    invalid: Vec<HeaderValue>,
    /// For requests of identities that lack scopes; none unless a scheme has bearer tokens.
    insufficient: Vec<HeaderValue>,
}

/// Why a client has to authenticate, or has to do so with more scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The request has no credentials.
    Missing,
    /// The header `Authorization` is not valid.
    Invalid,
    /// The identity lacks scopes.
    InsufficientScope,
}

impl Challenges {
    /// Writes the challenges for alternatives of schemes. `realm` is the name of the service.
    pub fn new<'a>(
        realm: &str,
        schemes: &[SecuritySchemeInfo],
        alternatives: impl IntoIterator<Item = &'a [SchemeUse]>,
    ) -> Challenges {
        let mut challenges = Challenges {
            places: String::new(),
            missing: Vec::new(),
            invalid: Vec::new(),
            insufficient: Vec::new(),
        };
        let mut phrases: Vec<String> = Vec::new();
        for uses in alternatives {
            let mut places: Vec<String> = Vec::new();
            for used in uses {
                let kind = schemes[used.scheme].kind;
                add_once(&mut places, kind.to_string());
                challenges.add(realm, kind, used.scopes);
            }
            // Nobody lacks credentials for an alternative without schemes.
            if !places.is_empty() {
                add_once(&mut phrases, places.join(" and "));
            }
        }
        challenges.places = phrases.join(", or ");
        challenges
    }

    fn add(&mut self, realm: &str, kind: SecurityScheme<'_>, scopes: &[&str]) {
        let challenge = write_challenge(realm, kind);
        add_header(&mut self.missing, challenge.clone());
        if kind.authentication_scheme() != Some("Bearer") {
            add_header(&mut self.invalid, challenge);
            return;
        }
        // The errors of RFC 6750, section 3.1.
        let scopes = scopes.join(" ");
        let error = format!("{challenge}, error=\"insufficient_scope\", scope=\"{scopes}\"");
        add_header(&mut self.insufficient, error);
        add_header(
            &mut self.invalid,
            format!("{challenge}, error=\"invalid_token\""),
        );
    }

    /// The values of `WWW-Authenticate` in the 401 or 403 response to a request.
    pub fn select(&self, reason: Reason) -> &[HeaderValue] {
        match reason {
            Reason::Missing => &self.missing,
            Reason::Invalid => &self.invalid,
            Reason::InsufficientScope => &self.insufficient,
        }
    }
}

impl Reason {
    /// The reason of a refused request. Only what was sent in `Authorization` is an invalid token.
    pub fn of_denial(denial: &Denial<Unauthenticated>, headers: &HeaderMap) -> Reason {
        match denial {
            Denial::InsufficientScope(_) => Reason::InsufficientScope,
            Denial::Malformed | Denial::Refused(_) if headers.contains_key(AUTHORIZATION) => {
                Reason::Invalid
            }
            Denial::Missing | Denial::Malformed | Denial::Refused(_) => Reason::Missing,
        }
    }
}

/// No authentication scheme is registered for keys under names of their own: they have the scheme `ApiKey`.
fn write_challenge(realm: &str, kind: SecurityScheme<'_>) -> String {
    let (location, name) = match kind {
        SecurityScheme::Header(name) => ("header", name),
        SecurityScheme::Query(name) => ("query", name),
        SecurityScheme::Cookie(name) => ("cookie", name),
        SecurityScheme::BASIC => return format!("Basic realm=\"{realm}\", charset=\"UTF-8\""),
        SecurityScheme::Authorization(scheme) => return format!("{scheme} realm=\"{realm}\""),
    };
    let name = name.replace(['"', '\\'], "");
    format!("ApiKey {location}=\"{name}\"")
}

/// Adds a text once: several schemes may read one place.
fn add_once(texts: &mut Vec<String>, text: String) {
    if !texts.contains(&text) {
        texts.push(text);
    }
}

/// Adds a challenge once. If it holds a name of the document that no header can contain, there is none.
fn add_header(challenges: &mut Vec<HeaderValue>, text: String) {
    if let Ok(challenge) = HeaderValue::try_from(text)
        && !challenges.contains(&challenge)
    {
        challenges.push(challenge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_credentials_are_named_once() {
        let scheme = |kind| SecuritySchemeInfo { name: "", kind };
        let schemes = [
            SecurityScheme::BEARER,
            SecurityScheme::BEARER,
            SecurityScheme::Header("X-Key"),
            SecurityScheme::BEARER,
        ]
        .map(scheme);
        let places = |alternatives: &[&[usize]]| {
            let uses = |indices: &&[usize]| -> Vec<SchemeUse> {
                let indices = indices.iter();
                indices.map(|index| SchemeUse::new(*index, &[])).collect()
            };
            let alternatives: Vec<Vec<SchemeUse>> = alternatives.iter().map(uses).collect();
            Challenges::new("a", &schemes, alternatives.iter().map(Vec::as_slice)).places
        };
        let bearer = "the Authorization header after \"Bearer\"";
        assert_eq!(places(&[&[0], &[1], &[0], &[3]]), bearer);
        assert_eq!(places(&[&[0, 1], &[]]), bearer);
        assert_eq!(
            places(&[&[0, 1, 2], &[2], &[1, 2]]),
            format!("{bearer} and the X-Key header, or the X-Key header")
        );
    }
}
