//! The typed view of an OpenAPI document.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::address::{ExternalDocs, Server};
use crate::content::{Example, Header, RequestBody, Response};
use crate::diagnostic::{Diagnostic, Location};
use crate::document::Document;
use crate::element::element;
use crate::mend::mend;
use crate::node::{Node, Object};
use crate::operation::{Operation, PathItem};
use crate::parameter::Parameter;
use crate::reader::{Place, Reader};
use crate::schema::{Schema, SchemaRef};
use crate::security::{SecurityRequirement, SecurityScheme};

/// An OpenAPI document, with its `$ref`s followed, except those to schemas.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The document as it is written.
    pub source: Arc<Document>,
    /// The tree that the other fields were read from: [`Spec::source`] in one set of terms for all versions, apart from what was
    /// mended.
    pub document: Arc<Document>,
    /// `openapi`, such as `3.0.3`.
    pub version: String,
    /// `info`
    pub info: Info,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocs>,
    /// `servers`
    pub servers: Vec<Server>,
    /// `tags`
    pub tags: Vec<Tag>,
    /// `security`, for operations without their own.
    pub security: Vec<SecurityRequirement>,
    /// The entries of `paths`, in the order of the document.
    pub paths: Vec<PathItem>,
    /// All operations, in the order of the document.
    pub operations: Vec<Operation>,
    /// `webhooks`: the requests that the service sends, in the order of the document. They have no path. None in OpenAPI 3.0,
    /// where the field has no meaning.
    pub webhooks: IndexMap<String, Vec<Operation>>,
    /// `components/schemas`, in the order of the document. A component may be a reference to another.
    pub schemas: IndexMap<String, SchemaRef>,
    /// `components/securitySchemes`, in the order of the document.
    pub security_schemes: IndexMap<String, SecurityScheme>,
    /// The other components.
    pub components: Components,
    /// `x-…` at the root.
    pub extensions: Object,
    /// What OpenAPI forbids although it can mean only one thing, each with its rule. [`Spec::document`] says what it means.
    pub mended: Vec<Diagnostic>,
    /// The index of the component that each component is, or leads to by its reference.
    pub(crate) ends: HashMap<String, usize>,
    /// The index of the operation with each `operationId`.
    pub(crate) by_id: HashMap<String, usize>,
    /// The errors in the order of lines; none if the document was read by [`Spec::parse`].
    pub errors: Vec<Diagnostic>,
}

element! {
    /// What the interface is called.
    Info is "`info`" {
        title: String = "title",
        /// Of the interface, not of OpenAPI.
        version: String = "version",
        description: Option<String> = "description",
        terms: Option<String> = "termsOfService",
    }
}

element! {
    /// An entry of the document's `tags`.
    Tag is "a tag" {
        name: String = "name",
        description: Option<String> = "description",
        external_docs: Option<ExternalDocs> = "externalDocs",
        /// The tag above it.
        parent: Option<String> = "parent",
    }
}

element! {
    /// The components of the document by name, also those that nothing refers to. Schemas and security schemes are fields of
    /// [`Spec`], and none here.
    #[derive(Default)]
    Components is "`components`" {
        schemas: IndexMap<String, SchemaRef> = "schemas",
        security_schemes: IndexMap<String, SecurityScheme> = "securitySchemes",
        parameters: IndexMap<String, Parameter> = "parameters",
        headers: IndexMap<String, Header> = "headers",
        request_bodies: IndexMap<String, RequestBody> = "requestBodies",
        responses: IndexMap<String, Response> = "responses",
        examples: IndexMap<String, Example> = "examples",
        /// Not read further.
        links: Object = "links",
        /// Not read further.
        callbacks: Object = "callbacks",
    }
}

impl Spec {
    /// The alternatives of security requirements that apply to an operation: its own, or those of the document.
    pub fn security_of<'s>(&'s self, operation: &'s Operation) -> &'s [SecurityRequirement] {
        operation.security.as_ref().unwrap_or(&self.security)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// All errors, in the order of lines.
    ///
    /// ```
    /// let text = "openapi: 3.0.3\ninfo: {title: Pets}\npaths: {}\n";
    /// let errors = dropspec_model::Spec::parse("pets.yaml", text).unwrap_err();
    /// assert_eq!(errors[0].location.to_string(), "pets.yaml:2:1");
    /// assert_eq!(errors[0].message, "`info` needs `version`");
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Spec, Vec<Diagnostic>> {
        match Spec::parse_with_errors(name, text)? {
            spec if spec.errors.is_empty() => Ok(spec),
            spec => Err(spec.errors),
        }
    }

    /// Reads what can be read of a document that may have errors, as [`Spec::read_with_errors`].
    ///
    /// # Errors
    /// All errors, if the text is not YAML or JSON, or the document is not of a version that is supported or has no `info`.
    pub fn parse_with_errors(name: &str, text: &str) -> Result<Spec, Vec<Diagnostic>> {
        Spec::read_with_errors(Arc::new(Document::parse(name, text)?))
    }

    /// Reads what can be read of a parsed document that may have errors, which are in [`Spec::errors`]. Elements that
    /// cannot be read are left out.
    ///
    /// # Errors
    /// All errors, if the document is not of a version that is supported or has no `info`.
    pub fn read_with_errors(document: Arc<Document>) -> Result<Spec, Vec<Diagnostic>> {
        let (mended, violations) = mend(&document);
        let mended = mended.in_terms_of_code().map_or(mended, Arc::new);
        let reader = Reader::new(&mended);
        let spec = reader.read_spec(&document, &mended);
        let errors = reader.finish();
        match spec {
            Some(spec) => Ok(Spec {
                mended: violations,
                errors,
                ..spec
            }),
            None => Err(errors),
        }
    }

    /// Finds the schema of a component by name; if the component is a reference, its target.
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        // Components that refer to each other in a circle are errors, and have no schema.
        match self.schemas.get_index(*self.ends.get(name)?)? {
            (_, SchemaRef::Inline(schema)) => Some(schema),
            (_, SchemaRef::Ref { .. }) => None,
        }
    }

    /// The schema itself, or the target of the reference.
    pub fn resolve<'s>(&'s self, schema: &'s SchemaRef) -> Option<&'s Schema> {
        match schema {
            SchemaRef::Inline(schema) => Some(schema),
            SchemaRef::Ref { name, .. } => self.schema(name),
        }
    }

    /// Finds the operation with this `operationId`.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.get(*self.by_id.get(id)?)
    }

    /// The value at a place in the document.
    pub fn node(&self, at: &Place) -> Option<&Node> {
        self.document.pointer(&at.pointer)
    }

    /// The location (file, line and column) of a place in the document.
    pub fn location(&self, at: &Place) -> Location {
        self.document.location(at.position)
    }

    /// Creates a diagnostic about the element at a place.
    pub fn diagnostic(&self, at: &Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.location(at), at.pointer.clone(), message)
    }
}
