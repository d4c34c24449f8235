//! The security schemes of the document, and the methods of the client that set their credentials.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{ApiKeyLocation, Operation, SecuritySchemeKind, Spec, credential_variable};

use crate::names;
use crate::source::{docs, ident, length};

/// A security scheme of the document.
pub(super) struct Scheme {
    /// The name in the document.
    name: String,
    /// The client's method.
    pub(super) method: String,
    /// The method of the client's builder.
    pub(super) setting: String,
    /// The environment variable.
    pub(super) variable: String,
    description: String,
    kind: Kind,
}

enum Kind {
    ApiKey {
        location: ApiKeyLocation,
        name: String,
    },
    Basic,
    /// A token behind the name of an authentication scheme.
    Authorization(String),
}

/// The methods that every builder of a client has.
const SETTINGS: [&str; 10] = [
    "base_url",
    "build",
    "clock",
    "default",
    "env",
    "exchange_observer",
    "http_client",
    "observer",
    "retries",
    "timeout",
];

/// Reads the security schemes of the document. `taken` are the names of the client's methods, and `prefix` begins the names of
/// environment variables.
pub(super) fn read_schemes(spec: &Spec, taken: &mut HashSet<String>, prefix: &str) -> Vec<Scheme> {
    let mut settings: HashSet<String> = SETTINGS.map(str::to_owned).into();
    let schemes = spec.security_schemes.iter().map(|(name, scheme)| {
        let field = names::field_name(name).unwrap_or_else(|| "credentials".to_owned());
        let stem = field.trim_start_matches("r#");
        let setting = if settings.insert(field.clone()) {
            field.clone()
        } else {
            names::make_unique(format!("{stem}_credentials"), &mut settings)
        };
        Scheme {
            name: name.clone(),
            method: names::make_unique(format!("with_{stem}"), taken),
            setting,
            variable: credential_variable(prefix, name),
            description: scheme.description.clone().unwrap_or_default(),
            kind: read_kind(&scheme.kind),
        }
    });
    schemes.collect()
}

/// The alternatives of schemes that an operation requires, as positions among all schemes. Empty if it is public; if it
/// may be called anonymously, the last one is empty, so that credentials are sent if there are any.
pub(super) fn read_alternatives(spec: &Spec, operation: &Operation) -> Vec<Vec<usize>> {
    let position = |name: &String| spec.security_schemes.get_index_of(name);
    let alternatives = spec.security_of(operation).iter();
    let read = alternatives.filter_map(|of| of.schemes.keys().map(position).collect());
    let mut read: Vec<Vec<usize>> = read.collect();
    // Alternatives that differ in scopes only need the same credentials.
    let mut known = HashSet::new();
    read.retain(|schemes| known.insert(schemes.iter().copied().collect::<BTreeSet<usize>>()));
    read.sort_by_key(Vec::is_empty);
    if read.iter().all(Vec::is_empty) {
        Vec::new()
    } else {
        read
    }
}

fn read_kind(kind: &SecuritySchemeKind) -> Kind {
    match kind {
        SecuritySchemeKind::ApiKey { location, name } => Kind::ApiKey {
            location: *location,
            name: name.clone(),
        },
        SecuritySchemeKind::Http { scheme, .. } => match scheme.to_ascii_lowercase().as_str() {
            "basic" => Kind::Basic,
            "bearer" => Kind::Authorization("Bearer".to_owned()),
            _ => Kind::Authorization(scheme.clone()),
        },
        SecuritySchemeKind::OAuth2 { .. } | SecuritySchemeKind::OpenIdConnect { .. } => {
            Kind::Authorization("Bearer".to_owned())
        }
    }
}

/// What is generated for the credentials of a scheme.
struct Parts {
    /// What they are, for people.
    what: String,
    arguments: TokenStream,
    /// How they are sent.
    scheme: TokenStream,
    /// The call that sets them.
    set: TokenStream,
}

impl Scheme {
    fn write_parts(&self, position: usize) -> Parts {
        let position = length(position);
        let one = |what: String, name: &str, scheme: TokenStream| {
            let name = ident(name);
            Parts {
                what,
                arguments: quote!(#name: impl Into<String>),
                set: quote!(set(#position, #scheme, #name)),
                scheme,
            }
        };
        match &self.kind {
            Kind::Basic => Parts {
                what: "user and password (HTTP Basic, RFC 7617)".to_owned(),
                arguments: quote!(user: &str, password: &str),
                scheme: quote!(spec_client::SecurityScheme::Authorization("Basic")),
                set: quote!(set_basic(#position, user, password)),
            },
            Kind::ApiKey { location, name } => {
                let (place, variant) = match location {
                    ApiKeyLocation::Query => ("parameter of the query", "Query"),
                    ApiKeyLocation::Cookie => ("cookie", "Cookie"),
                    ApiKeyLocation::Header => ("header", "Header"),
                };
                let variant = ident(variant);
                one(
                    format!("the key in the {place} `{name}`"),
                    "key",
                    quote!(spec_client::SecurityScheme::#variant(#name)),
                )
            }
            Kind::Authorization(name) => one(
                format!("the token in `Authorization: {name} …`"),
                "token",
                quote!(spec_client::SecurityScheme::Authorization(#name)),
            ),
        }
    }

    /// The method of the client that sets the credentials.
    pub(super) fn write_method(&self, position: usize, has_sender: bool) -> TokenStream {
        let method = ident(&self.method);
        let Parts {
            what,
            arguments,
            set,
            ..
        } = self.write_parts(position);
        let docs = docs(&format!(
            "Sets the credentials of `{}`: {what}. Requests of operations that require it contain them.\n\n{}",
            self.name, self.description
        ));
        // A 429 concerned other credentials.
        let forget = has_sender.then(|| quote!(self.sender.forget_backoff();));
        quote! {
            #docs
            #[must_use]
            pub fn #method(mut self, #arguments) -> Self {
                self.credentials.#set;
                #forget
                self
            }
        }
    }

    /// The method of the builder that sets the credentials.
    pub(super) fn write_setting(&self, position: usize) -> TokenStream {
        let setting = ident(&self.setting);
        let Parts {
            what,
            arguments,
            set,
            ..
        } = self.write_parts(position);
        let docs = docs(&format!(
            "The credentials of `{}`: {what}.\n\n{}",
            self.name, self.description
        ));
        quote! {
            #docs
            pub fn #setting(mut self, #arguments) -> Self {
                self.settings.credentials.#set;
                self
            }
        }
    }

    /// The environment variable, and how its value is sent.
    pub(super) fn write_variable(&self, position: usize) -> TokenStream {
        let (variable, scheme) = (&self.variable, self.write_parts(position).scheme);
        quote!((#variable, #scheme))
    }
}
