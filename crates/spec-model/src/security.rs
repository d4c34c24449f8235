//! Security schemes, security requirements and servers.

use indexmap::{IndexMap, IndexSet};
use spec_schema::header::is_of_token;
use spec_schema::pointer;

use crate::fields::Fields;
use crate::node::Node;
use crate::reader::{Cursor, Located, Place, Reader};
use crate::suggestion::{did_you_mean, write_one_of};

/// One alternative of `security`: schemes that must all be satisfied. Without schemes, requests may be anonymous.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityRequirement {
    /// The place of the requirement.
    pub at: Place,
    /// Scheme names with the scopes needed.
    pub schemes: IndexMap<String, Vec<Located<String>>>,
}

/// An entry of `components/securitySchemes`.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityScheme {
    /// The place of the scheme, after `$ref`s were followed.
    pub at: Place,
    /// How requests prove who sends them.
    pub kind: SecuritySchemeKind,
    /// `description`
    pub description: Option<String>,
}

/// The `type` of a security scheme, with what it needs.
#[derive(Debug, Clone, PartialEq)]
pub enum SecuritySchemeKind {
    /// `apiKey`: a key under a name.
    ApiKey {
        /// Where the key is sent.
        location: ApiKeyLocation,
        /// The name of the header, query parameter or cookie.
        name: String,
    },
    /// `http`: the header `Authorization`.
    Http {
        /// The name of the authentication scheme, as the document writes it. Its case has no meaning (RFC 9110, section
        /// 11.1).
        scheme: String,
        /// `bearerFormat`
        bearer_format: Option<String>,
    },
    /// `oauth2`
    OAuth2 {
        /// The scopes of all flows.
        scopes: IndexSet<String>,
    },
    /// `openIdConnect`
    OpenIdConnect {
        /// `openIdConnectUrl`
        url: String,
    },
}

/// Where an API key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiKeyLocation {
    /// In a header.
    Header,
    /// In a parameter of the query.
    Query,
    /// In a cookie.
    Cookie,
}

impl Fields<'_, '_> {
    /// Reads the field `security`: alternatives, one of which must be satisfied. `None` if it is absent.
    pub(crate) fn read_security(&self) -> Option<Vec<SecurityRequirement>> {
        let reader = self.reader;
        self.get("security")?;
        let alternatives = self.get_array("security").into_iter();
        let read = alternatives.filter_map(|item| reader.read_security_requirement(item));
        Some(read.collect())
    }

    /// Checks the field `servers`. Returns the place of each server.
    pub(crate) fn read_servers(&self) -> Vec<Place> {
        let reader = self.reader;
        let items = self.get_array("servers").into_iter();
        items.filter_map(|item| reader.read_server(item)).collect()
    }
}

impl<'d> Reader<'d> {
    fn read_security_requirement(&self, cursor: Cursor<'d>) -> Option<SecurityRequirement> {
        self.expect_members(&cursor, "a security requirement")?;
        let schemes = cursor.members().map(|(name, scopes)| {
            let pointer = pointer::join("/components/securitySchemes", name);
            if self.document.pointer(&pointer).is_none() {
                let message = format!("the security scheme `{name}` is not declared");
                let declared = self.document.pointer("/components/securitySchemes");
                let declared = declared.and_then(Node::as_object).into_iter().flatten();
                let suggested = did_you_mean(name, declared.map(|(name, _)| name.as_str()));
                let help = format!("{suggested}declare it under `components/securitySchemes`");
                self.refuse(&scopes, message, help);
            }
            (name.to_owned(), self.read_scopes(&scopes))
        });
        let schemes = schemes.collect();
        Some(SecurityRequirement {
            at: cursor.place(),
            schemes,
        })
    }

    fn read_scopes(&self, cursor: &Cursor<'d>) -> Vec<Located<String>> {
        if cursor.node.as_array().is_none() {
            let message = format!("expected an array of scopes, found {}", cursor.node.kind());
            self.report_error(&cursor.place(), message);
        }
        cursor
            .items()
            .filter_map(|item| self.read_string(item))
            .collect()
    }

    /// Reads an entry of `components/securitySchemes`.
    pub(crate) fn read_security_scheme(&self, cursor: Cursor<'d>) -> Option<SecurityScheme> {
        let cursor = self.resolve(cursor, "securitySchemes")?.cursor;
        let fields = self.expect_object(cursor, "a security scheme")?;
        let scheme_type = fields.read_required_string("type", "a security scheme");
        let kind = match scheme_type.as_str() {
            "apiKey" => {
                let location = self.read_api_key_location(&fields);
                let (what, is_allowed): (_, fn(char) -> bool) = match location {
                    Some(ApiKeyLocation::Header) => ("a header", is_of_token),
                    Some(ApiKeyLocation::Cookie) => ("a cookie", is_of_token),
                    // Of the query, any name can be encoded.
                    Some(ApiKeyLocation::Query) | None => ("a query parameter", |_| true),
                };
                let name = fields.read_required_name("name", "an API key", what, is_allowed);
                location.map(|location| SecuritySchemeKind::ApiKey { location, name })
            }
            "http" => Some(SecuritySchemeKind::Http {
                scheme: fields.read_required_name(
                    "scheme",
                    "HTTP security",
                    "an authentication scheme",
                    is_of_token,
                ),
                bearer_format: fields.read_string("bearerFormat"),
            }),
            "oauth2" => Some(SecuritySchemeKind::OAuth2 {
                scopes: self.read_oauth_scopes(&fields),
            }),
            "openIdConnect" => Some(SecuritySchemeKind::OpenIdConnect {
                url: fields.read_required_string("openIdConnectUrl", "OpenID Connect"),
            }),
            // Of OpenAPI 3.1: the credentials are not in the request.
            "mutualTLS" if self.document.uses_json_schema() => Some(SecuritySchemeKind::Http {
                scheme: "mutualTLS".to_owned(),
                bearer_format: None,
            }),
            // A missing type has been reported.
            "" => None,
            other => {
                let message = format!("`{other}` is not a type of security scheme");
                let help = write_one_of(other, &["apiKey", "http", "oauth2", "openIdConnect"]);
                self.report_error_with_help(&fields.field_place("type"), message, help);
                None
            }
        };
        Some(SecurityScheme {
            at: fields.at.clone(),
            description: fields.read_string("description"),
            kind: kind?,
        })
    }

    fn read_api_key_location(&self, fields: &Fields<'_, 'd>) -> Option<ApiKeyLocation> {
        match fields.read_required_string("in", "an API key").as_str() {
            "header" => Some(ApiKeyLocation::Header),
            "query" => Some(ApiKeyLocation::Query),
            "cookie" => Some(ApiKeyLocation::Cookie),
            // A missing location has been reported.
            "" => None,
            other => {
                let message = format!("an API key cannot be sent in `{other}`");
                let help = write_one_of(other, &["query", "header", "cookie"]);
                self.report_error_with_help(&fields.field_place("in"), message, help);
                None
            }
        }
    }

    /// The scopes of all flows of an OAuth 2 scheme.
    fn read_oauth_scopes(&self, fields: &Fields<'_, 'd>) -> IndexSet<String> {
        let mut scopes = IndexSet::new();
        let Some(flows) = fields.get("flows") else {
            self.report_error(&fields.at, "OAuth 2 needs `flows`");
            return scopes;
        };
        let Some(flows) = self.expect_object(flows, "the flows") else {
            return scopes;
        };
        for name in [
            "implicit",
            "password",
            "clientCredentials",
            "authorizationCode",
        ] {
            let flow = flows.get(name);
            if let Some(fields) = flow.and_then(|flow| self.expect_object(flow, "an OAuth flow")) {
                fields.check_strings(&["authorizationUrl", "tokenUrl", "refreshUrl"]);
                let declared = fields.read_map("scopes", Reader::read_string);
                scopes.extend(declared.into_keys());
            }
        }
        scopes
    }

    fn read_server(&self, cursor: Cursor<'d>) -> Option<Place> {
        let fields = self.expect_object(cursor, "a server")?;
        fields.check_strings(&["description"]);
        fields.read_map("variables", |reader, cursor| {
            let fields = reader.expect_object(cursor, "a server variable")?;
            fields.read_required_string("default", "a server variable");
            fields.read_strings("enum");
            fields.check_strings(&["description"]);
            Some(())
        });
        fields.read_required_string("url", "a server");
        Some(fields.at.clone())
    }
}
