//! Parameters in path, query, header and cookie.

use indexmap::IndexMap;

use crate::content::{Example, MediaType};
use crate::fields::Fields;
use crate::named_enum::named_enum;
use crate::node::{Node, Object};
use crate::reader::{Cursor, Place, Reader};
use crate::schema::SchemaRef;
use crate::style::ParameterStyle;
use crate::suggestion::write_one_of;

/// A parameter of an operation or path.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The place in the document, after `$ref`s were followed.
    pub at: Place,
    /// Name in `components/parameters`, if it is a component.
    pub component: Option<String>,
    /// The place of the `$ref` to it, if there is one.
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

named_enum! {
    /// The part of a request that contains a parameter.
    ParameterLocation {
        Path = "path",
        Query = "query",
        Header = "header",
        Cookie = "cookie",
    }
}

impl ParameterLocation {
    /// The style of a parameter in this location if it does not declare `style`.
    pub fn default_style(self) -> ParameterStyle {
        match self {
            ParameterLocation::Path | ParameterLocation::Header => ParameterStyle::Simple,
            ParameterLocation::Query | ParameterLocation::Cookie => ParameterStyle::Form,
        }
    }
}

impl<'d> Reader<'d> {
    pub(crate) fn read_parameter(&self, cursor: Cursor<'d>) -> Option<Parameter> {
        let resolved = self.resolve(cursor, "parameters")?;
        let fields = self.expect_object(resolved.cursor, "a parameter")?;
        // Any name can be encoded, except that of a header: a parameter that no request can have is ignored.
        let name = fields.read_required_name("name", "a parameter", "a parameter", |_| true);
        let location = self.read_parameter_location(&fields)?;
        let style = fields.read_style().unwrap_or(location.default_style());
        Some(Parameter {
            at: fields.at.clone(),
            component: resolved.component,
            reference: resolved.reference,
            name,
            location,
            description: fields.read_string("description"),
            required: fields.read_flag("required") || location == ParameterLocation::Path,
            deprecated: fields.read_flag("deprecated"),
            allow_empty_value: fields.read_flag("allowEmptyValue"),
            style,
            explode: fields
                .read_boolean("explode")
                .unwrap_or(style.explodes_by_default()),
            allow_reserved: fields.read_flag("allowReserved"),
            schema: fields.read_schema(),
            content: fields.read_content(),
            example: fields.copy_value("example"),
            examples: fields.read_map("examples", Reader::read_example),
            extensions: fields.copy_extensions(),
        })
    }

    fn read_parameter_location(&self, fields: &Fields<'_, 'd>) -> Option<ParameterLocation> {
        let text = fields.read_required_string("in", "a parameter");
        let location = ParameterLocation::parse(&text);
        // A missing one has been reported.
        if location.is_none() && !text.is_empty() {
            let message = format!("a parameter cannot be in `{text}`");
            let help = match text.as_str() {
                "body" | "formData" => "OpenAPI 3.0 describes bodies in `requestBody`".to_owned(),
                _ => {
                    let names = ParameterLocation::ALL.iter().map(|it| it.as_str());
                    write_one_of(&text, &names.collect::<Vec<_>>())
                }
            };
            self.report_error_with_help(&fields.field_place("in"), message, help);
        }
        location
    }
}
