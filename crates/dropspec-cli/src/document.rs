//! Reads the operations of a document.

use std::collections::HashSet;

use dropspec_model::Document;
use dropspec_schema::METHODS;
use heck::ToKebabCase;
use serde_json::Value;

use crate::console::Failure;
use crate::flags::unique;
use crate::operation::Operation;
use crate::options::TAIL;
use crate::schemes::Scheme;
use crate::settings::Settings;

/// The document is neither YAML nor JSON, or has no paths.
#[derive(Debug, thiserror::Error)]
#[error("the document of this program cannot be used: {0}")]
pub struct DocumentError(String);

/// The operations of a document, as commands.
#[derive(Debug)]
pub struct Interface {
    pub(crate) settings: Settings,
    pub(crate) document: &'static Value,
    pub(crate) operations: Vec<Operation>,
    pub(crate) schemes: Vec<Scheme>,
}

impl Interface {
    /// Reads a document, YAML or JSON, for a command line with these settings.
    ///
    /// # Errors
    /// It is neither, or has no `paths`.
    pub fn read(text: &str, settings: Settings) -> Result<Interface, DocumentError> {
        let document = Document::parse("document", text).map_err(|errors| {
            let first = errors.first().map(ToString::to_string);
            DocumentError(first.unwrap_or_default())
        })?;
        // A program has one document as long as it runs.
        let document: &'static Value = Box::leak(Box::new(document.root().to_json()));
        let Some(paths) = document["paths"].as_object() else {
            return Err(DocumentError("it has no `paths`".to_owned()));
        };
        let mut names: HashSet<String> = ["help", "completions", "man"].map(str::to_owned).into();
        let schemes = Scheme::read_all(document, &settings);
        let mut operations = Vec::new();
        for (path, item) in paths.iter().filter(|(path, _)| path.starts_with('/')) {
            let item = dropspec_schema::resolve(document, item).unwrap_or(item);
            for method in METHODS {
                let Some(source) = item.get(method).filter(|source| source.is_object()) else {
                    continue;
                };
                let id = source["operationId"].as_str().unwrap_or_default();
                let name = match id.to_kebab_case() {
                    empty if empty.is_empty() => format!("{method} {path}").to_kebab_case(),
                    name => name,
                };
                let name = unique(&name, |name| names.insert(name.to_owned()));
                let named = (name, method, path.as_str());
                operations.push(Operation::read(document, &schemes, named, item, source));
            }
        }
        Ok(Interface {
            settings,
            schemes,
            operations,
            document,
        })
    }

    /// The names of the commands of the operations, in the order of the document.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().map(|operation| &operation.name[..])
    }

    /// Whether the command `tail` shows the requests of a key: the service has credentials, and no operation has this name.
    pub(crate) fn has_tail(&self) -> bool {
        let mut operations = self.operations.iter();
        let has_credentials = operations.any(Operation::has_credentials);
        has_credentials && self.commands().all(|name| name != TAIL)
    }

    pub(crate) fn operation(&self, name: &str) -> Result<&Operation, Failure> {
        let mut operations = self.operations.iter();
        let found = operations.find(|operation| operation.name == name);
        found.ok_or_else(|| Failure::Usage(format!("there is no command {name}")))
    }

    /// The absolute URLs of the servers that the document names, with the defaults of their variables.
    pub(crate) fn server_urls(&self) -> Vec<String> {
        let servers = self.document["servers"].as_array().into_iter().flatten();
        let urls = servers.filter_map(|server| {
            let mut url = server["url"].as_str()?.to_owned();
            for (name, variable) in server["variables"].as_object().into_iter().flatten() {
                let default = variable["default"].as_str().unwrap_or_default();
                url = url.replace(&format!("{{{name}}}"), default);
            }
            let is_absolute = url.starts_with("http://") || url.starts_with("https://");
            is_absolute.then_some(url)
        });
        urls.collect()
    }
}
