//! `dropspec.toml`: where the document and the generated files are, and which rules hold. Every key has a default.

pub(crate) mod files;

use std::path::{Path, PathBuf};

use dropspec_codegen::Settings as GeneratorSettings;
use dropspec_model::{Severity, did_you_mean, matches_pattern, suggest};
use serde::Deserialize;

use crate::linting::LintSettings;

/// The name of the file of settings.
pub const FILE: &str = "dropspec.toml";

/// The settings of a repository. Paths are relative to its root.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The OpenAPI document that people edit.
    pub document: PathBuf,
    /// The OpenAPI Overlays that are applied to the document, in this order.
    pub overlays: Vec<PathBuf>,
    /// What `add resource` inserts: a document with a resource called `sample-items`. Without it: a plain one.
    pub resource_template: Option<PathBuf>,
    /// The command that runs this tool, as generated files and help name it.
    pub command: String,
    /// Where generated files go.
    pub output: Output,
    /// What the generator has to know of the document.
    pub generate: GeneratorSettings,
    /// The rules beyond OpenAPI.
    pub lint: LintSettings,
    /// Levels of rules of `lint` and `diff`, everywhere or at some operations; the last entry that applies counts.
    pub severity: Vec<Severity>,
    /// The releases and how they are compared.
    pub contract: Contract,
}

/// Where generated files go: the folders of sources of the crates. What has no folder is not written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Output {
    /// The interface: trait, types, operations, dispatch.
    pub api: Option<PathBuf>,
    /// The client.
    pub client: Option<PathBuf>,
    /// The page with the rules of `diff` and `lint`, a Markdown file.
    pub rules_page: Option<PathBuf>,
}

/// The releases and how they are compared.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contract {
    /// The settings of `diff`; without the file the defaults hold.
    pub settings: PathBuf,
    /// The folder of the released documents.
    pub releases: PathBuf,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            document: "spec/openapi.yaml".into(),
            overlays: Vec::new(),
            resource_template: None,
            command: "dropspec".to_owned(),
            output: Output::default(),
            generate: GeneratorSettings::default(),
            lint: LintSettings::default(),
            severity: Vec::new(),
            contract: Contract::default(),
        }
    }
}

impl Default for Contract {
    fn default() -> Contract {
        Contract {
            settings: "spec/contract.toml".into(),
            releases: "spec/releases".into(),
        }
    }
}

/// `dropspec.toml` cannot be used. Displayed in one line as `file:line:column: message`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} (`dropspec settings` prints all settings)")]
pub struct ConfigError(String);

impl Config {
    /// Reads the settings of the file at `path`, which has this text.
    ///
    /// # Errors
    /// The text is not TOML, a setting is unknown, its value has another type, or two settings contradict each other.
    pub fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            ConfigError::new(path, text, start, &in_plain_words(error.message()))
        })?;
        check_rules(&config.severity).map_err(|(index, message)| {
            let tables = text.match_indices("[[severity]]");
            let offset = tables.map(|(offset, _)| offset).nth(index).unwrap_or(0);
            ConfigError::new(path, text, offset, &message)
        })?;
        Ok(config)
    }
}

/// Checks that each entry names a rule. The error has the index of one that does not, and what is wrong with it.
fn check_rules(entries: &[Severity]) -> Result<(), (usize, String)> {
    let named = entries.iter().enumerate();
    let mut named = named.filter_map(|(index, entry)| Some((index, entry.rule.as_deref()?)));
    named.try_for_each(|(index, pattern)| check_rule(pattern).map_err(|message| (index, message)))
}

/// Checks that an id or a pattern names a rule of `diff` or `lint`.
pub(crate) fn check_rule(pattern: &str) -> Result<(), String> {
    let known = || {
        let of_diff = dropspec_diff::rules::all().iter().map(|rule| &*rule.id);
        of_diff.chain(crate::linting::RULES.iter().map(|rule| rule.id))
    };
    if known().any(|id| matches_pattern(pattern, id)) {
        return Ok(());
    }
    let help = did_you_mean(pattern, known());
    Err(format!(
        "no rule has the id `{pattern}`: {help}`dropspec rules` lists those of `diff` and `lint`"
    ))
}

/// A message of the TOML parser, in one line, with the key that was probably meant.
fn in_plain_words(message: &str) -> String {
    let message = message.replace('\n', "; ");
    let mut names = message.split('`').skip(1).step_by(2);
    let written = names.next().unwrap_or_default();
    match suggest(written, names) {
        Some(known) if message.starts_with("unknown ") => {
            let what = message.split(',').next().unwrap_or(&message);
            format!("{what}: did you mean `{known}`?")
        }
        _ => message,
    }
}

impl ConfigError {
    /// The error at an offset of the text, in bytes.
    fn new(path: &Path, text: &str, offset: usize, message: &str) -> ConfigError {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        ConfigError(format!("{}:{line}:{column}: {message}", path.display()))
    }
}

#[cfg(test)]
mod tests;
