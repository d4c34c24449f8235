//! Schemas as OpenAPI 3.0 defines them. References to components are not replaced by their targets. Keywords that have another
//! meaning in OpenAPI 3.1 are errors where they are written as in 3.1.

use dropspec_schema::EXCLUSIVE_BOUNDS;
use indexmap::IndexMap;
use serde_json::Number;

use crate::address::ExternalDocs;
use crate::discriminator::Discriminator;
use crate::element::element;
use crate::fields::{Count, Divisor, Fields};
use crate::named_enum::named_enum;
use crate::node::{Node, Object, Value};
use crate::reader::{Located, Place};
use crate::suggestion::write_one_of;

/// A schema written in place, or a reference to a schema of `components`.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaRef {
    /// A `$ref` to `#/components/schemas/{name}`; the component exists.
    Ref {
        /// Name of the component.
        name: String,
        /// The place of the value of `$ref`.
        at: Place,
    },
    /// A schema written in place, or the target of a `$ref` that is not a component.
    Inline(Box<Schema>),
}

named_enum! {
    /// A value of `type`.
    SchemaType {
        Array = "array",
        Boolean = "boolean",
        Integer = "integer",
        Number = "number",
        Object = "object",
        String = "string",
    }
}

element! {
    /// A schema object. An absent keyword is `None`, `false` or empty. Most keywords that limit a value are only checked:
    /// their users read the JSON of the schema.
    #[derive(Default)]
    Schema is "a schema" checked by check_keywords {
        /// `None` also for an invalid type in a lenient reading.
        schema_type: Option<SchemaType> = "type" by read_type,
        /// Any text.
        format: Option<Located<String>> = "format",
        title: Option<String> = "title",
        description: Option<String> = "description",
        external_docs: Option<ExternalDocs> = "externalDocs",
        nullable: bool = "nullable",
        enumeration: Option<Vec<Node>> = "enum",
        default: Option<Node> = "default",
        example: Option<Node> = "example",
        /// `None` allows anything.
        items: Option<SchemaRef> = "items" by read_items,
        /// In the order of the document; then those that it has only on a condition.
        properties: IndexMap<String, SchemaRef> = "properties" by read_properties,
        /// Not every name needs to be in `properties`.
        required: Vec<Located<String>> = "required" by read_required,
        additional_properties: Option<AdditionalProperties> = "additionalProperties" by read_additional_properties,
        all_of: Vec<SchemaRef> = "allOf",
        one_of: Vec<SchemaRef> = "oneOf",
        any_of: Vec<SchemaRef> = "anyOf",
        not: Option<SchemaRef> = "not",
        discriminator: Option<Discriminator> = "discriminator",
        minimum: Option<Number> = "minimum",
        maximum: Option<Number> = "maximum",
        read_only: bool = "readOnly",
        write_only: bool = "writeOnly",
        deprecated: bool = "deprecated",
        /// The extensions.
        extensions: Object = "x-…" by Fields::extensions,
    }
}

/// The value of `additionalProperties`.
#[derive(Debug, Clone, PartialEq)]
pub enum AdditionalProperties {
    /// `true`
    Allowed,
    /// `false`
    Forbidden,
    /// They must be valid by this schema.
    Schema(SchemaRef),
}

impl SchemaRef {
    /// The place of the schema, or of the `$ref` to it.
    pub fn at(&self) -> &Place {
        match self {
            SchemaRef::Ref { at, .. } => at,
            SchemaRef::Inline(schema) => &schema.at,
        }
    }

    /// Whether both are certainly of one type: the same component, or the same type without any schema inside.
    pub(crate) fn has_type_of(&self, other: &SchemaRef) -> bool {
        let type_of = |it: &Schema| {
            let format = it.format.as_ref().map(|format| format.value.clone());
            let is_plain = it.enumeration.is_none()
                && !matches!(
                    it.schema_type,
                    None | Some(SchemaType::Array | SchemaType::Object)
                );
            is_plain.then_some((it.schema_type, format, it.nullable))
        };
        match (self, other) {
            (SchemaRef::Ref { name, .. }, SchemaRef::Ref { name: other, .. }) => name == other,
            (SchemaRef::Inline(schema), SchemaRef::Inline(other)) => {
                type_of(schema).is_some_and(|own| Some(own) == type_of(other))
            }
            _ => false,
        }
    }

    /// The name of the component, if this is a reference.
    pub fn name(&self) -> Option<&str> {
        match self {
            SchemaRef::Ref { name, .. } => Some(name),
            SchemaRef::Inline(_) => None,
        }
    }
}

impl Schema {
    /// A schema without keywords, which accepts anything.
    pub fn anything(at: Place) -> Schema {
        Schema {
            at,
            ..Schema::default()
        }
    }

    /// Whether `required` lists the property.
    pub fn requires(&self, property: &str) -> bool {
        self.required.iter().any(|name| name.value == property)
    }
}

const COUNTS: &str = "minLength maxLength minItems maxItems minProperties maxProperties";
/// Those that OpenAPI 3.1 adds.
const NEWER_COUNTS: &str = "minContains maxContains";
/// The keywords of OpenAPI 3.1 that hold a schema by which values are only checked.
const NEWER_SCHEMAS: &str = "if contains propertyNames unevaluatedItems unevaluatedProperties";

/// Reads the properties, and those that only `then`, `else` and `dependentSchemas` declare: an object may have them all.
fn read_properties(fields: &Fields<'_, '_>) -> Option<IndexMap<String, SchemaRef>> {
    let mut all: IndexMap<String, SchemaRef> = fields.read("properties")?;
    if !fields.reader.document.uses_json_schema() {
        return Some(all);
    }
    let branches: [Option<SchemaRef>; 2] = [fields.read("then")?, fields.read("else")?];
    let branches = branches.into_iter().flatten();
    let dependent: IndexMap<String, SchemaRef> = fields.read("dependentSchemas")?;
    let flag = fields.get("additionalProperties");
    if flag.is_some_and(|it| it.node.as_bool() == Some(false)) {
        return Some(all);
    }
    let mut found: IndexMap<String, Vec<SchemaRef>> = IndexMap::new();
    for schema in branches.chain(dependent.into_values()) {
        if let SchemaRef::Inline(schema) = schema {
            for (name, property) in schema.properties {
                found.entry(name).or_default().push(property);
            }
        }
    }
    for (name, declared) in found {
        // Other limits hold on the condition only.
        let first = &declared[0];
        let property = if declared.iter().all(|it| first.has_type_of(it)) {
            first.clone()
        } else {
            SchemaRef::Inline(Box::new(Schema::anything(first.at().clone())))
        };
        all.entry(name).or_insert(property);
    }
    Some(all)
}

/// Checks the keywords whose values are not used, and those that cannot be empty.
fn check_keywords(fields: &Fields<'_, '_>, _: &Schema) {
    fields.read::<Option<Divisor>>("multipleOf");
    fields.read::<Option<String>>("pattern");
    fields.read::<bool>("uniqueItems");
    let is_newer = fields.reader.document.uses_json_schema();
    let newer_counts = NEWER_COUNTS.split(' ').filter(|_| is_newer);
    for key in COUNTS.split(' ').chain(newer_counts) {
        fields.read::<Option<Count>>(key);
    }
    for key in NEWER_SCHEMAS.split(' ').filter(|_| is_newer) {
        fields.read::<Option<SchemaRef>>(key);
    }
    if is_newer {
        fields.read::<IndexMap<String, Vec<String>>>("dependentRequired");
    }
    for (key, bound) in EXCLUSIVE_BOUNDS {
        let written = fields.get(key);
        if let Some(number) = written.and_then(|it| it.node.as_number()) {
            let message = format!("a number as `{key}` is OpenAPI 3.1");
            let help = format!("write `{bound}: {number}` and `{key}: true`");
            fields.report_at(key, message, help);
        } else {
            fields.read::<bool>(key);
        }
    }
    for key in ["enum", "allOf", "oneOf", "anyOf", "prefixItems"] {
        let list = fields.get(key);
        if list.is_some_and(|it| it.node.as_array().is_some_and(<[_]>::is_empty)) {
            let what = if key == "enum" { "value" } else { "schema" };
            let help = format!("list a {what}, or remove it");
            fields.report_at(key, format!("`{key}` is empty"), help);
        }
    }
}

fn read_type(fields: &Fields<'_, '_>) -> Option<Option<SchemaType>> {
    let Some(cursor) = fields.get("type") else {
        return Some(None);
    };
    let message = match &cursor.node.value {
        Value::String(name) => match SchemaType::parse(name) {
            Some(schema_type) => return Some(Some(schema_type)),
            None => format!("`{name}` is not a type"),
        },
        Value::Array(_) if fields.reader.document.uses_json_schema() => return Some(None),
        Value::Array(_) => "a list of types is OpenAPI 3.1".to_owned(),
        _ => format!("`type` must be a string, found {}", cursor.node.kind()),
    };
    let written = cursor.node.as_str().unwrap_or_default();
    let several = if fields.reader.document.uses_json_schema() {
        "a list allows several types and `null`"
    } else {
        "`nullable: true` allows null, `oneOf` several types"
    };
    let help = format!(
        "{}; {several}, and no `type` any value",
        write_one_of(written, SchemaType::NAMES)
    );
    fields.report_at("type", message, help);
    Some(None)
}

fn read_items(fields: &Fields<'_, '_>) -> Option<Option<SchemaRef>> {
    // Those behind `prefixItems` are of one type with them, or of any.
    let prefix: Vec<SchemaRef> = fields.read("prefixItems")?;
    let written = fields.get("items");
    if written.is_some_and(|it| it.node.as_array().is_some()) {
        let help = "write one schema, with `oneOf` if the items differ";
        let message = "a list of schemas as `items` is not part of OpenAPI 3.0";
        fields.report_at("items", message, help);
        return Some(None);
    }
    let Some(items) = fields.read::<Option<SchemaRef>>("items")? else {
        return Some(None);
    };
    let mut all = prefix.iter();
    let first = match &items {
        SchemaRef::Inline(schema) if schema.not.is_some() => all.next().unwrap_or(&items),
        _ => &items,
    };
    let is_one = all.all(|item| first.has_type_of(item));
    Some(is_one.then(|| first.clone()))
}

fn read_required(fields: &Fields<'_, '_>) -> Option<Vec<Located<String>>> {
    let written = fields.get("required");
    if written.is_some_and(|it| it.node.as_bool().is_some()) {
        let help = "list the property under `required` of the object that has it";
        let message = "`required` of a schema must be a list of property names, found a boolean";
        fields.report_at("required", message, help);
        return Some(Vec::new());
    }
    fields.read("required")
}

fn read_additional_properties(fields: &Fields<'_, '_>) -> Option<Option<AdditionalProperties>> {
    let patterns: IndexMap<String, SchemaRef> = fields.read("patternProperties")?;
    let flag = fields.get("additionalProperties");
    let flag = flag.map(|it| it.node.as_bool());
    let mut all = patterns.values();
    let found = match (all.next(), flag) {
        // Those with a pattern are of one type, or of any.
        (Some(first), Some(Some(false))) if all.all(|other| first.has_type_of(other)) => {
            AdditionalProperties::Schema(first.clone())
        }
        (Some(_), _) | (None, Some(Some(true))) => AdditionalProperties::Allowed,
        (None, Some(Some(false))) => AdditionalProperties::Forbidden,
        (None, _) => {
            let schema: Option<SchemaRef> = fields.read("additionalProperties")?;
            return Some(schema.map(AdditionalProperties::Schema));
        }
    };
    Some(Some(found))
}
