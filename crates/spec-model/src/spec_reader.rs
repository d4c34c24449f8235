//! Reads the root of a document, its components, and what holds between elements that stand far apart.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::document::Object;
use crate::fields::Fields;
use crate::operation::Operation;
use crate::path_item::PathItem;
use crate::reader::{Cursor, Reader, Spanned};
use crate::schema::SchemaRef;
use crate::security::SecurityRequirement;
use crate::server::Server;
use crate::spec::{Components, ExternalDocs, Info, Tag};

/// A [`Spec`](crate::Spec) before it is known to be free of errors.
pub(crate) struct Parts {
    pub(crate) version: String,
    pub(crate) info: Info,
    pub(crate) tags: Vec<Tag>,
    pub(crate) servers: Vec<Server>,
    pub(crate) security: Vec<SecurityRequirement>,
    pub(crate) paths: Vec<PathItem>,
    pub(crate) paths_extensions: Object,
    pub(crate) operations: Vec<Operation>,
    pub(crate) schemas: IndexMap<String, SchemaRef>,
    pub(crate) components: Components,
    pub(crate) external_docs: Option<ExternalDocs>,
    pub(crate) extensions: Object,
}

impl<'d> Reader<'d> {
    /// The document; nothing if it is not even one of OpenAPI 3.0, which has been reported.
    pub(crate) fn spec(&self) -> Option<Parts> {
        let mut fields = self.fields(self.root(), "an OpenAPI document")?;
        let version = self.version(&mut fields)?;
        let info = self.info(&mut fields);
        let tags = fields.list("tags");
        let (schemas, components) = self.components(&mut fields);
        let (paths, operations, paths_extensions) = self.paths(&mut fields);
        self.check_operation_ids(&operations);
        self.check_shapes(&paths);
        self.check_schema_names(&schemas);
        Some(Parts {
            version,
            info: info?,
            tags: tags.into_iter().filter_map(|tag| self.tag(tag)).collect(),
            servers: fields.servers(),
            security: fields.security().unwrap_or_default(),
            paths,
            paths_extensions,
            operations,
            schemas,
            components,
            external_docs: fields.external_docs(),
            extensions: fields.extensions(),
        })
    }

    fn version(&self, fields: &mut Fields<'_, 'd>) -> Option<String> {
        const HELP: &str = "only OpenAPI 3.0 is supported: write `openapi: 3.0.3`";
        if let Some(swagger) = fields.take("swagger") {
            let message = "this is a Swagger 2.0 document";
            self.error_with_help(&swagger.place(), message, HELP);
            return None;
        }
        let Some(cursor) = fields.take("openapi") else {
            self.error_with_help(&fields.at, "the document has no `openapi` version", HELP);
            return None;
        };
        let version = cursor.node.as_str().unwrap_or_default();
        let patch = version.strip_prefix("3.0.");
        if patch.is_some_and(|patch| patch.starts_with(|c: char| c.is_ascii_digit())) {
            return Some(version.to_owned());
        }
        let written = cursor.node.to_json();
        let message = format!("OpenAPI version {written} is not supported");
        self.error_with_help(&cursor.place(), message, HELP);
        None
    }

    fn info(&self, fields: &mut Fields<'_, 'd>) -> Option<Info> {
        let Some(cursor) = fields.take("info") else {
            self.error(&fields.at, "the document has no `info`");
            return None;
        };
        let mut fields = self.fields(cursor, "`info`")?;
        Some(Info {
            at: fields.at.clone(),
            title: fields.required_string("title", "`info`"),
            version: fields.required_string("version", "`info`"),
            description: fields.string("description"),
            terms_of_service: fields.string("termsOfService"),
            contact: fields.raw("contact"),
            license: fields.raw("license"),
            extensions: fields.extensions(),
        })
    }

    fn tag(&self, cursor: Cursor<'d>) -> Option<Tag> {
        let mut fields = self.fields(cursor, "a tag")?;
        Some(Tag {
            at: fields.at.clone(),
            name: fields.required_string("name", "a tag"),
            description: fields.string("description"),
            external_docs: fields.external_docs(),
            extensions: fields.extensions(),
        })
    }

    fn components(&self, fields: &mut Fields<'_, 'd>) -> (IndexMap<String, SchemaRef>, Components) {
        let cursor = fields.map("components");
        let Some(mut fields) = cursor.and_then(|cursor| self.fields(cursor, "`components`")) else {
            return Default::default();
        };
        let schemas = fields.read_map("schemas", Reader::schema);
        let components = Components {
            parameters: fields.read_map("parameters", Reader::parameter),
            headers: fields.read_map("headers", Reader::header),
            request_bodies: fields.read_map("requestBodies", Reader::request_body),
            responses: fields.read_map("responses", Reader::response),
            examples: fields.read_map("examples", Reader::example),
            security_schemes: fields.read_map("securitySchemes", Reader::security_scheme),
            links: fields.raw_map("links"),
            callbacks: fields.raw_map("callbacks"),
            extensions: fields.extensions(),
        };
        (schemas, components)
    }

    fn paths(&self, fields: &mut Fields<'_, 'd>) -> (Vec<PathItem>, Vec<Operation>, Object) {
        let mut found = (Vec::new(), Vec::new(), Object::new());
        let present = fields.take("paths").is_some();
        let Some(cursor) = fields.map("paths") else {
            if !present {
                let help = "write `paths: {}` if there are none";
                self.mistake(&fields.at, "the document has no `paths`", help);
            }
            return found;
        };
        for (path, item) in cursor.members() {
            if path.starts_with("x-") {
                if let Some(member) = cursor.node.as_object().and_then(|all| all.get(path)) {
                    found.2.insert(path.to_owned(), member.clone());
                }
            } else if let Some((item, operations)) = self.path_item(path, item) {
                found.0.push(item);
                found.1.extend(operations);
            }
        }
        found
    }

    /// A member of a map of strings.
    pub(crate) fn text(&self, cursor: Cursor<'d>) -> Option<Spanned<String>> {
        let at = cursor.place();
        match cursor.node.as_str() {
            Some(text) => {
                let value = text.to_owned();
                Some(Spanned { value, at })
            }
            None => {
                let found = cursor.node.kind();
                self.error(&at, format!("expected a string, found {found}"));
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
                let help = format!(
                    "choose another: line {} has the same",
                    first.at.position.line
                );
                self.mistake(&id.at, message, &help);
            }
        }
    }

    fn check_shapes(&self, paths: &[PathItem]) {
        let mut first_by_shape: HashMap<String, &PathItem> = HashMap::new();
        for item in paths {
            if let Some(first) = first_by_shape.insert(item.path.shape(), item) {
                let message = format!("the path matches the same requests as `{}`", first.path);
                self.mistake(&item.at, message, "put the operations under one path");
            }
        }
    }

    /// A component may be only another name for another one, but not in a circle.
    fn check_schema_names(&self, schemas: &IndexMap<String, SchemaRef>) {
        for (name, schema) in schemas {
            let mut steps = 0;
            let mut next = schema;
            while let SchemaRef::Ref { name: other, .. } = next {
                steps += 1;
                match schemas.get(other) {
                    Some(target) if steps <= schemas.len() => next = target,
                    Some(_) => {
                        let message = format!("the schema `{name}` refers to itself");
                        self.error(schema.at(), message);
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
    /// The field `externalDocs`.
    pub(crate) fn external_docs(&mut self) -> Option<ExternalDocs> {
        let cursor = self.take("externalDocs")?;
        let mut fields = self.reader.fields(cursor, "`externalDocs`")?;
        Some(ExternalDocs {
            at: fields.at.clone(),
            url: fields.expected_string("url", "`externalDocs`"),
            description: fields.string("description"),
            extensions: fields.extensions(),
        })
    }
}
