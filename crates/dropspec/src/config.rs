//! `dropspec.toml`: where the document and the generated files are, and which rules hold. Every key has a default.

mod severity;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use spec_lint::LintSettings;
use spec_model::{Severity, suggest};
use toml::Spanned;

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
    /// The command that runs this tool, as generated files and help name it.
    pub command: String,
    /// Where generated files go.
    pub output: Output,
    /// What the generator has to know of the document.
    pub generate: Generate,
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
    /// The mocks of a client with a layer.
    pub mock: Option<PathBuf>,
    /// The page with the rules of `diff`, a Markdown file.
    pub rules_page: Option<PathBuf>,
}

/// What the generator has to know of the document.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Generate {
    /// Whether operations that cannot be expressed are left out, instead of an error.
    pub partial: bool,
    /// The generator of the client. Without it: progenitor with a layer, or else our own.
    pub client: Option<Spanned<Client>>,
    /// What the names of the client's environment variables begin with. Without it: the title of the document.
    pub variables: Option<Spanned<String>>,
    /// Whether a server implements one trait, or one for each tag.
    pub traits: Traits,
    /// The properties of the error schema.
    pub error: Option<ErrorProperties>,
    /// The mark of response headers that the server sets for all operations.
    pub server_headers: Option<Mark>,
    /// The mark of request headers that the server handles for all operations.
    pub server_parameters: Option<Mark>,
    /// The layer of the client that is written by hand.
    pub client_layer: Option<ClientLayer>,
}

/// A generator of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Our own, which takes every document.
    Own,
    /// progenitor, which takes simple documents only.
    Progenitor,
}

/// How many traits a server implements.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Traits {
    /// One, or one for each tag where its file would pass 5,000 lines.
    #[default]
    BySize,
    /// One.
    One,
    /// One for each tag.
    ByTag,
}

/// The properties of the error schema that receive an error of the server itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorProperties {
    /// The HTTP status.
    pub status: String,
    /// The text for people.
    pub message: String,
    /// The code for programs.
    pub code: String,
}

/// An extension of the document with its value.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The extension, such as `x-supplied-by`.
    pub extension: String,
    /// Its value, such as `gate`.
    pub value: String,
}

/// The names of the layer of the client that is written by hand.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientLayer {
    /// The type of the state of the client's hooks, such as `crate::Transport`.
    pub state: String,
    /// The type of the error of calls, which is made `From` progenitor's, such as `crate::Error`.
    pub error: Option<String>,
    /// The crate of the client as others import it.
    pub crate_name: String,
    /// The request header that makes a repeated request the same request.
    pub idempotency_header: String,
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
            command: "dropspec".to_owned(),
            output: Output::default(),
            generate: Generate::default(),
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
pub struct ConfigError {
    path: PathBuf,
    line: usize,
    column: usize,
    message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        write!(f, "{path}:{}:{}: {}", self.line, self.column, self.message)?;
        write!(f, " (`dropspec settings` prints all settings)")
    }
}

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
        severity::check(&config.severity).map_err(|(index, message)| {
            let tables = text.match_indices("[[severity]]");
            let offset = tables.map(|(offset, _)| offset).nth(index).unwrap_or(0);
            ConfigError::new(path, text, offset, &message)
        })?;
        if let Some(prefix) = &config.generate.variables
            && !is_variable(prefix.get_ref())
        {
            let message = format!(
                "`{}` begins no environment variable: write capital letters, digits and underscores, such as \"BOOKS\"",
                prefix.get_ref()
            );
            return Err(ConfigError::new(path, text, prefix.span().start, &message));
        }
        match &config.generate.client {
            Some(client) if *client.get_ref() == Client::Own && config.output.mock.is_some() => {
                let message = "mocks are made for progenitor's client: \
                               remove `mock` of [output], or write \"progenitor\"";
                Err(ConfigError::new(path, text, client.span().start, message))
            }
            _ => Ok(config),
        }
    }
}

/// Whether a shell can have a variable of this name, as shells spell them.
fn is_variable(name: &str) -> bool {
    let mut characters = name.chars();
    let is_first = |c: char| c.is_ascii_uppercase() || c == '_';
    characters.next().is_some_and(is_first) && characters.all(|c| is_first(c) || c.is_ascii_digit())
}

/// The settings that name files, with their places.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedFiles {
    document: Option<Spanned<PathBuf>>,
    overlays: Vec<Spanned<PathBuf>>,
}

/// Checks that the files are there which the settings at `path`, with this text, name: the document and its overlays.
///
/// # Errors
/// One is not there.
pub(crate) fn check_files(path: &Path, text: &str) -> Result<(), ConfigError> {
    let root = path.parent().unwrap_or(Path::new(""));
    // Other errors have been reported.
    let named: NamedFiles = toml::from_str(text).unwrap_or_default();
    let document = match &named.document {
        Some(document) => (document.get_ref().clone(), document.span().start),
        None => (Config::default().document, 0),
    };
    let overlays = named.overlays.iter();
    let overlays = overlays.map(|it| (it.get_ref().clone(), it.span().start));
    let is_missing = |(file, _): &(PathBuf, usize)| !root.join(file).exists();
    let Some((file, offset)) = std::iter::once(document).chain(overlays).find(is_missing) else {
        return Ok(());
    };
    let shown = file.display();
    let help = match suggest_file(root, &file) {
        Some(other) => format!("did you mean `{}`?", other.display()),
        None => "write its path from the folder of this file".to_owned(),
    };
    let message = match &named.document {
        None if offset == 0 => {
            format!("there is no `{shown}`, and no `document` names another file: {help}")
        }
        _ => format!("there is no file `{shown}`: {help}"),
    };
    Err(ConfigError::new(path, text, offset, &message))
}

/// The file that was probably meant: the one with the most similar name in the folder, or the only document there.
fn suggest_file(root: &Path, file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|it| root.join(it).is_dir());
    let folder = folder.unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(root.join(folder)).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_document = |name: &String| {
        [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let mut names: Vec<String> = names.filter(is_document).collect();
    names.sort();
    let written = file.file_name()?.to_str()?;
    let similar = suggest(written, names.iter().map(String::as_str)).map(str::to_owned);
    let only = names.first().filter(|_| names.len() == 1).cloned();
    similar.or(only).map(|name| folder.join(name))
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
        ConfigError {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn error(text: &str) -> String {
        let error = Config::parse(Path::new("dropspec.toml"), text).unwrap_err();
        error.to_string()
    }

    #[test]
    fn variables_are_those_that_a_shell_can_have() {
        let text = "[generate]\nvariables = \"BOOKS_2\"\n";
        assert!(Config::parse(Path::new("dropspec.toml"), text).is_ok());
        for wrong in ["", "2BOOKS", "book-store", "Books"] {
            let error = error(&format!("[generate]\nvariables = \"{wrong}\"\n"));
            let start = format!("dropspec.toml:2:13: `{wrong}` begins no environment variable");
            assert!(error.starts_with(&start), "{error}");
        }
    }

    #[test]
    fn files_that_are_not_there_are_errors_with_the_name_that_was_probably_meant() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("spec")).unwrap();
        let path = folder.path().join(FILE);
        let check = |text: &str| {
            let error = check_files(&path, text).err();
            let error = error.map(|it| it.to_string()).unwrap_or_default();
            error.replace(&path.display().to_string(), FILE)
        };
        assert!(
            check("command = \"a\"\n").starts_with(
                "dropspec.toml:1:1: there is no `spec/openapi.yaml`, and no `document` names another file: write"
            ),
            "{}",
            check("")
        );
        std::fs::write(folder.path().join("spec/books.yaml"), "").unwrap();
        for wrong in ["spec/boks.yaml", "spec/openapi.json"] {
            let text = format!("\ndocument = \"{wrong}\"\n");
            let expected = format!(
                "dropspec.toml:2:12: there is no file `{wrong}`: did you mean `spec/books.yaml`?"
            );
            assert!(check(&text).starts_with(&expected), "{}", check(&text));
        }
        let overlay = "document = \"spec/books.yaml\"\noverlays = [\"spec/gate.yaml\"]\n";
        assert!(
            check(overlay).starts_with("dropspec.toml:2:13: there is no file `spec/gate.yaml`"),
            "{}",
            check(overlay)
        );
        assert_eq!(check("document = \"spec/books.yaml\"\n"), "");
    }

    #[test]
    fn empty_file_has_the_defaults() {
        let config = Config::parse(Path::new("dropspec.toml"), "").unwrap();
        assert_eq!(config.document, Path::new("spec/openapi.yaml"));
        assert_eq!(config.command, "dropspec");
        assert_eq!(config.contract.releases, Path::new("spec/releases"));
        assert_eq!(config.lint, LintSettings::default());
    }

    #[test]
    fn unknown_keys_wrong_values_and_contradictions_are_errors_with_line_and_column() {
        for (text, expected) in [
            (
                "document = \"a.yaml\"\ndocumnt = 1\n",
                "dropspec.toml:2:1: unknown field `documnt`: did you mean `document`? (`dropspec settings` prints",
            ),
            (
                "[output]\n\n  api = 7\n",
                "dropspec.toml:3:9: invalid type: integer `7`, expected",
            ),
            (
                "[lint]\nrequired-statuses = [\"401\"]\nlint = true",
                "dropspec.toml:3:1: unknown field `lint`, expected",
            ),
            ("document = [", "dropspec.toml:1:"),
            (
                "[generate]\nclient = \"mine\"\n",
                "dropspec.toml:2:10: unknown variant `mine`, expected `own` or `progenitor`",
            ),
            (
                "[generate]\nclient = \"own\"\n[output]\nmock = \"mock/src\"",
                "dropspec.toml:2:10: mocks are made for progenitor's client: remove",
            ),
        ] {
            let error = error(text);
            assert!(error.starts_with(expected), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
