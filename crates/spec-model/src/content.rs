//! What travels: request bodies, responses, their headers, media types and examples.

use indexmap::IndexMap;

use crate::document::{Node, Object};
use crate::fields::Fields;
use crate::parameter::ParameterStyle;
use crate::reader::{Cursor, Place, Reader};
use crate::schema::SchemaRef;

/// A request body.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestBody {
    /// Where it stands, after `$ref`s were followed.
    pub at: Place,
    /// Its name, if it stands in `components/requestBodies`.
    pub component: Option<String>,
    /// Where the `$ref` to it stands, if there is one.
    pub reference: Option<Place>,
    /// `description`
    pub description: Option<String>,
    /// `required`, false by default.
    pub required: bool,
    /// Media types by name, such as `application/json`.
    pub content: IndexMap<String, MediaType>,
    /// `x-…`
    pub extensions: Object,
}

/// A response.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Where it stands, after `$ref`s were followed.
    pub at: Place,
    /// Its name, if it stands in `components/responses`.
    pub component: Option<String>,
    /// Where the `$ref` to it stands, if there is one.
    pub reference: Option<Place>,
    /// `description`; the standard wants one.
    pub description: Option<String>,
    /// Headers by name, as written.
    pub headers: IndexMap<String, Header>,
    /// Media types by name; empty: no body.
    pub content: IndexMap<String, MediaType>,
    /// `links`, as they stand.
    pub links: Object,
    /// `x-…`
    pub extensions: Object,
}

/// A header of a response, or of a part of a multipart body.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Where it stands, after `$ref`s were followed.
    pub at: Place,
    /// Its name in `components/headers`, if it stands there.
    pub component: Option<String>,
    /// Where the `$ref` to it stands, if there is one.
    pub reference: Option<Place>,
    /// `description`
    pub description: Option<String>,
    /// `required`, false by default.
    pub required: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `style`; the default is the only one that headers have.
    pub style: ParameterStyle,
    /// `explode`, or its default for the style.
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

/// What a body of one media type looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaType {
    /// Where it stands.
    pub at: Place,
    /// `schema`
    pub schema: Option<SchemaRef>,
    /// `example`
    pub example: Option<Node>,
    /// `examples`
    pub examples: IndexMap<String, Example>,
    /// `encoding`, by property.
    pub encoding: IndexMap<String, Encoding>,
    /// `x-…`
    pub extensions: Object,
}

/// How one property of a form is encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// Where it stands.
    pub at: Place,
    /// `contentType`
    pub content_type: Option<String>,
    /// `headers`
    pub headers: IndexMap<String, Header>,
    /// `style`, if given.
    pub style: Option<ParameterStyle>,
    /// `explode`, if given.
    pub explode: Option<bool>,
    /// `allowReserved`
    pub allow_reserved: bool,
    /// `x-…`
    pub extensions: Object,
}

/// A named example.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Where it stands, after `$ref`s were followed.
    pub at: Place,
    /// Its name, if it stands in `components/examples`.
    pub component: Option<String>,
    /// `summary`
    pub summary: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `value`
    pub value: Option<Node>,
    /// `externalValue`, a URL.
    pub external_value: Option<String>,
    /// `x-…`
    pub extensions: Object,
}

impl<'d> Reader<'d> {
    pub(crate) fn request_body(&self, cursor: Cursor<'d>) -> Option<RequestBody> {
        let resolved = self.resolve(cursor, "requestBodies")?;
        let mut fields = self.fields(resolved.cursor, "a request body")?;
        let body = RequestBody {
            at: fields.at.clone(),
            component: resolved.component,
            reference: resolved.reference,
            description: fields.string("description"),
            required: fields.flag("required"),
            content: fields.content(),
            extensions: fields.extensions(),
        };
        if body.content.is_empty() {
            let help = "add a media type, such as `application/json`";
            self.mistake(&body.at, "a request body needs `content`", help);
        }
        Some(body)
    }

    pub(crate) fn response(&self, cursor: Cursor<'d>) -> Option<Response> {
        let resolved = self.resolve(cursor, "responses")?;
        let mut fields = self.fields(resolved.cursor, "a response")?;
        Some(Response {
            at: fields.at.clone(),
            component: resolved.component,
            reference: resolved.reference,
            description: fields.string("description"),
            headers: fields.read_map("headers", Reader::header),
            content: fields.content(),
            links: fields.raw_map("links"),
            extensions: fields.extensions(),
        })
    }

    pub(crate) fn header(&self, cursor: Cursor<'d>) -> Option<Header> {
        let resolved = self.resolve(cursor, "headers")?;
        let mut fields = self.fields(resolved.cursor, "a header")?;
        let style = fields.style().unwrap_or(ParameterStyle::Simple);
        Some(Header {
            at: fields.at.clone(),
            component: resolved.component,
            reference: resolved.reference,
            description: fields.string("description"),
            required: fields.flag("required"),
            deprecated: fields.flag("deprecated"),
            style,
            explode: fields
                .boolean("explode")
                .unwrap_or(style.explodes_by_default()),
            schema: fields.schema(),
            content: fields.content(),
            example: fields.raw("example"),
            examples: fields.read_map("examples", Reader::example),
            extensions: fields.extensions(),
        })
    }

    pub(crate) fn example(&self, cursor: Cursor<'d>) -> Option<Example> {
        let resolved = self.resolve(cursor, "examples")?;
        let mut fields = self.fields(resolved.cursor, "an example")?;
        Some(Example {
            at: fields.at.clone(),
            component: resolved.component,
            summary: fields.string("summary"),
            description: fields.string("description"),
            value: fields.raw("value"),
            external_value: fields.string("externalValue"),
            extensions: fields.extensions(),
        })
    }

    fn media_type(&self, cursor: Cursor<'d>) -> Option<MediaType> {
        let mut fields = self.fields(cursor, "a media type")?;
        Some(MediaType {
            at: fields.at.clone(),
            schema: fields.schema(),
            example: fields.raw("example"),
            examples: fields.read_map("examples", Reader::example),
            encoding: fields.read_map("encoding", Reader::encoding),
            extensions: fields.extensions(),
        })
    }

    fn encoding(&self, cursor: Cursor<'d>) -> Option<Encoding> {
        let mut fields = self.fields(cursor, "an encoding")?;
        Some(Encoding {
            at: fields.at.clone(),
            content_type: fields.string("contentType"),
            headers: fields.read_map("headers", Reader::header),
            style: fields.style(),
            explode: fields.boolean("explode"),
            allow_reserved: fields.flag("allowReserved"),
            extensions: fields.extensions(),
        })
    }
}

impl Fields<'_, '_> {
    /// The field `schema`.
    pub(crate) fn schema(&mut self) -> Option<SchemaRef> {
        let cursor = self.take("schema")?;
        self.reader.schema(cursor)
    }

    /// The field `content`.
    pub(crate) fn content(&mut self) -> IndexMap<String, MediaType> {
        self.read_map("content", Reader::media_type)
    }
}
