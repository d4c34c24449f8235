//! Credentials by the security schemes of the document.

use std::collections::HashSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use heck::{ToKebabCase, ToShoutySnakeCase};
use serde_json::Value;

use crate::Settings;
use crate::document::{Interface, unique};
use crate::failure::Failure;
use crate::operation::Operation;
use crate::request::Request;

/// A security scheme.
#[derive(Debug)]
pub(crate) struct Scheme {
    /// The name in the document.
    name: String,
    /// The name of its option.
    pub(crate) option: String,
    kind: Kind,
    description: String,
}

#[derive(Debug)]
enum Kind {
    Header(String),
    Query(String),
    Cookie(String),
    Basic,
    /// In `Authorization` after this word.
    Token(String),
}

impl Scheme {
    pub(crate) fn read_all(document: &Value) -> Vec<Scheme> {
        let mut options = HashSet::new();
        let schemes = document["components"]["securitySchemes"].as_object();
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
            let option = format!("auth-{}", name.to_kebab_case());
            let option = unique(&option, |option| options.insert(option.to_owned()));
            Some(Scheme {
                name: name.clone(),
                option,
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

    fn variable(&self, settings: &Settings) -> String {
        let name = self.name.to_shouty_snake_case();
        format!("{}_{name}", settings.variables)
    }

    pub(crate) fn argument(&self, settings: &Settings) -> Arg {
        let (value, what) = match &self.kind {
            Kind::Basic => ("USER:PASSWORD", "User and password"),
            Kind::Token(_) => ("TOKEN", "Access token"),
            _ => ("KEY", "API key"),
        };
        let words: Vec<&str> = self.description.split_whitespace().collect();
        let about = match words.is_empty() {
            true => what.to_owned(),
            false => words.join(" ").trim_end_matches('.').to_owned(),
        };
        Arg::new(self.option.clone())
            .long(self.option.clone())
            .env(self.variable(settings))
            .hide_env_values(true)
            .value_name(value)
            .help(format!(
                "{about}; prefer the environment variable, which the process list does not show"
            ))
    }

    fn apply(&self, value: &str, shown: &str, request: &mut Request) {
        match &self.kind {
            Kind::Header(name) => request.add_secret_header(name, value.to_owned(), shown),
            Kind::Query(name) => request.parts.push_query(name, value),
            Kind::Cookie(name) => request.parts.push_cookie(name, value),
            Kind::Basic => {
                let encoded = BASE64_STANDARD.encode(value);
                request.add_secret_header("Authorization", format!("Basic {encoded}"), "");
            }
            Kind::Token(word) => {
                let shown = match shown.is_empty() {
                    true => String::new(),
                    false => format!("{word} {shown}"),
                };
                request.add_secret_header("Authorization", format!("{word} {value}"), &shown);
            }
        }
    }
}

/// Adds the credentials of the first alternative of which all are given.
///
/// # Errors
/// The operation demands credentials, and those given do not suffice.
pub(crate) fn apply(
    interface: &Interface,
    operation: &Operation,
    settings: &Settings,
    matches: &ArgMatches,
    request: &mut Request,
) -> Result<(), Failure> {
    let find = |name: &String| interface.schemes.iter().find(|scheme| scheme.name == *name);
    let value = |scheme: &Scheme| {
        let value = matches.get_one::<String>(&scheme.option);
        value.filter(|value| !value.is_empty()).cloned()
    };
    // An alternative without schemes is last, so that credentials are sent if there are any.
    let mut alternatives: Vec<&Vec<String>> = operation.security.iter().collect();
    alternatives.sort_by_key(|schemes| schemes.is_empty());
    for schemes in &alternatives {
        let schemes: Option<Vec<(&Scheme, String)>> = schemes
            .iter()
            .map(|name| find(name).and_then(|scheme| Some((scheme, value(scheme)?))))
            .collect();
        for (scheme, value) in schemes.iter().flatten() {
            let is_of_environment =
                matches.value_source(&scheme.option) == Some(ValueSource::EnvVariable);
            let shown = match is_of_environment {
                true => format!("${}", scheme.variable(settings)),
                false => String::new(),
            };
            scheme.apply(value, &shown, request);
        }
        if schemes.is_some() {
            return Ok(());
        }
    }
    let options = alternatives.iter().map(|schemes| {
        let known = schemes.iter().filter_map(find);
        let options =
            known.map(|scheme| format!("--{} or {}", scheme.option, scheme.variable(settings)));
        options.collect::<Vec<_>>().join(" with ")
    });
    let options: Vec<String> = options.filter(|text| !text.is_empty()).collect();
    match options.is_empty() {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "the command needs credentials: use {}",
            options.join(", or ")
        ))),
    }
}
