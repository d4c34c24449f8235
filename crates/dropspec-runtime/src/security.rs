//! The security of an interface: the schemes that its document declares, what each operation requires of them, and the
//! check of a request, which alone permits to dispatch it.

mod authorize;
mod credentials;
mod identities;
#[cfg(test)]
mod tests;
mod verify;

use std::fmt;

pub use self::authorize::{Authorization, Security};
pub use self::credentials::Credentials;
pub use self::identities::Identities;
pub use self::verify::{Denial, Permit, Verified, Verify};

/// A security scheme of the document: a way in which requests prove who sends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecuritySchemeInfo {
    /// Its name in `components/securitySchemes`.
    pub name: &'static str,
    /// How credentials are sent.
    pub kind: SecuritySchemeKind,
}

/// How the credentials of a security scheme are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecuritySchemeKind {
    /// A key under a name.
    ApiKey {
        /// Where the key is sent.
        location: ApiKeyLocation,
        /// The name of the header, query parameter or cookie.
        name: &'static str,
    },
    /// User and password: HTTP Basic (RFC 7617).
    Basic,
    /// A bearer token (RFC 6750).
    Bearer,
    /// Any other authentication scheme of the header `Authorization`.
    Http {
        /// The name of the authentication scheme.
        scheme: &'static str,
    },
    /// An access token of OAuth 2.0, sent as a bearer token.
    OAuth2,
    /// A token of OpenID Connect, sent as a bearer token.
    OpenIdConnect,
}

/// Where an API key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyLocation {
    /// In a header.
    Header,
    /// In a parameter of the query.
    Query,
    /// In a cookie.
    Cookie,
}

/// A scheme that an operation requires, and the scopes that the identity must have been granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeUse {
    /// The index of the scheme in [`Interface::security_schemes`](crate::Interface::security_schemes).
    pub scheme: usize,
    /// The scopes, all of which are needed.
    pub scopes: &'static [&'static str],
}

impl SchemeUse {
    /// A use of the scheme with this index, with these scopes.
    pub const fn new(scheme: usize, scopes: &'static [&'static str]) -> Self {
        Self { scheme, scopes }
    }
}

impl SecuritySchemeKind {
    /// The authentication scheme of `Authorization` that carries the credentials, such as `Bearer`; `None` if they are a
    /// key under a name of its own.
    pub const fn authentication_scheme(self) -> Option<&'static str> {
        match self {
            Self::ApiKey { .. } => None,
            Self::Basic => Some("Basic"),
            Self::Http { scheme } => Some(scheme),
            Self::Bearer | Self::OAuth2 | Self::OpenIdConnect => Some("Bearer"),
        }
    }

    /// The request header that holds the credentials; `None` if the query holds them.
    pub const fn header(self) -> Option<&'static str> {
        match self {
            Self::ApiKey { location, name } => match location {
                ApiKeyLocation::Header => Some(name),
                ApiKeyLocation::Query => None,
                ApiKeyLocation::Cookie => Some("Cookie"),
            },
            _ => Some("Authorization"),
        }
    }
}

/// The place of the credentials in a request, as a phrase.
impl fmt::Display for SecuritySchemeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApiKey { location, name } => match location {
                ApiKeyLocation::Header => write!(f, "the {name} header"),
                ApiKeyLocation::Query => write!(f, "the query parameter {name}"),
                ApiKeyLocation::Cookie => write!(f, "the cookie {name}"),
            },
            Self::Basic => f.write_str("the Authorization header as user and password (Basic)"),
            Self::Bearer | Self::OAuth2 | Self::OpenIdConnect => {
                f.write_str("the Authorization header after \"Bearer\"")
            }
            Self::Http { scheme } => write!(f, "the Authorization header after {scheme:?}"),
        }
    }
}
