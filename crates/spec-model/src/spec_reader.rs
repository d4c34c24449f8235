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

impl<'d> Reader<'d> {
    /// Reads the document, without `unknown_fields`. `None` after an error if it is not of OpenAPI 3.0.
    pub(crate) fn read_spec(&self, document: &Arc<Document>) -> Option<Spec> {
        let mut fields = self.expect_object(self.root(), "an OpenAPI document")?;
        let version = self.read_version(&mut fields)?;
        let info = self.read_info(&mut fields);
        let (schemas, security_schemes, components) = self.read_components(&mut fields);
        let (paths, operations) = self.read_paths(&mut fields);
        self.check_operation_ids(&operations);
        self.check_shapes(&paths);
        self.check_circular_names(&schemas);
        fields.check_external_docs();
        fields.read_servers();
        let tags = fields.take_array("tags").into_iter();
        Some(Spec {
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
            unknown_fields: Vec::new(),
            errors: Vec::new(),
        })
    }

    fn read_version(&self, fields: &mut Fields<'_, 'd>) -> Option<String> {
        const HELP: &str = "only OpenAPI 3.0 is supported: write `openapi: 3.0.3`";
        if let Some(swagger) = fields.take("swagger") {
            let message = "this is a Swagger 2.0 document";
            self.report_error_with_help(&swagger.place(), message, HELP);
            return None;
        }
        let Some(cursor) = fields.take("openapi") else {
            self.report_error_with_help(&fields.at, "the document has no `openapi` version", HELP);
            return None;
        };
        let version = cursor.node.as_str().unwrap_or_default();
        let patch = version.strip_prefix("3.0.");
        if patch.is_some_and(|patch| patch.starts_with(|c: char| c.is_ascii_digit())) {
            return Some(version.to_owned());
        }
        let written = cursor.node.to_json();
        let message = format!("OpenAPI version {written} is not supported");
        self.report_error_with_help(&cursor.place(), message, HELP);
        None
    }

    fn read_info(&self, fields: &mut Fields<'_, 'd>) -> Option<Info> {
        let Some(cursor) = fields.take("info") else {
            self.report_error(&fields.at, "the document has no `info`");
            return None;
        };
        let mut fields = self.expect_object(cursor, "`info`")?;
        fields.check_strings(&["termsOfService"]);
        fields.take("contact");
        fields.take("license");
        Some(Info {
            at: fields.at.clone(),
            title: fields.read_required_string("title", "`info`"),
            version: fields.read_required_string("version", "`info`"),
            description: fields.read_string("description"),
        })
    }

    fn read_tag(&self, cursor: Cursor<'d>) -> Option<Tag> {
        let mut fields = self.expect_object(cursor, "a tag")?;
        fields.check_external_docs();
        Some(Tag {
            at: fields.at.clone(),
            name: fields.read_required_string("name", "a tag"),
            description: fields.read_string("description"),
        })
    }

    fn read_components(
        &self,
        fields: &mut Fields<'_, 'd>,
    ) -> (
        IndexMap<String, SchemaRef>,
        IndexMap<String, SecurityScheme>,
        Components,
    ) {
        let cursor = fields.take_object("components");
        let Some(mut fields) = cursor.and_then(|cursor| self.expect_object(cursor, "`components`"))
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
        fields.take_object("links");
        fields.take_object("callbacks");
        (schemas, security_schemes, components)
    }

    fn read_paths(&self, fields: &mut Fields<'_, 'd>) -> (Vec<PathItem>, Vec<Operation>) {
        let mut read = (Vec::new(), Vec::new());
        let is_present = fields.take("paths").is_some();
        let Some(cursor) = fields.take_object("paths") else {
            if !is_present {
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

    fn check_operation_ids(&self, operations: &[Operation]) {
        let mut first_by_id = HashMap::new();
        for id in operations
            .iter()
            .filter_map(|operation| operation.id.as_ref())
        {
            if let Some(first) = first_by_id.insert(id.value.as_str(), id) {
                let message = format!("the operationId `{}` is not unique", id.value);
                let location = self.document.location(first.at.position);
                let help = match first.at.position.file == id.at.position.file {
                    true => format!("choose another: line {} has the same", location.line),
                    false => format!("choose another: {location} has the same"),
                };
                self.report_error_with_help(&id.at, message, &help);
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
    pub(crate) fn check_external_docs(&mut self) {
        let reader = self.reader;
        let cursor = self.take("externalDocs");
        let fields = cursor.and_then(|cursor| reader.expect_object(cursor, "`externalDocs`"));
        if let Some(mut fields) = fields {
            fields.read_required_string("url", "`externalDocs`");
            fields.check_strings(&["description"]);
        }
    }
}
