//! Where requests have the credentials of a security scheme.

use std::fmt;

use serde_json::Value;

use crate::wire::Location;

/// How a security scheme sends its credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityScheme<'n> {
    /// In a header of this name.
    Header(&'n str),
    /// In the query, under this name.
    Query(&'n str),
    /// In a cookie of this name.
    Cookie(&'n str),
    /// In `Authorization`, after the name of an authentication scheme such as `Bearer` (RFC 9110, section 11.6.2).
    Authorization(&'n str),
}

impl<'n> SecurityScheme<'n> {
    /// HTTP Basic (RFC 7617): user and password.
    pub const BASIC: Self = Self::Authorization("Basic");
    /// A bearer token (RFC 6750), such as an access token of OAuth 2.0 or OpenID Connect.
    pub const BEARER: Self = Self::Authorization("Bearer");

    /// The scheme with this name of an authentication scheme, whose case has no meaning (RFC 9110, section 11.1).
    pub fn of_authentication_scheme(name: &'n str) -> Self {
        let mut known = [Self::BASIC, Self::BEARER].into_iter();
        let known = known.find(|it| {
            let known = it.authentication_scheme();
            known.is_some_and(|known| known.eq_ignore_ascii_case(name))
        });
        known.unwrap_or(Self::Authorization(name))
    }

    /// Reads an entry of `components/securitySchemes` without references. `None` if requests do not show its credentials, or
    /// if it is not valid.
    pub fn of_definition(definition: &'n Value) -> Option<Self> {
        let text = |key: &str| definition.get(key).and_then(Value::as_str);
        match text("type")? {
            "apiKey" => {
                let name = text("name")?;
                match text("in")? {
                    "header" => Some(Self::Header(name)),
                    "query" => Some(Self::Query(name)),
                    "cookie" => Some(Self::Cookie(name)),
                    _ => None,
                }
            }
            "http" => text("scheme").map(Self::of_authentication_scheme),
            "oauth2" | "openIdConnect" => Some(Self::BEARER),
            _ => None,
        }
    }

    /// The authentication scheme of `Authorization` that carries the credentials, such as `Bearer`; `None` if they are a
    /// key under a name of its own.
    pub const fn authentication_scheme(self) -> Option<&'n str> {
        match self {
            Self::Authorization(name) => Some(name),
            Self::Header(_) | Self::Query(_) | Self::Cookie(_) => None,
        }
    }

    /// The request header that holds the credentials; `None` if the query holds them.
    pub const fn header(self) -> Option<&'n str> {
        match self {
            Self::Header(name) => Some(name),
            Self::Query(_) => None,
            Self::Cookie(_) => Some("Cookie"),
            Self::Authorization(_) => Some("Authorization"),
        }
    }

    /// Whether the credentials are sent in the place of a parameter: some documents declare them as both.
    pub fn replaces(self, location: Location, name: &str) -> bool {
        match (self, location) {
            (Self::Header(header), Location::Header) => header.eq_ignore_ascii_case(name),
            (Self::Query(own), Location::Query) | (Self::Cookie(own), Location::Cookie) => {
                own == name
            }
            _ => false,
        }
    }

    /// What the credentials are, for people.
    pub fn describe(self) -> String {
        match self {
            Self::Header(name) => format!("the key in the header `{name}`"),
            Self::Query(name) => format!("the key in the query parameter `{name}`"),
            Self::Cookie(name) => format!("the key in the cookie `{name}`"),
            Self::BASIC => "user and password, as USER:PASSWORD".to_owned(),
            Self::Authorization(name) => format!("the token in `Authorization: {name} …`"),
        }
    }
}

/// The place of the credentials in a request, as a phrase.
impl fmt::Display for SecurityScheme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Header(name) => write!(f, "the {name} header"),
            Self::Query(name) => write!(f, "the query parameter {name}"),
            Self::Cookie(name) => write!(f, "the cookie {name}"),
            Self::BASIC => f.write_str("the Authorization header as user and password (Basic)"),
            Self::Authorization(name) => write!(f, "the Authorization header after {name:?}"),
        }
    }
}
