//! The security schemes of the document, each as an option.

use std::collections::HashSet;

use clap::Arg;
use heck::ToKebabCase;
use serde_json::Value;

use crate::names::unique;
use crate::settings::Settings;

/// A security scheme.
#[derive(Debug)]
pub(crate) struct Scheme {
    /// The name in the document.
    pub(crate) name: String,
    /// The name of its option.
    pub(crate) option: String,
    /// The environment variable with its credentials.
    pub(crate) variable: String,
    pub(crate) kind: Kind,
    description: String,
}

/// Where the credentials of a scheme stand in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In a header of this name.
    Header(String),
    /// In a parameter of the query.
    Query(String),
    /// In a cookie.
    Cookie(String),
    /// In `Authorization`, by the scheme `Basic`.
    Basic,
    /// In `Authorization` after this word.
    Token(String),
}

impl Kind {
    /// The place in a request, which has room for one value: what it is part of, and its name.
    pub(crate) fn place(&self) -> (&'static str, String) {
        match self {
            Kind::Header(name) => ("header", name.to_ascii_lowercase()),
            Kind::Query(name) => ("query", name.clone()),
            Kind::Cookie(name) => ("cookie", name.clone()),
            Kind::Basic | Kind::Token(_) => ("header", "authorization".to_owned()),
        }
    }

    /// Whether a parameter of the document is what the credentials are sent in.
    pub(crate) fn is_sent_as(&self, parameter: &Value) -> bool {
        let name = parameter["name"].as_str().unwrap_or_default();
        match (self, parameter["in"].as_str()) {
            (Kind::Header(header), Some("header")) => header.eq_ignore_ascii_case(name),
            (Kind::Query(own), Some("query")) | (Kind::Cookie(own), Some("cookie")) => own == name,
            _ => false,
        }
    }
}

impl Scheme {
    pub(crate) fn read_all(document: &Value, settings: &Settings) -> Vec<Scheme> {
        let mut options = HashSet::new();
        let schemes = document["components"]["securitySchemes"].as_object();
        let is_single = schemes.is_some_and(|schemes| schemes.len() == 1);
        let own_option = settings.credential_option.as_ref();
        let own_option = own_option.filter(|_| is_single);
        let mut read = |(name, scheme): (&String, &Value)| {
            let scheme = spec_schema::resolve(document, scheme)?;
            let text = |key: &str| scheme[key].as_str().unwrap_or_default();
            let wire = text("name").to_owned();
            let kind = match (text("type"), text("in"), text("scheme")) {
                ("apiKey", "header", _) => Kind::Header(wire),
                ("apiKey", "query", _) => Kind::Query(wire),
                ("apiKey", "cookie", _) => Kind::Cookie(wire),
                ("http", _, basic) if basic.eq_ignore_ascii_case("basic") => Kind::Basic,
                ("http", _, bearer) if bearer.eq_ignore_ascii_case("bearer") => {
                    Kind::Token("Bearer".to_owned())
                }
                ("http", _, other) => Kind::Token(other.to_owned()),
                ("oauth2" | "openIdConnect", ..) => Kind::Token("Bearer".to_owned()),
                _ => return None,
            };
            // The document's names are those of flags of operations too.
            let option = match own_option {
                Some(option) => option.clone(),
                None => format!("auth-{}", name.to_kebab_case()),
            };
            let option = unique(&option, |option| options.insert(option.to_owned()));
            Some(Scheme {
                name: name.clone(),
                option,
                variable: spec_model::credential_variable(&settings.variables, name),
                kind,
                description: text("description").to_owned(),
            })
        };
        schemes
            .into_iter()
            .flatten()
            .filter_map(&mut read)
            .collect()
    }

    pub(crate) fn argument(&self) -> Arg {
        let (value, what) = match &self.kind {
            Kind::Basic => ("USER:PASSWORD", "User and password"),
            Kind::Token(_) => ("TOKEN", "Access token"),
            _ => ("KEY", "API key"),
        };
        let words: Vec<&str> = self.description.split_whitespace().collect();
        let about = if words.is_empty() {
            what.to_owned()
        } else {
            words.join(" ").trim_end_matches('.').to_owned()
        };
        Arg::new(self.option.clone())
            .long(self.option.clone())
            .env(self.variable.clone())
            .hide_env_values(true)
            .value_name(value)
            .help(format!(
                "{about}; prefer the environment variable, which the process list does not show"
            ))
    }
}
