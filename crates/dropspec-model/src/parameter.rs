//! Parameters in path, query, header and cookie.

use dropspec_schema::BodyKind;
use dropspec_schema::wire::{Location, Style};
use indexmap::IndexMap;

use crate::content::{Example, MediaType};
use crate::element::element;
use crate::fields::Fields;
use crate::node::{Node, Object};
use crate::reader::Cursor;
use crate::schema::SchemaRef;
use crate::suggestion::write_one_of;

element! {
    /// A parameter of an operation or path.
    Parameter is "a parameter" of "parameters" {
        name: String = "name" by read_name,
        location: Location = "in" by read_location,
        /// Whether its JSON is the whole query, which then has no name (`in: querystring`).
        is_whole_query: bool = "in" by is_whole_query,
        description: Option<String> = "description",
        /// Always true in a path.
        required: bool = "required" by is_required,
        deprecated: bool = "deprecated",
        allow_empty_value: bool = "allowEmptyValue",
        /// Its default for the location, if it is absent.
        style: Style = "style" by read_style,
        /// Its default for the style, if it is absent.
        explode: bool = "explode" by explodes,
        allow_reserved: bool = "allowReserved",
        schema: Option<SchemaRef> = "schema",
        /// Instead of `schema`.
        content: IndexMap<String, MediaType> = "content",
        example: Option<Node> = "example",
        examples: IndexMap<String, Example> = "examples",
        /// The extensions.
        extensions: Object = "x-…" by Fields::extensions,
    }
}

/// Any name can be encoded, except that of a header: a parameter that no request can have is ignored.
fn read_name(fields: &Fields<'_, '_>) -> Option<String> {
    Some(fields.read_required_name("name", fields.title, fields.title, |_| true))
}

fn read_location(fields: &Fields<'_, '_>) -> Option<Location> {
    let text = fields.read_required("in", fields.title);
    let is_whole = is_whole_query(fields)?;
    let location = Location::of_name(&text).filter(|_| is_whole || text != "querystring");
    // A missing one has been reported.
    if location.is_none() && !text.is_empty() {
        let message = format!("a parameter cannot be in `{text}`");
        let help = match text.as_str() {
            "querystring" => "describe it by `content: {application/x-www-form-urlencoded: {schema: …}}` without \
                 `encoding`, by `content: {application/json: {schema: …}}`, or as parameters in `query`"
                .to_owned(),
            "body" | "formData" => "OpenAPI 3.0 describes bodies in `requestBody`".to_owned(),
            _ => write_one_of(&text, &Location::NAMES),
        };
        fields.report_at("in", message, help);
    }
    location
}

fn is_whole_query(fields: &Fields<'_, '_>) -> Option<bool> {
    let text = |cursor: Cursor<'_>| cursor.node.as_str().map(str::to_owned);
    let location = fields.get("in").and_then(text);
    let content = fields.get("content");
    let content = content.and_then(|content| content.node.as_object());
    let is_json = content.is_some_and(|content| {
        let mut names = content.keys();
        content.len() == 1 && names.all(|name| BodyKind::of(name) == BodyKind::Json)
    });
    Some(is_json && location.as_deref() == Some("querystring"))
}

fn is_required(fields: &Fields<'_, '_>) -> Option<bool> {
    let is_in_path = read_location(fields)? == Location::Path;
    Some(fields.read::<bool>("required")? || is_in_path)
}

fn read_style(fields: &Fields<'_, '_>) -> Option<Style> {
    let declared: Option<Style> = fields.read("style")?;
    Some(declared.unwrap_or(read_location(fields)?.default_style()))
}

fn explodes(fields: &Fields<'_, '_>) -> Option<bool> {
    let declared: Option<bool> = fields.read("explode")?;
    Some(declared.unwrap_or(read_style(fields)?.explodes_by_default()))
}
