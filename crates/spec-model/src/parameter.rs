//! Parameters in path, query, header and cookie, and how they are written there.

use indexmap::IndexMap;

use crate::content::{Example, MediaType};
use crate::document::{Node, Object};
use crate::fields::Fields;
use crate::reader::{Cursor, Place, Reader};
use crate::schema::SchemaRef;

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Where it stands, after `$ref`s were followed.
    pub at: Place,
    /// Its name in `components/parameters`, if it stands there.
    pub component: Option<String>,
    /// Where the `$ref` to it stands, if there is one.
    pub reference: Option<Place>,
    /// `name`
    pub name: String,
    /// `in`
    pub location: ParameterLocation,
    /// `description`
    pub description: Option<String>,
    /// `required`; always true in a path.
    pub required: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `allowEmptyValue`
    pub allow_empty_value: bool,
    /// `style`, or its default for the location.
    pub style: ParameterStyle,
    /// `explode`, or its default for the style.
    pub explode: bool,
    /// `allowReserved`
    pub allow_reserved: bool,
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

/// Where a parameter is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterLocation {
    /// `path`
    Path,
    /// `query`
    Query,
    /// `header`
    Header,
    /// `cookie`
    Cookie,
}

/// How arrays and objects are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterStyle {
    /// `matrix`
    Matrix,
    /// `label`
    Label,
    /// `form`
    Form,
    /// `simple`
    Simple,
    /// `spaceDelimited`
    SpaceDelimited,
    /// `pipeDelimited`
    PipeDelimited,
    /// `deepObject`
    DeepObject,
}

impl ParameterLocation {
    /// As written in a document.
    pub fn as_str(self) -> &'static str {
        match self {
            ParameterLocation::Path => "path",
            ParameterLocation::Query => "query",
            ParameterLocation::Header => "header",
            ParameterLocation::Cookie => "cookie",
        }
    }

    /// The style if none is given.
    pub fn default_style(self) -> ParameterStyle {
        match self {
            ParameterLocation::Path | ParameterLocation::Header => ParameterStyle::Simple,
            ParameterLocation::Query | ParameterLocation::Cookie => ParameterStyle::Form,
        }
    }
}

impl std::fmt::Display for ParameterLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ParameterStyle {
    /// `explode` if it is not given.
    pub fn explodes_by_default(self) -> bool {
        self == ParameterStyle::Form
    }
}

impl<'d> Reader<'d> {
    pub(crate) fn parameter(&self, cursor: Cursor<'d>) -> Option<Parameter> {
        let resolved = self.resolve(cursor, "parameters")?;
        let mut fields = self.fields(resolved.cursor, "a parameter")?;
        let name = fields.required_string("name", "a parameter");
        let location = self.parameter_location(&mut fields)?;
        let style = fields.style().unwrap_or(location.default_style());
        let mut parameter = Parameter {
            at: fields.at.clone(),
            component: resolved.component,
            reference: resolved.reference,
            name,
            location,
            description: fields.string("description"),
            required: fields.flag("required"),
            deprecated: fields.flag("deprecated"),
            allow_empty_value: fields.flag("allowEmptyValue"),
            style,
            explode: fields
                .boolean("explode")
                .unwrap_or(style.explodes_by_default()),
            allow_reserved: fields.flag("allowReserved"),
            schema: fields.schema(),
            content: fields.content(),
            example: fields.raw("example"),
            examples: fields.read_map("examples", Reader::example),
            extensions: fields.extensions(),
        };
        if location == ParameterLocation::Path && !parameter.required {
            let message = format!("the path parameter `{}` is not required", parameter.name);
            let help = "add `required: true`: path parameters are always required";
            self.mistake(&parameter.at, message, help);
            parameter.required = true;
        }
        Some(parameter)
    }

    fn parameter_location(&self, fields: &mut Fields<'_, 'd>) -> Option<ParameterLocation> {
        match fields.required_string("in", "a parameter").as_str() {
            "path" => Some(ParameterLocation::Path),
            "query" => Some(ParameterLocation::Query),
            "header" => Some(ParameterLocation::Header),
            "cookie" => Some(ParameterLocation::Cookie),
            // A missing one has been reported.
            "" => None,
            other => {
                let message = format!("a parameter cannot be in `{other}`");
                let help = match other {
                    "body" | "formData" => "OpenAPI 3.0 describes bodies in `requestBody`",
                    _ => "write one of path, query, header, cookie",
                };
                self.error_with_help(&fields.place_of("in"), message, help);
                None
            }
        }
    }
}

impl Fields<'_, '_> {
    /// The field `style`.
    pub(crate) fn style(&mut self) -> Option<ParameterStyle> {
        let style = self.spanned_string("style")?;
        match style.value.as_str() {
            "matrix" => Some(ParameterStyle::Matrix),
            "label" => Some(ParameterStyle::Label),
            "form" => Some(ParameterStyle::Form),
            "simple" => Some(ParameterStyle::Simple),
            "spaceDelimited" => Some(ParameterStyle::SpaceDelimited),
            "pipeDelimited" => Some(ParameterStyle::PipeDelimited),
            "deepObject" => Some(ParameterStyle::DeepObject),
            other => {
                let message = format!("`{other}` is not a style");
                let help = "write one of matrix, label, form, simple, \
                            spaceDelimited, pipeDelimited, deepObject";
                self.reader.error_with_help(&style.at, message, help);
                None
            }
        }
    }
}
