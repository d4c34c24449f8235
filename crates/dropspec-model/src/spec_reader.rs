//! Reads the root of a document and its components, and checks rules between distant elements.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::document::Document;
use crate::fields::Fields;
use crate::operation::{Operation, PathItem};
use crate::reader::{Cursor, Reader};
use crate::schema::SchemaRef;
use crate::spec::{Components, Info, Spec};
use crate::version::check_version;

impl<'d> Reader<'d> {
    /// Reads the document. `None` after an error if it is of a version that is not supported.
    pub(crate) fn read_spec(
        &self,
        source: &Arc<Document>,
        document: &Arc<Document>,
    ) -> Option<Spec> {
        let version = match check_version(document) {
            Ok(version) => version.to_owned(),
            Err(error) => {
                self.record_error(error);
                return None;
            }
        };
        let fields = self.open(self.root(), "an OpenAPI document", None)?;
        if fields.get("info").is_none() {
            fields.report("the document has no `info`", "");
        }
        let info: Option<Info> = fields.read("info")?;
        let mut components = fields.read::<Option<Components>>("components")?;
        let mut components = components.take().unwrap_or_default();
        let (paths, operations) = self.read_paths(&fields);
        let webhooks = self.read_webhooks(&fields);
        self.check_shapes(&paths);
        let ends = self.follow_references(&components.schemas);
        let ids = operations.iter().enumerate().rev();
        let ids = ids.filter_map(|(index, it)| Some((it.id.as_ref()?.value.clone(), index)));
        let by_id = ids.collect();
        Some(Spec {
            source: Arc::clone(source),
            document: Arc::clone(document),
            version,
            external_docs: fields.read("externalDocs")?,
            servers: fields.read("servers")?,
            tags: fields.read("tags")?,
            security: fields.read("security")?,
            info: info?,
            paths,
            operations,
            webhooks,
            schemas: std::mem::take(&mut components.schemas),
            security_schemes: std::mem::take(&mut components.security_schemes),
            components,
            extensions: fields.extensions()?,
            ends,
            by_id,
            mended: Vec::new(),
            errors: Vec::new(),
        })
    }

    fn read_paths(&self, fields: &Fields<'_, 'd>) -> (Vec<PathItem>, Vec<Operation>) {
        let mut read = (Vec::new(), Vec::new());
        let Some(cursor) = fields.get("paths") else {
            if !self.document.uses_json_schema() {
                let help = "write `paths: {}` if there are none";
                fields.report("the document has no `paths`", help);
            }
            return read;
        };
        if cursor.node.as_object().is_none() {
            self.refuse_type::<()>(&cursor, "an object");
        }
        for (path, item) in cursor.members().filter(|(key, _)| !key.starts_with("x-")) {
            if let Some((item, operations)) = self.read_path_item(path, item) {
                read.0.push(item);
                read.1.extend(operations);
            }
        }
        read
    }

    fn read_webhooks(&self, fields: &Fields<'_, 'd>) -> IndexMap<String, Vec<Operation>> {
        let field = fields.get("webhooks");
        let field = field.filter(|_| self.document.uses_json_schema());
        let webhooks = field.iter().flat_map(Cursor::members);
        let read =
            webhooks.filter_map(|(name, item)| Some((name.to_owned(), self.read_webhook(item)?)));
        read.collect()
    }

    fn check_shapes(&self, paths: &[PathItem]) {
        let mut first_by_shape: HashMap<String, &PathItem> = HashMap::new();
        for item in paths {
            if let Some(first) = first_by_shape.insert(item.path.shape(), item) {
                let message = format!("the path matches the same requests as `{}`", first.path);
                self.report(&item.at, message, "put the operations under one path");
            }
        }
    }

    /// Follows the components that are references, and returns the index of the component that each of them leads to. Reports
    /// those that lead into a circle.
    fn follow_references(&self, schemas: &IndexMap<String, SchemaRef>) -> HashMap<String, usize> {
        // Of each name that was met, where it leads; of those on the way, nowhere.
        let mut ends: HashMap<&str, Option<usize>> = HashMap::new();
        for (name, schema) in schemas {
            let mut way: Vec<&str> = Vec::new();
            let mut next = name.as_str();
            let end = loop {
                if let Some(end) = ends.get(next) {
                    break *end;
                }
                ends.insert(next, None);
                way.push(next);
                match schemas.get_full(next) {
                    Some((_, _, SchemaRef::Ref { name: other, .. }))
                        if schemas.contains_key(other) =>
                    {
                        next = other;
                    }
                    // A target that could not be read has been reported.
                    last => break last.map(|(index, ..)| index),
                }
            };
            ends.extend(way.into_iter().map(|it| (it, end)));
            if end.is_none() {
                let message = format!("the schema `{name}` refers to itself");
                self.report(schema.at(), message, "");
            }
        }
        let ends = ends.into_iter();
        ends.filter_map(|(name, end)| Some((name.to_owned(), end?)))
            .collect()
    }
}
