//! Reads schemas. Keywords that have another meaning in OpenAPI 3.1 are errors where they are written as in 3.1.

use serde_json::Number;

use crate::fields::Fields;
use crate::node::{MAX_DEPTH, Node, Value};
use crate::reader::{Cursor, Located, Reader};
use crate::reference::parse_component_pointer;
use crate::schema::{AdditionalProperties, Discriminator, Schema, SchemaRef, SchemaType};
use crate::suggestion::write_one_of;

/// The maximal number of `$ref`s to schemas that are not components; each of them is read again.
const MAX_INLINED: usize = 10_000;

impl<'d> Reader<'d> {
    /// Reads a schema, or a reference to a component.
    pub(crate) fn read_schema(&self, cursor: Cursor<'d>) -> Option<SchemaRef> {
        let Some(link) = self.find_reference(&cursor) else {
            return Some(SchemaRef::Inline(Box::new(
                self.read_inline_schema(cursor)?,
            )));
        };
        let target = self.follow_reference(&link)?;
        match parse_component_pointer(&target.pointer) {
            Some(("schemas", name)) => Some(SchemaRef::Ref {
                name,
                at: link.place(),
            }),
            _ => self.read_nested_target(&link, target),
        }
    }

    /// Reads the target of a `$ref` that is not a component, such as `#/components/schemas/Pet/properties/status`.
    fn read_nested_target(&self, link: &Cursor<'d>, target: Cursor<'d>) -> Option<SchemaRef> {
        let bounds = &self.schemas;
        let within_itself = bounds.inlining.borrow().contains(&target.pointer);
        if within_itself {
            let help = "give the schema a name under `components/schemas` and refer to that";
            self.refuse(link, "the `$ref` refers to itself", help);
            return None;
        }
        bounds.inlined.set(bounds.inlined.get() + 1);
        if bounds.inlined.get() > MAX_INLINED {
            let message =
                format!("more than {MAX_INLINED} `$ref`s to schemas that are not components");
            self.report_error(&link.place(), message);
            return None;
        }
        bounds.inlining.borrow_mut().push(target.pointer.clone());
        let schema = self.read_schema(target);
        bounds.inlining.borrow_mut().pop();
        schema
    }

    fn read_inline_schema(&self, cursor: Cursor<'d>) -> Option<Schema> {
        let depth = self.schemas.depth.get();
        if depth >= MAX_DEPTH {
            let message = format!("schemas are nested deeper than {MAX_DEPTH} levels");
            self.report_error(&cursor.place(), message);
            return None;
        }
        self.schemas.depth.set(depth + 1);
        let schema = self.expect_object(cursor, "a schema").map(read_keywords);
        self.schemas.depth.set(depth);
        schema
    }
}

fn read_keywords(fields: Fields<'_, '_>) -> Schema {
    fields.check_external_docs();
    fields.check_numbers(&["multipleOf", "minimum", "maximum"]);
    fields.check_counts(&["minLength", "maxLength", "minItems", "maxItems"]);
    fields.check_counts(&["minProperties", "maxProperties"]);
    fields.check_strings(&["pattern"]);
    fields.check_flags(&["uniqueItems"]);
    check_exclusive(&fields, "exclusiveMinimum", "minimum");
    check_exclusive(&fields, "exclusiveMaximum", "maximum");
    Schema {
        at: fields.at.clone(),
        schema_type: read_type(&fields),
        format: fields.read_located_string("format"),
        title: fields.read_string("title"),
        description: fields.read_string("description"),
        nullable: fields.read_flag("nullable"),
        enumeration: read_enum(&fields),
        default: fields.copy_value("default"),
        example: fields.copy_value("example"),
        items: read_items(&fields),
        properties: fields.read_map("properties", Reader::read_schema),
        required: read_required(&fields),
        additional_properties: read_additional_properties(&fields),
        all_of: read_schemas(&fields, "allOf"),
        one_of: read_schemas(&fields, "oneOf"),
        any_of: read_schemas(&fields, "anyOf"),
        not: fields
            .get("not")
            .and_then(|cursor| fields.reader.read_schema(cursor)),
        discriminator: read_discriminator(&fields),
        minimum: read_number(&fields, "minimum"),
        maximum: read_number(&fields, "maximum"),
        read_only: fields.read_flag("readOnly"),
        write_only: fields.read_flag("writeOnly"),
        deprecated: fields.read_flag("deprecated"),
        extensions: fields.copy_extensions(),
    }
}

fn read_type(fields: &Fields<'_, '_>) -> Option<SchemaType> {
    let cursor = fields.get("type")?;
    let message = match &cursor.node.value {
        Value::String(name) => match SchemaType::parse(name) {
            Some(schema_type) => return Some(schema_type),
            None => format!("`{name}` is not a type"),
        },
        Value::Array(_) if fields.reader.document.uses_json_schema() => return None,
        Value::Array(_) => "a list of types is OpenAPI 3.1".to_owned(),
        _ => format!("`type` must be a string, found {}", cursor.node.kind()),
    };
    let written = cursor.node.as_str().unwrap_or_default();
    let names: Vec<&str> = SchemaType::ALL.iter().map(|it| it.as_str()).collect();
    let help = format!(
        "{}; `nullable: true` allows null, `oneOf` several types, and no `type` any value",
        write_one_of(written, &names)
    );
    fields.reader.refuse(&cursor, message, help);
    None
}

fn read_enum(fields: &Fields<'_, '_>) -> Option<Vec<Node>> {
    let cursor = fields.get("enum")?;
    match &cursor.node.value {
        Value::Array(values) => {
            if values.is_empty() {
                let help = "list a value, or remove `enum`";
                fields.reader.refuse(&cursor, "`enum` is empty", help);
            }
            Some(values.clone())
        }
        _ => {
            let message = format!("`enum` must be an array, found {}", cursor.node.kind());
            fields.reader.report_error(&cursor.place(), message);
            None
        }
    }
}

/// Checks that `exclusiveMinimum` or `exclusiveMaximum` is a boolean beside the bound. In OpenAPI 3.1 it is a number.
fn check_exclusive(fields: &Fields<'_, '_>, name: &'static str, bound: &str) {
    let Some(cursor) = fields.get(name) else {
        return;
    };
    match &cursor.node.value {
        Value::Bool(_) => {}
        Value::Number(number) => {
            let message = format!("a number as `{name}` is OpenAPI 3.1");
            let help = format!("write `{bound}: {number}` and `{name}: true`");
            fields.reader.refuse(&cursor, message, help);
        }
        _ => {
            let message = format!("`{name}` must be a boolean, found {}", cursor.node.kind());
            fields.reader.report_error(&cursor.place(), message);
        }
    }
}

fn read_items(fields: &Fields<'_, '_>) -> Option<SchemaRef> {
    let Some(cursor) = fields.get("items") else {
        read_schemas(fields, "prefixItems");
        return None;
    };
    if cursor.node.as_array().is_some() {
        let help = "write one schema, with `oneOf` if the items differ";
        let message = "a list of schemas as `items` is not part of OpenAPI 3.0";
        fields.reader.refuse(&cursor, message, help);
        return None;
    }
    let items = fields.reader.read_schema(cursor)?;
    // Those behind `prefixItems` are of one type with them, or of any.
    let prefix = read_schemas(fields, "prefixItems");
    let is_end = matches!(&items, SchemaRef::Inline(schema) if schema.not.is_some());
    let mut all = prefix.iter();
    let first = if is_end && !prefix.is_empty() {
        all.next().cloned()?
    } else {
        items
    };
    all.all(|item| first.has_type_of(item)).then_some(first)
}

fn read_required(fields: &Fields<'_, '_>) -> Vec<Located<String>> {
    let cursor = fields.get("required");
    if let Some(cursor) = cursor
        && let Value::Bool(_) = cursor.node.value
    {
        let help = "list the property under `required` of the object that has it";
        let message = "`required` of a schema must be a list of property names, found a boolean";
        fields.reader.refuse(&cursor, message, help);
        return Vec::new();
    }
    fields.read_strings("required")
}

fn read_additional_properties(fields: &Fields<'_, '_>) -> Option<AdditionalProperties> {
    let patterns = fields.read_map("patternProperties", Reader::read_schema);
    let Some(cursor) = fields.get("additionalProperties") else {
        return (!patterns.is_empty()).then_some(AdditionalProperties::Allowed);
    };
    if !patterns.is_empty() {
        let is_closed = cursor.node.as_bool() == Some(false);
        let mut all = patterns.into_values();
        let first = all.next().filter(|_| is_closed);
        let one = first.filter(|first| all.all(|other| first.has_type_of(&other)));
        return Some(one.map_or(AdditionalProperties::Allowed, AdditionalProperties::Schema));
    }
    match cursor.node.value {
        Value::Bool(true) => Some(AdditionalProperties::Allowed),
        Value::Bool(false) => Some(AdditionalProperties::Forbidden),
        _ => Some(AdditionalProperties::Schema(
            fields.reader.read_schema(cursor)?,
        )),
    }
}

fn read_schemas(fields: &Fields<'_, '_>, name: &'static str) -> Vec<SchemaRef> {
    let Some(cursor) = fields.get(name) else {
        return Vec::new();
    };
    let reader = fields.reader;
    let schemas = fields.get_array(name);
    if schemas.is_empty() && cursor.node.as_array().is_some() {
        let message = format!("`{name}` is empty");
        reader.refuse(&cursor, message, "list a schema, or remove it");
    }
    schemas
        .into_iter()
        .filter_map(|item| reader.read_schema(item))
        .collect()
}

fn read_discriminator(fields: &Fields<'_, '_>) -> Option<Discriminator> {
    let reader = fields.reader;
    let cursor = fields.get("discriminator")?;
    let fields = reader.expect_object(cursor, "a discriminator")?;
    Some(Discriminator {
        property: fields.read_required_string("propertyName", "a discriminator"),
        mapping: fields.read_map("mapping", |reader, cursor| {
            Some(reader.read_string(cursor)?.value)
        }),
    })
}

/// The number of a field that was checked before.
fn read_number(fields: &Fields<'_, '_>, name: &'static str) -> Option<Number> {
    fields.get(name)?.node.as_number().cloned()
}
