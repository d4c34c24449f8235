//! The whole document as OpenAPI means it.

use indexmap::IndexMap;

use crate::content::{Example, Header, RequestBody, Response};
use crate::diagnostic::{Diagnostic, Location};
use crate::document::{Document, Node, Object};
use crate::operation::Operation;
use crate::parameter::Parameter;
use crate::path_item::PathItem;
use crate::reader::{Place, Reader, Strictness, UnknownField};
use crate::schema::{Schema, SchemaRef};
use crate::security::{SecurityRequirement, SecurityScheme};
use crate::server::Server;

/// An OpenAPI 3.0 document, read and resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The tree it was read from.
    pub document: Document,
    /// `openapi`, such as `3.0.3`.
    pub version: String,
    /// `info`
    pub info: Info,
    /// `tags`
    pub tags: Vec<Tag>,
    /// `servers`
    pub servers: Vec<Server>,
    /// `security`, for operations that say nothing of their own.
    pub security: Vec<SecurityRequirement>,
    /// The entries of `paths`, in the order of the document.
    pub paths: Vec<PathItem>,
    /// `x-…` inside `paths`.
    pub paths_extensions: Object,
    /// All operations, in the order of the document.
    pub operations: Vec<Operation>,
    /// `components/schemas`, in the order of the document. One may be only another name for another.
    pub schemas: IndexMap<String, SchemaRef>,
    /// The other components.
    pub components: Components,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `x-…` at the root.
    pub extensions: Object,
    /// All fields that OpenAPI 3.0 does not define, wherever they stand, and what stands beside a `$ref`; by line.
    pub unknown_fields: Vec<UnknownField>,
    /// What [`Strictness::Strict`] would have refused.
    pub mistakes: Vec<Diagnostic>,
}

/// `info`
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// Where it stands.
    pub at: Place,
    /// `title`
    pub title: String,
    /// `version`, of the interface, not of OpenAPI.
    pub version: String,
    /// `description`
    pub description: Option<String>,
    /// `termsOfService`, a URL.
    pub terms_of_service: Option<String>,
    /// `contact`, as it stands.
    pub contact: Option<Node>,
    /// `license`, as it stands.
    pub license: Option<Node>,
    /// `x-…`
    pub extensions: Object,
}

/// An entry of `tags`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tag {
    /// Where it stands.
    pub at: Place,
    /// `name`
    pub name: String,
    /// `description`
    pub description: Option<String>,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `x-…`
    pub extensions: Object,
}

/// Documentation elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalDocs {
    /// Where it stands.
    pub at: Place,
    /// `url`
    pub url: String,
    /// `description`
    pub description: Option<String>,
    /// `x-…`
    pub extensions: Object,
}

/// What can be shared by `$ref`, by name, used or not; schemas are in [`Spec::schemas`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Components {
    /// `parameters`
    pub parameters: IndexMap<String, Parameter>,
    /// `headers`
    pub headers: IndexMap<String, Header>,
    /// `requestBodies`
    pub request_bodies: IndexMap<String, RequestBody>,
    /// `responses`
    pub responses: IndexMap<String, Response>,
    /// `examples`
    pub examples: IndexMap<String, Example>,
    /// `securitySchemes`
    pub security_schemes: IndexMap<String, SecurityScheme>,
    /// `links`, as they stand.
    pub links: Object,
    /// `callbacks`, as they stand.
    pub callbacks: Object,
    /// `x-…`
    pub extensions: Object,
}

impl Spec {
    /// Reads a document strictly.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of its lines.
    ///
    /// ```
    /// let text = "openapi: 3.0.3\ninfo: {title: Pets}\npaths: {}\n";
    /// let errors = spec_model::Spec::parse("pets.yaml", text).unwrap_err();
    /// assert_eq!(errors[0].to_string(), "pets.yaml:2:1: `info` needs `version` (/info)");
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Spec, Vec<Diagnostic>> {
        Spec::parse_with(name, text, Strictness::Strict)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// As [`Spec::parse`]; leniently, only what loses meaning.
    pub fn parse_with(
        name: &str,
        text: &str,
        strictness: Strictness,
    ) -> Result<Spec, Vec<Diagnostic>> {
        Spec::from_document(Document::parse(name, text)?, strictness)
    }

    /// Reads a tree.
    ///
    /// # Errors
    /// As [`Spec::parse_with`].
    pub fn from_document(
        document: Document,
        strictness: Strictness,
    ) -> Result<Spec, Vec<Diagnostic>> {
        let reader = Reader::new(&document, strictness);
        let parts = reader.spec();
        let (errors, mistakes, unknown_fields) = reader.finish();
        match parts {
            Some(parts) if errors.is_empty() => Ok(Spec {
                version: parts.version,
                info: parts.info,
                tags: parts.tags,
                servers: parts.servers,
                security: parts.security,
                paths: parts.paths,
                paths_extensions: parts.paths_extensions,
                operations: parts.operations,
                schemas: parts.schemas,
                components: parts.components,
                external_docs: parts.external_docs,
                extensions: parts.extensions,
                unknown_fields,
                mistakes,
                document,
            }),
            _ => Err(errors),
        }
    }

    /// The schema that a component's name stands for, other names followed.
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        // The reader refuses names that lead in a circle.
        let mut schema = self.schemas.get(name)?;
        loop {
            match schema {
                SchemaRef::Inline(schema) => return Some(schema),
                SchemaRef::Ref { name, .. } => schema = self.schemas.get(name)?,
            }
        }
    }

    /// The schema itself, a reference followed.
    pub fn resolve<'s>(&'s self, schema: &'s SchemaRef) -> Option<&'s Schema> {
        match schema {
            SchemaRef::Inline(schema) => Some(schema),
            SchemaRef::Ref { name, .. } => self.schema(name),
        }
    }

    /// The operation with this `operationId`.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        let has_id = |operation: &&Operation| {
            let own = operation.id.as_ref();
            own.is_some_and(|own| own.value == id)
        };
        self.operations.iter().find(has_id)
    }

    /// The tree under an element.
    pub fn node(&self, at: &Place) -> Option<&Node> {
        self.document.pointer(&at.pointer)
    }

    /// Where an element stands in the file.
    pub fn location(&self, at: &Place) -> Location {
        self.document.location(at.position)
    }

    /// A finding about an element.
    pub fn diagnostic(&self, at: &Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.location(at), at.pointer.clone(), message)
    }
}
