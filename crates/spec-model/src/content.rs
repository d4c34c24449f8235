//! Request bodies, responses, headers, media types and examples.

use indexmap::IndexMap;
use spec_schema::header::is_of_token;

use crate::fields::Fields;
use crate::node::{Node, Object};
use crate::reader::{Cursor, Place, Reader};
use crate::schema::SchemaRef;
use crate::style::ParameterStyle;

/// The request body of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestBody {
    /// The place in the document, after `$ref`s were followed.
    pub at: Place,
    /// The place of the `$ref` to it, if there is one.
    pub reference: Option<Place>,
    /// `description`
    pub description: Option<String>,
    /// `required`, false by default.
    pub required: bool,
    /// Media types by name, such as `application/json`.
    pub content: IndexMap<String, MediaType>,
}

/// A response that an operation declares for a status.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The place in the document, after `$ref`s were followed.
    pub at: Place,
    /// The place of the `$ref` to it, if there is one.
    pub reference: Option<Place>,
    /// `description`, which OpenAPI requires.
    pub description: Option<String>,
    /// Headers by name, as written.
    pub headers: IndexMap<String, Header>,
    /// Media types by name; empty if there is no body.
    pub content: IndexMap<String, MediaType>,
}

/// A header of a response, or of a part of a multipart body.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The place in the document, after `$ref`s were followed.
    pub at: Place,
    /// Name in `components/headers`, if it is a component.
    pub component: Option<String>,
    /// The place of the `$ref` to it, if there is one.
    pub reference: Option<Place>,
    /// `description`
    pub description: Option<String>,
    /// `required`, false by default.
    pub required: bool,
    /// `explode`, false by default.
    pub explode: bool,
    /// `schema`
    pub schema: Option<SchemaRef>,
    /// `content`, instead of `schema`.
    pub content: IndexMap<String, MediaType>,
    /// `example`
    pub example: Option<Node>,
    /// `examples`
    pub examples: IndexMap<String, Example>,
    /// `x-…`
    pub extensions: Object,
}

/// The schema and the examples of a body in one media type.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaType {
    /// The place in the document.
    pub at: Place,
    /// `schema`
    pub schema: Option<SchemaRef>,
    /// `example`
    pub example: Option<Node>,
    /// `examples`
    pub examples: IndexMap<String, Example>,
    /// `encoding`: how the properties of a form are written, by name.
    pub encoding: IndexMap<String, Encoding>,
}

/// How a property of a form or of a multipart body is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// The place in the document.
    pub at: Place,
    /// `contentType`, one or more media types.
    pub content_type: Option<String>,
    /// `style`
    pub style: Option<ParameterStyle>,
    /// `explode`
    pub explode: Option<bool>,
    /// `allowReserved`
    pub allow_reserved: bool,
}

/// A named example.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The place in the document, after `$ref`s were followed.
    pub at: Place,
    /// `value`
    pub value: Option<Node>,
    /// `externalValue`, a URL.
    pub external_value: Option<String>,
}

impl<'d> Reader<'d> {
    pub(crate) fn read_request_body(&self, cursor: Cursor<'d>) -> Option<RequestBody> {
        let resolved = self.resolve(cursor, "requestBodies")?;
        let fields = self.expect_object(resolved.cursor, "a request body")?;
        let body = RequestBody {
            at: fields.at.clone(),
            reference: resolved.reference,
            description: fields.read_string("description"),
            required: fields.read_flag("required"),
            content: fields.read_content(),
        };
        if body.content.is_empty() {
            let help = "add a media type, such as `application/json`";
            self.report_error_with_help(&body.at, "a request body needs `content`", help);
        }
        Some(body)
    }

    pub(crate) fn read_response(&self, cursor: Cursor<'d>) -> Option<Response> {
        let resolved = self.resolve(cursor, "responses")?;
        let fields = self.expect_object(resolved.cursor, "a response")?;
        fields.get_object("links");
        Some(Response {
            at: fields.at.clone(),
            reference: resolved.reference,
            description: fields.read_string("description"),
            headers: fields.read_headers(),
            content: fields.read_content(),
        })
    }

    pub(crate) fn read_header(&self, cursor: Cursor<'d>) -> Option<Header> {
        let resolved = self.resolve(cursor, "headers")?;
        let fields = self.expect_object(resolved.cursor, "a header")?;
        fields.check_flags(&["deprecated"]);
        fields.read_style();
        Some(Header {
            at: fields.at.clone(),
            component: resolved.component,
            reference: resolved.reference,
            description: fields.read_string("description"),
            required: fields.read_flag("required"),
            explode: fields.read_flag("explode"),
            schema: fields.read_schema(),
            content: fields.read_content(),
            example: fields.copy_value("example"),
            examples: fields.read_map("examples", Reader::read_example),
            extensions: fields.copy_extensions(),
        })
    }

    pub(crate) fn read_example(&self, cursor: Cursor<'d>) -> Option<Example> {
        let resolved = self.resolve(cursor, "examples")?;
        let fields = self.expect_object(resolved.cursor, "an example")?;
        fields.check_strings(&["summary", "description"]);
        Some(Example {
            at: fields.at.clone(),
            value: fields.copy_value("value"),
            external_value: fields.read_string("externalValue"),
        })
    }

    fn read_media_type(&self, cursor: Cursor<'d>) -> Option<MediaType> {
        let fields = self.expect_object(cursor, "a media type")?;
        Some(MediaType {
            at: fields.at.clone(),
            schema: fields.read_schema(),
            example: fields.copy_value("example"),
            examples: fields.read_map("examples", Reader::read_example),
            encoding: fields.read_map("encoding", Reader::read_encoding),
        })
    }

    fn read_encoding(&self, cursor: Cursor<'d>) -> Option<Encoding> {
        let fields = self.expect_object(cursor, "an encoding")?;
        fields.read_headers();
        Some(Encoding {
            at: fields.at.clone(),
            content_type: fields.read_string("contentType"),
            style: fields.read_style(),
            explode: fields.read_boolean("explode"),
            allow_reserved: fields.read_flag("allowReserved"),
        })
    }
}

impl Fields<'_, '_> {
    /// Reads the field `schema` of a parameter, header or media type.
    pub(crate) fn read_schema(&self) -> Option<SchemaRef> {
        let cursor = self.get("schema")?;
        self.reader.read_schema(cursor)
    }

    /// Reads the headers of a response or of a part of a body, by their names.
    pub(crate) fn read_headers(&self) -> IndexMap<String, Header> {
        let headers = self.read_map("headers", Reader::read_header);
        let declared = self.object.member("headers");
        for (name, header) in declared.iter().flat_map(Cursor::members) {
            let at = header.place();
            self.reader.check_name(&at, name, "a header", is_of_token);
        }
        headers
    }

    /// Reads the field `content`: the media types by name.
    pub(crate) fn read_content(&self) -> IndexMap<String, MediaType> {
        self.read_map("content", Reader::read_media_type)
    }
}
