//! The security schemes of the document, and the methods of the client that set their credentials.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{ApiKeyLocation, Operation, SecuritySchemeKind, Spec};

use crate::names;
use crate::source::{docs, ident, length};

/// A security scheme of the document.
pub(super) struct Scheme {
    /// The name in the document.
    name: String,
    /// The client's method.
    pub(super) method: String,
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

/// Reads the security schemes of the document. `taken` are the names of the client's methods.
pub(super) fn read_schemes(spec: &Spec, taken: &mut HashSet<String>) -> Vec<Scheme> {
    let schemes = spec.security_schemes.iter().map(|(name, scheme)| {
        let stem = names::field_name(name).unwrap_or_else(|| "credentials".to_owned());
        let stem = stem.trim_start_matches("r#");
        Scheme {
            name: name.clone(),
            method: names::make_unique(format!("with_{stem}"), taken),
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
    match read.iter().all(Vec::is_empty) {
        true => Vec::new(),
        false => read,
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

/// Writes the method of the client that sets the credentials of a scheme.
pub(super) fn write_method(position: usize, scheme: &Scheme) -> TokenStream {
    let position = length(position);
    let method = ident(&scheme.method);
    let (what, arguments, set) = match &scheme.kind {
        Kind::Basic => (
            "user and password (HTTP Basic, RFC 7617)".to_owned(),
            quote!(user: &str, password: &str),
            quote!(set_basic(#position, user, password)),
        ),
        Kind::ApiKey { location, name } => {
            let (place, variant) = match location {
                ApiKeyLocation::Query => ("parameter of the query", "Query"),
                ApiKeyLocation::Cookie => ("cookie", "Cookie"),
                ApiKeyLocation::Header => ("header", "Header"),
            };
            let variant = ident(variant);
            (
                format!("the key in the {place} `{name}`"),
                quote!(key: impl Into<String>),
                quote!(set(#position, spec_client::SecurityScheme::#variant(#name), key)),
            )
        }
        Kind::Authorization(name) => (
            format!("the token in `Authorization: {name} …`"),
            quote!(token: impl Into<String>),
            quote!(set(#position, spec_client::SecurityScheme::Authorization(#name), token)),
        ),
    };
    let docs = docs(&format!(
        "Sets the credentials of `{}`: {what}. Requests of operations that require it contain them.\n\n{}",
        scheme.name, scheme.description
    ));
    quote! {
        #docs
        #[must_use]
        pub fn #method(mut self, #arguments) -> Self {
            self.credentials.#set;
            self
        }
    }
}
