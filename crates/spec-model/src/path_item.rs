//! Path items: what the operations of a path have in common.

use crate::document::{Object, Position};
use crate::operation::{Method, Operation};
use crate::parameter::Parameter;
use crate::path::PathTemplate;
use crate::reader::{Cursor, Place, Reader};
use crate::server::Server;

/// An entry of `paths`.
#[derive(Debug, Clone, PartialEq)]
pub struct PathItem {
    /// Where it stands, after `$ref`s were followed.
    pub at: Place,
    /// Where the `$ref` to it stands, if there is one.
    pub reference: Option<Place>,
    /// Its key in `paths`.
    pub path: PathTemplate,
    /// Where that key stands.
    pub path_position: Position,
    /// `summary`
    pub summary: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `parameters`; each operation has them in its own list too.
    pub parameters: Vec<Parameter>,
    /// `servers`
    pub servers: Vec<Server>,
    /// `x-…`
    pub extensions: Object,
}

impl<'d> Reader<'d> {
    /// A path item and its operations, in the order of the document.
    pub(crate) fn path_item(
        &self,
        path: &str,
        cursor: Cursor<'d>,
    ) -> Option<(PathItem, Vec<Operation>)> {
        let key = cursor.place();
        let path_position = cursor.key_position.unwrap_or(key.position);
        let path = PathTemplate::parse(path).map_err(|why| {
            let at = Place {
                position: path_position,
                ..key
            };
            self.error(&at, why);
        });
        let resolved = self.resolve(cursor, "pathItems")?;
        let methods = resolved.cursor.clone();
        let mut fields = self.fields(resolved.cursor, "a path item")?;
        for method in Method::ALL {
            fields.take(method.key());
        }
        let item = PathItem {
            at: fields.at.clone(),
            reference: resolved.reference,
            path: path.ok()?,
            path_position,
            summary: fields.string("summary"),
            description: fields.string("description"),
            parameters: fields.parameters(),
            servers: fields.servers(),
            extensions: fields.extensions(),
        };
        let operations = methods.members().filter_map(|(key, operation)| {
            let method = Method::ALL.into_iter().find(|method| method.key() == key)?;
            self.operation(method, &item, operation)
        });
        let operations = operations.collect();
        Some((item, operations))
    }
}
