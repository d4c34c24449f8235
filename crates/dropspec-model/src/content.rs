//! Request bodies, responses, headers, media types and examples.

use dropspec_schema::ITEM_SCHEMA_KEYS;
use dropspec_schema::header::is_of_token;
use dropspec_schema::wire::Style;
use indexmap::IndexMap;

use crate::element::element;
use crate::fields::Fields;
use crate::node::{Node, Object};
use crate::reader::Cursor;
use crate::schema::SchemaRef;

element! {
    /// The request body of an operation.
    RequestBody is "a request body" of "requestBodies" checked by check_body {
        description: Option<String> = "description",
        /// False by default.
        required: bool = "required",
        /// Media types by name, such as `application/json`.
        content: IndexMap<String, MediaType> = "content",
    }
}

element! {
    /// A response that an operation declares for a status.
    Response is "a response" of "responses" {
        /// OpenAPI requires it.
        description: Option<String> = "description",
        /// By name, as written.
        headers: IndexMap<String, Header> = "headers" by read_headers,
        /// Media types by name; empty if there is no body.
        content: IndexMap<String, MediaType> = "content",
        /// Not read further.
        links: Object = "links",
    }
}

element! {
    /// A header of a response, or of a part of a multipart body.
    Header is "a header" of "headers" {
        description: Option<String> = "description",
        /// False by default.
        required: bool = "required",
        deprecated: bool = "deprecated",
        style: Option<Style> = "style",
        /// False by default.
        explode: bool = "explode",
        schema: Option<SchemaRef> = "schema",
        /// Instead of `schema`.
        content: IndexMap<String, MediaType> = "content",
        example: Option<Node> = "example",
        examples: IndexMap<String, Example> = "examples",
        /// The extensions.
        extensions: Object = "x-…" by Fields::extensions,
    }
}

element! {
    /// The schema and the examples of a body in one media type.
    MediaType is "a media type" checked by check_media_type {
        schema: Option<SchemaRef> = "schema",
        example: Option<Node> = "example",
        examples: IndexMap<String, Example> = "examples",
        /// The schema of each item, if the body is a stream of items; in documents before 3.2 `x-item-schema`.
        item_schema: Option<SchemaRef> = "itemSchema" by read_item_schema,
        /// How the properties of a form are written, by name.
        encoding: IndexMap<String, Encoding> = "encoding",
        /// How the first parts of a multipart body are written, by position.
        prefix_encoding: Vec<Encoding> = "prefixEncoding",
        /// How the other parts are written.
        item_encoding: Option<Encoding> = "itemEncoding",
    }
}

element! {
    /// How a property of a form or of a multipart body is written.
    Encoding is "an encoding" {
        /// One or more media types.
        content_type: Option<String> = "contentType",
        headers: IndexMap<String, Header> = "headers" by read_headers,
        style: Option<Style> = "style",
        explode: Option<bool> = "explode",
        allow_reserved: bool = "allowReserved",
    }
}

element! {
    /// A named example.
    Example is "an example" of "examples" {
        summary: Option<String> = "summary",
        description: Option<String> = "description",
        /// Also the `dataValue` of OpenAPI 3.2.
        value: Option<Node> = "value" by read_value,
        /// A URL.
        external_value: Option<String> = "externalValue",
    }
}

fn read_value(fields: &Fields<'_, '_>) -> Option<Option<Node>> {
    let value: Option<Node> = fields.read("value")?;
    let data = fields.get("dataValue").filter(|_| value.is_none());
    Some(value.or(data.map(|data| data.node.clone())))
}

fn check_body(fields: &Fields<'_, '_>, body: &RequestBody) {
    if body.content.is_empty() {
        let help = "add a media type, such as `application/json`";
        fields.report("a request body needs `content`", help);
    }
}

fn check_media_type(fields: &Fields<'_, '_>, _: &MediaType) {
    let reference = fields.get("$ref").and_then(|it| it.node.as_str());
    if let Some(target) = reference.filter(|_| fields.reader.document.minor_version() >= 2) {
        let message = format!("`{target}` is no media type of this document");
        let help = "refer to one under `components/mediaTypes`, or write it here";
        fields.report_at("$ref", message, help);
    }
}

fn read_item_schema(fields: &Fields<'_, '_>) -> Option<Option<SchemaRef>> {
    let keys = ITEM_SCHEMA_KEYS.into_iter();
    let mut keys = keys.filter(|key| fields.get(key).is_some());
    fields.read(keys.next().unwrap_or("itemSchema"))
}

/// Reads the headers of a response or of a part of a body, by their names.
fn read_headers(fields: &Fields<'_, '_>) -> Option<IndexMap<String, Header>> {
    let declared = fields.get("headers");
    for (name, header) in declared.iter().flat_map(Cursor::members) {
        let at = header.place();
        fields.reader.check_name(&at, name, "a header", is_of_token);
    }
    fields.read("headers")
}
