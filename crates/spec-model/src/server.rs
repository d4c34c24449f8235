//! Where the API is served, as the document says it.

use indexmap::IndexMap;

use crate::document::Object;
use crate::fields::Fields;
use crate::reader::{Cursor, Place, Reader, Spanned};

/// An entry of `servers`.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// Where it stands.
    pub at: Place,
    /// The URL, with `{variables}`.
    pub url: String,
    /// `description`
    pub description: Option<String>,
    /// The variables of the URL.
    pub variables: IndexMap<String, ServerVariable>,
    /// `x-…`
    pub extensions: Object,
}

/// A variable of a server's URL.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerVariable {
    /// Where it stands.
    pub at: Place,
    /// The value if none is chosen.
    pub default: String,
    /// The values to choose from, if they are limited.
    pub enumeration: Vec<Spanned<String>>,
    /// `description`
    pub description: Option<String>,
    /// `x-…`
    pub extensions: Object,
}

impl Fields<'_, '_> {
    /// The field `servers`.
    pub(crate) fn servers(&mut self) -> Vec<Server> {
        let reader = self.reader;
        let items = self.list("servers");
        items
            .into_iter()
            .filter_map(|item| reader.server(item))
            .collect()
    }
}

impl<'d> Reader<'d> {
    fn server(&self, cursor: Cursor<'d>) -> Option<Server> {
        let mut fields = self.fields(cursor, "a server")?;
        Some(Server {
            at: fields.at.clone(),
            url: fields.expected_string("url", "a server"),
            description: fields.string("description"),
            variables: fields.read_map("variables", Reader::server_variable),
            extensions: fields.extensions(),
        })
    }

    fn server_variable(&self, cursor: Cursor<'d>) -> Option<ServerVariable> {
        let mut fields = self.fields(cursor, "a server variable")?;
        Some(ServerVariable {
            at: fields.at.clone(),
            default: fields.expected_string("default", "a server variable"),
            enumeration: fields.strings("enum"),
            description: fields.string("description"),
            extensions: fields.extensions(),
        })
    }
}
