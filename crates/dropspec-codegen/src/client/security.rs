//! The security schemes of the document, and the methods of the client that set their credentials.

use std::collections::{BTreeSet, HashSet};

use dropspec_model::{Spec, credential_variables};
use dropspec_schema::SecurityScheme;
use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Operation;
use crate::names;
use crate::names::with_suffix;
use crate::security::write_scheme;
use crate::source::{docs, ident, length};

/// A security scheme of the document.
pub struct Scheme {
    /// The client's method.
    pub method: String,
    /// The method of the client's builder.
    setting: String,
    /// The environment variable.
    pub variable: String,
    /// The name of the scheme and what its credentials are, for people.
    about: String,
    description: String,
    /// The arguments of the methods that set the credentials.
    arguments: TokenStream,
    /// How they are sent.
    kind: TokenStream,
    /// The call that sets them.
    set: TokenStream,
}

/// The methods that every builder of a client has.
const SETTINGS: [&str; 11] = [
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
    "with_required_credentials",
];

/// Reads the security schemes of the document. `taken` are the names of the client's methods, and `prefix` begins the names of
/// environment variables.
pub fn read_schemes(spec: &Spec, taken: &mut HashSet<String>, prefix: &str) -> Vec<Scheme> {
    let mut settings = names::reserve(&SETTINGS);
    let keys = spec.security_schemes.keys().map(String::as_str);
    let variables = credential_variables(prefix, keys);
    let schemes = spec.security_schemes.iter().enumerate().zip(variables);
    let schemes = schemes.map(|((position, (name, scheme)), variable)| {
        let field = names::field_name(name).unwrap_or_else(|| "credentials".to_owned());
        let stem = field.trim_start_matches("r#");
        let sent = scheme.kind.sent();
        let kind = write_scheme("dropspec_client", sent);
        let position = length(position);
        let (arguments, set, what) = if sent == SecurityScheme::BASIC {
            (
                quote!(user: &str, password: &str),
                quote!(set_basic(#position, user, password)),
                "user and password (HTTP Basic, RFC 7617)".to_owned(),
            )
        } else {
            let is_token = sent.authentication_scheme().is_some();
            let argument = ident(if is_token { "token" } else { "key" });
            (
                quote!(#argument: impl Into<String>),
                quote!(set(#position, #kind, #argument)),
                sent.describe(),
            )
        };
        Scheme {
            method: names::make_unique(format!("with_{stem}"), taken),
            setting: with_suffix(&field, "_credentials", &mut settings),
            variable,
            about: format!("`{name}`: {what}."),
            description: scheme.description.clone().unwrap_or_default(),
            arguments,
            kind,
            set,
        }
    });
    schemes.collect()
}

/// The alternatives of schemes that an operation requires, as positions among all schemes. Empty if it is public; if it
/// may be called anonymously, the last one is empty, so that credentials are sent if there are any.
pub fn read_alternatives(operation: &Operation) -> Vec<Vec<usize>> {
    let alternatives = operation.extensions.security.iter();
    let read = alternatives.map(|uses| uses.iter().map(|of| of.scheme).collect());
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

impl Scheme {
    /// The method of the client that sets the credentials.
    pub fn write_method(&self) -> TokenStream {
        let (method, arguments, set) = (ident(&self.method), &self.arguments, &self.set);
        let docs = docs(&format!(
            "Sets the credentials of {} Requests of operations that require it contain them.\n\n{}",
            self.about, self.description
        ));
        // A 429 concerned other credentials.
        quote! {
            #docs
            #[must_use]
            pub fn #method(mut self, #arguments) -> Self {
                self.credentials.#set;
                self.sender.forget_backoff();
                self
            }
        }
    }

    /// The method of the builder that sets the credentials.
    pub fn write_setting(&self) -> TokenStream {
        let (setting, arguments, set) = (ident(&self.setting), &self.arguments, &self.set);
        let docs = docs(&format!(
            "The credentials of {}\n\n{}",
            self.about, self.description
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
    pub fn write_variable(&self) -> TokenStream {
        let (variable, kind) = (&self.variable, &self.kind);
        quote!((#variable, #kind))
    }
}
