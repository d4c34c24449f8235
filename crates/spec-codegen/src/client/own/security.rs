//! The security schemes of the document, and the methods of the client that set their credentials.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;
use spec_model::{Node, Operation, Spec};

use crate::names;
use crate::source::{docs, ident, length};

/// A security scheme of the document.
pub(super) struct Scheme {
    /// The name in the document.
    name: String,
    /// The client's method.
    method: String,
    description: String,
    kind: Kind,
}

enum Kind {
    /// An API key, in `Header`, `Query` or `Cookie`.
    ApiKey {
        variant: &'static str,
        name: String,
    },
    Basic,
    /// A token behind the name of an authentication scheme.
    Authorization(String),
}

/// Reads the security schemes that requests can satisfy. `taken` are the names of the client's methods.
pub(super) fn read_schemes(spec: &Spec, taken: &mut HashSet<String>) -> Vec<Scheme> {
    let schemes = spec.document.pointer("/components/securitySchemes");
    let schemes = schemes.and_then(Node::as_object).into_iter().flatten();
    let mut read = Vec::new();
    for (name, member) in schemes {
        let node = resolve(spec, &member.node);
        let Some(kind) = read_kind(node) else {
            continue;
        };
        let stem = names::field_name(name).unwrap_or_else(|| "credentials".to_owned());
        let stem = stem.trim_start_matches("r#");
        read.push(Scheme {
            name: name.clone(),
            method: names::make_unique(format!("with_{stem}"), taken),
            description: text(node, "description").unwrap_or_default(),
            kind,
        });
    }
    read
}

/// The alternatives of schemes that an operation requires, as positions among all schemes. Empty if it is public.
pub(super) fn read_alternatives(
    spec: &Spec,
    schemes: &[Scheme],
    operation: &Operation,
) -> Vec<Vec<usize>> {
    let position = |name: &String| schemes.iter().position(|scheme| scheme.name == *name);
    let alternatives = operation.security.as_ref().unwrap_or(&spec.security).iter();
    let read = alternatives.filter_map(|of| of.schemes.keys().map(position).collect());
    read.filter(|of: &Vec<usize>| !of.is_empty()).collect()
}

fn resolve<'s>(spec: &'s Spec, node: &'s Node) -> &'s Node {
    let target = node.get("$ref").and_then(Node::as_str);
    let target = target.and_then(|target| target.strip_prefix('#'));
    let found = target.and_then(|pointer| spec.document.pointer(pointer));
    found.unwrap_or(node)
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key).and_then(Node::as_str).map(str::to_owned)
}

fn read_kind(node: &Node) -> Option<Kind> {
    match text(node, "type")?.as_str() {
        "apiKey" => Some(Kind::ApiKey {
            variant: match text(node, "in")?.as_str() {
                "query" => "Query",
                "cookie" => "Cookie",
                _ => "Header",
            },
            name: text(node, "name")?,
        }),
        "http" => {
            let scheme = text(node, "scheme")?;
            Some(match scheme.to_ascii_lowercase().as_str() {
                "basic" => Kind::Basic,
                "bearer" => Kind::Authorization("Bearer".to_owned()),
                _ => Kind::Authorization(scheme),
            })
        }
        "oauth2" | "openIdConnect" => Some(Kind::Authorization("Bearer".to_owned())),
        _ => None,
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
        Kind::ApiKey { variant, name } => {
            let place = match *variant {
                "Query" => "parameter of the query",
                "Cookie" => "cookie",
                _ => "header",
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
