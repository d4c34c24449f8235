//! Settings of the generator. The defaults suit any document; conventions of a particular service are set explicitly.

use dropspec_model::Object;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// Settings of the generator. A file of settings has all but those that say where the document is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The command that generates the files again; their first line names it.
    #[serde(skip)]
    pub command: String,
    /// The document, as a person would name it, such as `spec/petstore.yaml`.
    #[serde(skip)]
    pub source: String,
    /// The path of the document, relative to the generated files of the interface.
    #[serde(skip)]
    pub source_path: String,
    /// The properties of the service's error schema. Without them every error type is wrapped in `OperationError`.
    pub error: Option<ErrorProperties>,
    /// How the document marks response headers that the server sets for all operations. Without it the implementation
    /// of an operation sets all response headers.
    pub server_headers: Option<ServerMark>,
    /// How the document marks request headers that the server handles for all operations, so that no method gets them.
    /// Without it the implementation of an operation gets all request headers.
    pub server_parameters: Option<ServerMark>,
    /// The hand-written layer of the client. Without it the client is ready to use.
    pub client_layer: Option<ClientLayer>,
    /// The generator of the client. Without it: [`ClientKind::Progenitor`] with a layer, or else [`ClientKind::Own`].
    #[serde(rename = "client")]
    pub client_kind: Option<ClientKind>,
    /// What the names of the client's environment variables begin with, such as `BOOKS`. Without it: the title of the document.
    #[serde(deserialize_with = "deserialize_variables")]
    pub variables: Option<String>,
    /// Whether a server implements one trait, or one for each tag.
    pub traits: Traits,
    /// Leave out operations that something is wrong with, instead of failing. The server answers them with 501.
    pub partial: bool,
}

/// Reads what the names of environment variables begin with, as shells spell them.
fn deserialize_variables<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let prefix = String::deserialize(from)?;
    let is_first = |c: char| c.is_ascii_uppercase() || c == '_';
    if !prefix.starts_with(is_first) || !prefix.chars().all(|c| is_first(c) || c.is_ascii_digit()) {
        return Err(D::Error::custom(format_args!(
            "`{prefix}` begins no environment variable: write capital letters, digits and underscores, such as \"BOOKS\""
        )));
    }
    Ok(Some(prefix))
}

/// A generator of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientKind {
    /// progenitor, which takes simple documents only.
    Progenitor,
    /// Our own, which takes every document.
    Own,
}

/// How many traits a server implements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Traits {
    /// One, or one for each tag where its file would be too long.
    #[default]
    BySize,
    /// One, however long.
    One,
    /// One for each tag of the operations.
    ByTag,
}

impl Settings {
    /// The generator of the client.
    pub(crate) fn client_kind(&self) -> ClientKind {
        self.client_kind.unwrap_or(match self.client_layer {
            Some(_) => ClientKind::Progenitor,
            None => ClientKind::Own,
        })
    }
}

/// The properties of an error schema that receive the status, message and code of an error that dropshot itself
/// creates.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorProperties {
    /// The HTTP status, an integer.
    pub status: String,
    /// The text for people.
    pub message: String,
    /// The code for programs.
    pub code: String,
}

/// The extension, with its value, that marks headers which are up to the server, not to the implementations of
/// operations.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerMark {
    /// The extension, such as `x-supplied-by`.
    pub extension: String,
    /// Its value at a marked header.
    pub value: String,
}

impl ServerMark {
    /// Whether an element with these extensions is marked.
    pub(crate) fn is_on(&self, extensions: &Object) -> bool {
        let value = extensions.get(&self.extension);
        value.and_then(|member| member.node.as_str()) == Some(&self.value)
    }
}

/// What the hand-written layer of a client crate and its generated code say of each other. The layer adds the hooks of the
/// client: credentials and retries.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientLayer {
    /// The type of the state of the client's hooks, as the client's crate names it: `dropspec_client::Hooks`.
    pub state: String,
    /// The query parameter by which the links of lists lead to the next page, such as `after`.
    pub page_parameter: String,
}
