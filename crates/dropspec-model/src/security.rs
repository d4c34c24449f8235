//! Security schemes and security requirements.

use dropspec_schema::header::is_of_token;
use dropspec_schema::{SecurityScheme as Sent, pointer};
use indexmap::{IndexMap, IndexSet};

use crate::element::element;
use crate::fields::{Fields, Read};
use crate::named_enum::named_enum;
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

element! {
    /// An entry of `components/securitySchemes`.
    SecurityScheme is "a security scheme" of "securitySchemes" {
        description: Option<String> = "description",
        deprecated: bool = "deprecated",
        /// With what it needs: how requests prove who sends them.
        kind: SecuritySchemeKind = "type" by read_kind,
    }
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

named_enum! {
    /// Where an API key is sent.
    ApiKeyLocation {
        Query = "query",
        Header = "header",
        Cookie = "cookie",
    }
}

impl SecuritySchemeKind {
    /// How requests have the credentials.
    pub fn sent(&self) -> Sent<'_> {
        match self {
            SecuritySchemeKind::ApiKey { location, name } => match location {
                ApiKeyLocation::Query => Sent::Query(name),
                ApiKeyLocation::Header => Sent::Header(name),
                ApiKeyLocation::Cookie => Sent::Cookie(name),
            },
            SecuritySchemeKind::Http { scheme, .. } => Sent::of_authentication_scheme(scheme),
            SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => {
                Sent::BEARER
            }
        }
    }
}

impl Read for SecurityRequirement {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let fields = reader.open(cursor, "a security requirement", None)?;
        let schemes = fields.object.members().map(|(name, scopes)| {
            let pointer = pointer::join("/components/securitySchemes", name);
            if reader.document.pointer(&pointer).is_none() {
                let message = format!("the security scheme `{name}` is not declared");
                let suggested = reader.suggestions.find(&pointer, || {
                    let declared = reader.document.pointer("/components/securitySchemes");
                    let declared = declared.and_then(Node::as_object).into_iter().flatten();
                    did_you_mean(name, declared.map(|(name, _)| name.as_str()))
                });
                let help = format!("{suggested}declare it under `components/securitySchemes`");
                reader.report(&scopes.place(), message, help);
            }
            let scopes = Vec::read(reader, scopes);
            (name.to_owned(), scopes.unwrap_or_default())
        });
        let schemes = schemes.collect();
        Some(SecurityRequirement {
            at: fields.at,
            schemes,
        })
    }
}

fn read_kind(fields: &Fields<'_, '_>) -> Option<SecuritySchemeKind> {
    let text = fields.read_required("type", fields.title);
    let is_newer = fields.reader.document.uses_json_schema();
    let kind = match text.as_str() {
        "apiKey" => {
            let location = read_api_key_location(fields);
            let (what, is_allowed): (_, fn(char) -> bool) = match location {
                Some(ApiKeyLocation::Header) => ("a header", is_of_token),
                Some(ApiKeyLocation::Cookie) => ("a cookie", is_of_token),
                // Of the query, any name can be encoded.
                Some(ApiKeyLocation::Query) | None => ("a query parameter", |_| true),
            };
            let name = fields.read_required_name("name", "an API key", what, is_allowed);
            let location = location?;
            SecuritySchemeKind::ApiKey { location, name }
        }
        "http" => {
            let what = "an authentication scheme";
            let scheme = fields.read_required_name("scheme", "HTTP security", what, is_of_token);
            let bearer_format = fields.read("bearerFormat")?;
            SecuritySchemeKind::Http {
                scheme,
                bearer_format,
            }
        }
        "oauth2" => SecuritySchemeKind::OAuth2 {
            scopes: read_scopes(fields),
        },
        "openIdConnect" => SecuritySchemeKind::OpenIdConnect {
            url: fields.read_required("openIdConnectUrl", "OpenID Connect"),
        },
        // Since OpenAPI 3.1: the credentials are not in the request.
        "mutualTLS" if is_newer => SecuritySchemeKind::Http {
            scheme: "mutualTLS".to_owned(),
            bearer_format: None,
        },
        // A missing type has been reported.
        "" => return None,
        other => {
            let message = format!("`{other}` is not a type of security scheme");
            let help = write_one_of(other, &["apiKey", "http", "oauth2", "openIdConnect"]);
            fields.report_at("type", message, help);
            return None;
        }
    };
    Some(kind)
}

fn read_api_key_location(fields: &Fields<'_, '_>) -> Option<ApiKeyLocation> {
    let text = fields.read_required("in", "an API key");
    let location = ApiKeyLocation::parse(&text);
    // A missing one has been reported.
    if location.is_none() && !text.is_empty() {
        let message = format!("an API key cannot be sent in `{text}`");
        fields.report_at("in", message, write_one_of(&text, ApiKeyLocation::NAMES));
    }
    location
}

/// The scopes of all flows of an OAuth 2 scheme.
fn read_scopes(fields: &Fields<'_, '_>) -> IndexSet<String> {
    let reader = fields.reader;
    let Some(flows) = fields.get("flows") else {
        fields.report("OAuth 2 needs `flows`", "");
        return IndexSet::new();
    };
    let flows = reader.open(flows, "the flows", None);
    let names = [
        "implicit",
        "password",
        "clientCredentials",
        "authorizationCode",
        "deviceAuthorization",
    ];
    let flows = flows
        .iter()
        .flat_map(|flows| names.map(|name| flows.get(name)));
    let flows = flows.flatten();
    let scopes = flows.filter_map(|flow| {
        let flow = reader.open(flow, "an OAuth flow", None)?;
        for url in [
            "authorizationUrl",
            "deviceAuthorizationUrl",
            "tokenUrl",
            "refreshUrl",
        ] {
            flow.read::<Option<String>>(url);
        }
        flow.read::<IndexMap<String, String>>("scopes")
    });
    scopes.flat_map(IndexMap::into_keys).collect()
}
