//! Who may call: security schemes, and the requirements that name them.

use indexmap::IndexMap;
use spec_schema::pointer;

use crate::document::Object;
use crate::fields::Fields;
use crate::reader::{Cursor, Place, Reader, Spanned};

/// An entry of `components/securitySchemes`.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityScheme {
    /// Where it stands.
    pub at: Place,
    /// `type`, with what belongs to it.
    pub kind: SecuritySchemeKind,
    /// `description`
    pub description: Option<String>,
    /// `x-…`
    pub extensions: Object,
}

/// The four types of security schemes.
#[derive(Debug, Clone, PartialEq)]
pub enum SecuritySchemeKind {
    /// `apiKey`
    ApiKey {
        /// The name of the header, query parameter or cookie.
        name: String,
        /// Which of them it is.
        location: ApiKeyLocation,
    },
    /// `http`
    Http {
        /// The authentication scheme, such as `bearer`.
        scheme: String,
        /// `bearerFormat`
        bearer_format: Option<String>,
    },
    /// `oauth2`, its flows by name (`implicit`, `password`, `clientCredentials`, `authorizationCode`).
    OAuth2(IndexMap<String, OAuthFlow>),
    /// `openIdConnect`
    OpenIdConnect {
        /// `openIdConnectUrl`
        url: String,
    },
}

/// Where an API key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApiKeyLocation {
    /// `query`
    Query,
    /// `header`
    Header,
    /// `cookie`
    Cookie,
}

/// A flow of OAuth 2 (RFC 6749).
#[derive(Debug, Clone, PartialEq)]
pub struct OAuthFlow {
    /// Where it stands.
    pub at: Place,
    /// `authorizationUrl`
    pub authorization_url: Option<String>,
    /// `tokenUrl`
    pub token_url: Option<String>,
    /// `refreshUrl`
    pub refresh_url: Option<String>,
    /// Scopes with their descriptions.
    pub scopes: IndexMap<String, Spanned<String>>,
    /// `x-…`
    pub extensions: Object,
}

/// Schemes that must all be satisfied; empty: none is needed.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityRequirement {
    /// Where it stands.
    pub at: Place,
    /// Scheme names with the scopes needed.
    pub schemes: IndexMap<String, Vec<Spanned<String>>>,
}

impl Fields<'_, '_> {
    /// The field `security`: alternatives, of which one must be satisfied. Absent is not the same as empty.
    pub(crate) fn security(&mut self) -> Option<Vec<SecurityRequirement>> {
        let reader = self.reader;
        self.take("security")?;
        let alternatives = self.list("security").into_iter();
        Some(
            alternatives
                .filter_map(|item| reader.security_requirement(item))
                .collect(),
        )
    }
}

impl<'d> Reader<'d> {
    fn security_requirement(&self, cursor: Cursor<'d>) -> Option<SecurityRequirement> {
        let at = cursor.place();
        self.fields(cursor.clone(), "a security requirement")?;
        let schemes = cursor.members().map(|(name, scopes)| {
            let pointer = pointer::join("/components/securitySchemes", name);
            if self.document.pointer(&pointer).is_none() {
                let message = format!("the security scheme `{name}` is not declared");
                let help = "declare it under `components/securitySchemes`";
                self.mistake(&scopes.place(), message, help);
            }
            (name.to_owned(), self.scopes(&scopes))
        });
        Some(SecurityRequirement {
            at,
            schemes: schemes.collect(),
        })
    }

    fn scopes(&self, cursor: &Cursor<'d>) -> Vec<Spanned<String>> {
        if cursor.node.as_array().is_none() {
            let message = format!("expected an array of scopes, found {}", cursor.node.kind());
            self.error(&cursor.place(), message);
        }
        cursor.items().filter_map(|item| self.text(item)).collect()
    }

    /// An entry of `components/securitySchemes`.
    pub(crate) fn security_scheme(&self, cursor: Cursor<'d>) -> Option<SecurityScheme> {
        let cursor = self.resolve(cursor, "securitySchemes")?.cursor;
        let mut fields = self.fields(cursor, "a security scheme")?;
        Some(SecurityScheme {
            at: fields.at.clone(),
            kind: self.security_scheme_kind(&mut fields)?,
            description: fields.string("description"),
            extensions: fields.extensions(),
        })
    }

    fn security_scheme_kind(&self, fields: &mut Fields<'_, 'd>) -> Option<SecuritySchemeKind> {
        let kind = fields.required_string("type", "a security scheme");
        match kind.as_str() {
            "apiKey" => Some(SecuritySchemeKind::ApiKey {
                name: fields.required_string("name", "an API key"),
                location: self.api_key_location(fields)?,
            }),
            "http" => Some(SecuritySchemeKind::Http {
                scheme: fields.expected_string("scheme", "HTTP security"),
                bearer_format: fields.string("bearerFormat"),
            }),
            "oauth2" => Some(SecuritySchemeKind::OAuth2(self.oauth_flows(fields))),
            "openIdConnect" => Some(SecuritySchemeKind::OpenIdConnect {
                url: fields.expected_string("openIdConnectUrl", "OpenID Connect"),
            }),
            // A missing type has been reported.
            "" => None,
            other => {
                let message = format!("`{other}` is not a type of security scheme");
                let help = "write one of apiKey, http, oauth2, openIdConnect";
                self.error_with_help(&fields.place_of("type"), message, help);
                None
            }
        }
    }

    fn api_key_location(&self, fields: &mut Fields<'_, 'd>) -> Option<ApiKeyLocation> {
        match fields.required_string("in", "an API key").as_str() {
            "query" => Some(ApiKeyLocation::Query),
            "header" => Some(ApiKeyLocation::Header),
            "cookie" => Some(ApiKeyLocation::Cookie),
            "" => None,
            other => {
                let message = format!("an API key cannot be sent in `{other}`");
                self.error_with_help(
                    &fields.place_of("in"),
                    message,
                    "write one of query, header, cookie",
                );
                None
            }
        }
    }

    fn oauth_flows(&self, fields: &mut Fields<'_, 'd>) -> IndexMap<String, OAuthFlow> {
        let Some(flows) = fields.take("flows") else {
            self.error(&fields.at, "OAuth 2 needs `flows`");
            return IndexMap::new();
        };
        let Some(mut flows) = self.fields(flows, "the flows") else {
            return IndexMap::new();
        };
        let names = [
            "implicit",
            "password",
            "clientCredentials",
            "authorizationCode",
        ];
        let read = names.into_iter().filter_map(|name| {
            let flow = flows.take(name)?;
            Some((name.to_owned(), self.oauth_flow(flow)?))
        });
        let read = read.collect();
        flows.finish();
        read
    }

    fn oauth_flow(&self, cursor: Cursor<'d>) -> Option<OAuthFlow> {
        let mut fields = self.fields(cursor, "an OAuth flow")?;
        Some(OAuthFlow {
            at: fields.at.clone(),
            authorization_url: fields.string("authorizationUrl"),
            token_url: fields.string("tokenUrl"),
            refresh_url: fields.string("refreshUrl"),
            scopes: fields.read_map("scopes", Reader::text),
            extensions: fields.extensions(),
        })
    }
}
