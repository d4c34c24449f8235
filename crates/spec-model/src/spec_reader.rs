//! Reads the root of a document and its components, and checks rules between distant elements.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::document::Document;
use crate::fields::Fields;
use crate::operation::{Operation, PathItem};
use crate::reader::{Cursor, Located, Reader};
use crate::schema::SchemaRef;
use crate::security::SecurityScheme;
use crate::spec::{Components, Info, Spec, Tag};
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
        let fields = self.expect_object(self.root(), "an OpenAPI document")?;
        let info = self.read_info(&fields);
        let (schemas, security_schemes, components) = self.read_components(&fields);
        let (paths, operations) = self.read_paths(&fields);
        self.check_shapes(&paths);
        self.check_circular_names(&schemas);
        fields.check_external_docs();
        fields.read_servers();
        let tags = fields.get_array("tags").into_iter();
        Some(Spec {
            source: Arc::clone(source),
            document: Arc::clone(document),
            version,
            tags: tags.filter_map(|tag| self.read_tag(tag)).collect(),
            security: fields.read_security().unwrap_or_default(),
            info: info?,
            paths,
            operations,
            schemas,
            security_schemes,
            components,
            extensions: fields.copy_extensions(),
            mended: Vec::new(),
            errors: Vec::new(),
        })
    }

    fn read_info(&self, fields: &Fields<'_, 'd>) -> Option<Info> {
        let Some(cursor) = fields.get("info") else {
            self.report_error(&fields.at, "the document has no `info`");
            return None;
        };
        let fields = self.expect_object(cursor, "`info`")?;
        fields.check_strings(&["termsOfService"]);
        Some(Info {
            at: fields.at.clone(),
            title: fields.read_required_string("title", "`info`"),
            version: fields.read_required_string("version", "`info`"),
            description: fields.read_string("description"),
        })
    }

    fn read_tag(&self, cursor: Cursor<'d>) -> Option<Tag> {
        let fields = self.expect_object(cursor, "a tag")?;
        fields.check_external_docs();
        Some(Tag {
            at: fields.at.clone(),
            name: fields.read_required_string("name", "a tag"),
            description: fields.read_string("description"),
        })
    }

    fn read_components(
        &self,
        fields: &Fields<'_, 'd>,
    ) -> (
        IndexMap<String, SchemaRef>,
        IndexMap<String, SecurityScheme>,
        Components,
    ) {
        let cursor = fields.get_object("components");
        let Some(fields) = cursor.and_then(|cursor| self.expect_object(cursor, "`components`"))
        else {
            return Default::default();
        };
        let schemas = fields.read_map("schemas", Reader::read_schema);
        let components = Components {
            parameters: fields.read_map("parameters", Reader::read_parameter),
            headers: fields.read_map("headers", Reader::read_header),
            request_bodies: fields.read_map("requestBodies", Reader::read_request_body),
            responses: fields.read_map("responses", Reader::read_response),
        };
        fields.read_map("examples", Reader::read_example);
        let security_schemes = fields.read_map("securitySchemes", Reader::read_security_scheme);
        fields.get_object("links");
        fields.get_object("callbacks");
        (schemas, security_schemes, components)
    }

    fn read_paths(&self, fields: &Fields<'_, 'd>) -> (Vec<PathItem>, Vec<Operation>) {
        let mut read = (Vec::new(), Vec::new());
        let is_present = fields.get("paths").is_some();
        let Some(cursor) = fields.get_object("paths") else {
            if !is_present && !self.document.uses_json_schema() {
                let help = "write `paths: {}` if there are none";
                self.report_error_with_help(&fields.at, "the document has no `paths`", help);
            }
            return read;
        };
        for (path, item) in cursor.members().filter(|(key, _)| !key.starts_with("x-")) {
            if let Some((item, operations)) = self.read_path_item(path, item) {
                read.0.push(item);
                read.1.extend(operations);
            }
        }
        read
    }

    /// Reads a value that must be a string.
    pub(crate) fn read_string(&self, cursor: Cursor<'d>) -> Option<Located<String>> {
        let at = cursor.place();
        match cursor.node.as_str() {
            Some(text) => {
                let value = text.to_owned();
                Some(Located { value, at })
            }
            None => {
                let found = cursor.node.kind();
                self.report_error(&at, format!("expected a string, found {found}"));
                None
            }
        }
    }

    fn check_shapes(&self, paths: &[PathItem]) {
        let mut first_by_shape: HashMap<String, &PathItem> = HashMap::new();
        for item in paths {
            if let Some(first) = first_by_shape.insert(item.path.shape(), item) {
                let message = format!("the path matches the same requests as `{}`", first.path);
                self.report_error_with_help(&item.at, message, "put the operations under one path");
            }
        }
    }

    /// Reports components that are references to each other in a circle.
    fn check_circular_names(&self, schemas: &IndexMap<String, SchemaRef>) {
        for (name, schema) in schemas {
            let mut steps = 0;
            let mut next = schema;
            while let SchemaRef::Ref { name: other, .. } = next {
                steps += 1;
                match schemas.get(other) {
                    Some(target) if steps <= schemas.len() => next = target,
                    Some(_) => {
                        let message = format!("the schema `{name}` refers to itself");
                        self.report_error(schema.at(), message);
                        break;
                    }
                    // A target that could not be read has been reported.
                    None => break,
                }
            }
        }
    }
}

impl Fields<'_, '_> {
    /// Checks the field `externalDocs`.
    pub(crate) fn check_external_docs(&self) {
        let reader = self.reader;
        let cursor = self.get("externalDocs");
        let fields = cursor.and_then(|cursor| reader.expect_object(cursor, "`externalDocs`"));
        if let Some(fields) = fields {
            fields.read_required_string("url", "`externalDocs`");
            fields.check_strings(&["description"]);
        }
    }
}
