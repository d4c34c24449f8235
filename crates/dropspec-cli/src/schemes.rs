//! The security schemes of the document, each as an option.

use std::collections::HashSet;

use clap::Arg;
use dropspec_client::SecurityScheme;
use heck::ToKebabCase;
use serde_json::Value;

use crate::flags::unique;
use crate::settings::Settings;

/// A security scheme.
#[derive(Debug)]
pub(crate) struct Scheme {
    /// The name in the document.
    pub(crate) name: &'static str,
    /// The name of its option.
    pub(crate) option: String,
    /// The environment variable with its credentials.
    pub(crate) variable: String,
    pub(crate) kind: SecurityScheme<'static>,
    description: &'static str,
    is_deprecated: bool,
}

impl Scheme {
    pub(crate) fn read_all(document: &'static Value, settings: &Settings) -> Vec<Scheme> {
        let mut options = HashSet::new();
        let schemes = document["components"]["securitySchemes"].as_object();
        let is_single = schemes.is_some_and(|schemes| schemes.len() == 1);
        let own_option = settings.credential_option.as_ref();
        let own_option = own_option.filter(|_| is_single);
        let keys = schemes.into_iter().flatten().map(|(name, _)| name.as_str());
        let variables = dropspec_model::credential_variables(&settings.variables, keys);
        let read = |((name, scheme), variable): ((&'static String, &'static Value), String)| {
            let scheme = dropspec_schema::resolve(document, scheme)?;
            let text = |key: &str| scheme[key].as_str().unwrap_or_default();
            let kind = SecurityScheme::of_definition(scheme)?;
            // The document's names are those of flags of operations too.
            let option = match own_option {
                Some(option) => option.clone(),
                None => format!("auth-{}", name.to_kebab_case()),
            };
            Some(Scheme {
                name,
                option: unique(&option, |option| options.insert(option.to_owned())),
                variable,
                kind,
                description: text("description"),
                is_deprecated: scheme["deprecated"] == true,
            })
        };
        let schemes = schemes.into_iter().flatten();
        schemes.zip(variables).filter_map(read).collect()
    }

    pub(crate) fn argument(&self) -> Arg {
        let (value, what) = match self.kind {
            SecurityScheme::BASIC => ("USER:PASSWORD", "User and password"),
            SecurityScheme::Authorization(_) => ("TOKEN", "Access token"),
            _ => ("KEY", "API key"),
        };
        let words: Vec<&str> = self.description.split_whitespace().collect();
        let about = if words.is_empty() {
            what.to_owned()
        } else {
            words.join(" ").trim_end_matches('.').to_owned()
        };
        let note = self.is_deprecated.then_some(" (deprecated)");
        let note = note.unwrap_or_default();
        Arg::new(self.option.clone())
            .long(self.option.clone())
            .env(self.variable.clone())
            .hide_env_values(true)
            .value_name(value)
            .help(format!(
                "{about}{note}; prefer the environment variable, which the process list does not show"
            ))
    }
}
