//! The schemas of a new resource: an item, and what it is created from. And an example of each.

use anyhow::bail;
use serde_json::{Map, Value, json};

use super::copy::Copier;
use super::field::{Field, FieldKind};
use super::noun::{Case, Noun};
use super::survey::{Model, Survey};

/// The schemas of a new resource.
#[derive(Debug)]
pub(super) struct Schemas {
    pub(super) item: Value,
    pub(super) new: Value,
    /// An example of an item, and of what it is created from; `None` where the id has a form that nothing here knows.
    pub(super) example: Option<Value>,
    pub(super) new_example: Option<Value>,
}

/// The id of an item: the path parameter and the property.
#[derive(Debug, Clone)]
pub(super) struct Id {
    /// The name of the path parameter.
    pub(super) parameter: String,
    /// The name of the property.
    pub(super) property: String,
    /// The schema of both.
    pub(super) schema: Value,
}

/// The name of the property that a resource has if no field is named.
const DEFAULT_FIELD: &str = "name";

/// Makes the schemas.
///
/// # Errors
/// A field has the name of the id or is there twice, or refers to a resource that the document does not have.
pub(super) fn make(
    survey: &Survey<'_>,
    model: Option<&Model<'_>>,
    noun: &Noun,
    id: &Id,
    fields: &[Field],
) -> anyhow::Result<Schemas> {
    let default = [Field {
        name: DEFAULT_FIELD.to_owned(),
        kind: FieldKind::String,
        is_required: true,
    }];
    let fields = match fields.is_empty() {
        // An item that is found by its name has another text.
        true if id.property == DEFAULT_FIELD => &[],
        true => &default[..],
        false => fields,
    };
    let mut properties = Map::new();
    let mut example = Map::new();
    for (index, field) in fields.iter().enumerate() {
        if field.name == id.property {
            bail!(
                "`{}` is the id, which every {} has: leave this --field out",
                field.name,
                noun.singular(Case::Text)
            );
        }
        if fields[..index].iter().any(|it| it.name == field.name) {
            bail!("--field has `{}` twice", field.name);
        }
        let schema = schema_of_field(survey, model, noun, field)?;
        if let Some(value) = example_of_field(survey, noun, field, &schema) {
            example.insert(field.name.clone(), value);
        }
        properties.insert(field.name.clone(), schema);
    }
    let required = fields.iter().filter(|field| field.is_required);
    let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
    let text = noun.singular(Case::Text);
    let closed = model.is_some_and(|it| is_closed(survey, it));
    let article = super::noun::capitalized(&noun.with_article());
    let new_text = format!(
        "{article} to create, or what {} is replaced with.",
        noun.with_article()
    );
    let new = object(&new_text, closed, &required, properties.clone());
    let mut all = Map::new();
    let mut id_schema = id.schema.clone();
    if let Some(members) = id_schema
        .as_object_mut()
        .filter(|it| !it.contains_key("$ref"))
    {
        let text = format!("The id of the {text}, given by the service.");
        let at = members
            .keys()
            .take_while(|key| ["type", "format"].contains(&key.as_str()))
            .count();
        members.shift_insert(at, "description".to_owned(), Value::String(text));
    }
    all.insert(id.property.clone(), id_schema);
    all.extend(properties);
    let required: Vec<&str> = [id.property.as_str()].into_iter().chain(required).collect();
    let item = object(&format!("{article}."), false, &required, all);
    let is_complete = required
        .iter()
        .skip(1)
        .all(|name| example.contains_key(*name));
    let new_example = is_complete.then(|| Value::Object(example.clone()));
    let id_example = scalar_example(survey, &id.schema).filter(|_| is_complete);
    let with_id = |value| {
        let mut item = Map::from_iter([(id.property.clone(), value)]);
        item.extend(example);
        Value::Object(item)
    };
    Ok(Schemas {
        item,
        new,
        example: id_example.map(with_id),
        new_example,
    })
}

/// The id of an item, as the model has it.
pub(super) fn find_id(
    survey: &Survey<'_>,
    model: Option<&Model<'_>>,
    noun: &Noun,
    copier: &mut Copier<'_>,
) -> Id {
    let case = survey.case_of_properties();
    let Some(model) = model else {
        return Id {
            parameter: Case::write(
                case,
                &[noun.singular.clone(), vec!["id".to_owned()]].concat(),
            ),
            property: "id".to_owned(),
            schema: survey.id_schema(),
        };
    };
    let parameter = model.path_parameter(survey);
    let schema = parameter.and_then(|it| survey.resolve(it).get("schema"));
    let properties = model.properties(survey);
    let names = [model.parameter, "id", "uuid"];
    let property = names
        .into_iter()
        .find(|name| properties.contains_key(*name));
    let schema = property.and_then(|name| properties.get(name)).or(schema);
    let schema = schema.map_or_else(
        || survey.id_schema(),
        |schema| {
            let mut schema = schema.clone();
            if let Some(members) = schema.as_object_mut() {
                for key in ["description", "title", "example", "default", "readOnly"] {
                    members.shift_remove(key);
                }
            }
            copier.copy(&schema)
        },
    );
    Id {
        parameter: copier.rename(model.parameter),
        property: property.map_or_else(|| "id".to_owned(), |name| copier.rename(name)),
        schema,
    }
}

impl<'d> Model<'d> {
    /// The declaration of the path parameter of an item.
    pub(super) fn path_parameter(&self, survey: &Survey<'d>) -> Option<&'d Value> {
        let operations = super::survey::Role::ALL.into_iter();
        let operations = operations.filter(|role| !role.is_of_collection());
        let declaring = [self.item]
            .into_iter()
            .chain(operations.filter_map(|role| self.operation(role)));
        let parameters = declaring.filter_map(|it| it.get("parameters")?.as_array());
        parameters.flatten().find(|it| {
            let it = survey.resolve(it);
            it.get("in") == Some(&json!("path")) && it.get("name") == Some(&json!(self.parameter))
        })
    }

    /// The properties of an item.
    fn properties(&self, survey: &Survey<'d>) -> Map<String, Value> {
        let schema = self
            .schema
            .and_then(|name| survey.components("schemas")?.get(name));
        let Some(schema) = schema.map(|it| survey.resolve(it)) else {
            return Map::new();
        };
        let parts = schema.get("allOf").and_then(Value::as_array);
        let parts = parts.into_iter().flatten().map(|it| survey.resolve(it));
        let all = [schema].into_iter().chain(parts);
        let properties = all.filter_map(|it| it.get("properties")?.as_object());
        properties
            .flatten()
            .map(|(name, schema)| (name.clone(), schema.clone()))
            .collect()
    }
}

/// Whether what an item of the model is created from refuses unknown properties.
fn is_closed<'d>(survey: &Survey<'d>, model: &Model<'d>) -> bool {
    let body = model
        .operation(super::survey::Role::Create)
        .and_then(|it| it.get("requestBody"));
    let schema = body.and_then(|it| survey.json_schema(survey.resolve(it)));
    schema.is_some_and(|it| survey.resolve(it).get("additionalProperties") == Some(&json!(false)))
}

fn object(
    description: &str,
    is_closed: bool,
    required: &[&str],
    properties: Map<String, Value>,
) -> Value {
    let mut schema = json!({ "type": "object", "description": description });
    if is_closed {
        schema["additionalProperties"] = json!(false);
    }
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["properties"] = Value::Object(properties);
    schema
}

/// The schema of a field. A property of the same name and type in the model lends its bounds.
fn schema_of_field(
    survey: &Survey<'_>,
    model: Option<&Model<'_>>,
    noun: &Noun,
    field: &Field,
) -> anyhow::Result<Value> {
    let words = super::noun::words(&field.name).join(" ");
    let description = format!("The {words} of the {}.", noun.singular(Case::Text));
    let mut schema = match &field.kind {
        FieldKind::String => json!({ "type": "string" }),
        FieldKind::Integer => json!({ "type": "integer", "format": "int64" }),
        FieldKind::Number => json!({ "type": "number", "format": "double" }),
        FieldKind::Boolean => json!({ "type": "boolean" }),
        FieldKind::Date => json!({ "type": "string", "format": "date" }),
        FieldKind::DateTime => json!({ "type": "string", "format": "date-time" }),
        FieldKind::Uuid => json!({ "type": "string", "format": "uuid" }),
        FieldKind::Enum(values) => {
            let mut schema = json!({ "type": "string" });
            schema["description"] = Value::String(description);
            schema["enum"] = json!(values);
            return Ok(schema);
        }
        FieldKind::References(resource) => {
            let (mut schema, of) = referenced_id(survey, resource)?;
            if let Some(members) = schema.as_object_mut().filter(|it| !it.contains_key("$ref")) {
                let at = members
                    .keys()
                    .take_while(|key| ["type", "format"].contains(&key.as_str()))
                    .count();
                members.shift_insert(
                    at,
                    "description".to_owned(),
                    Value::String(format!("The id of the {of}.")),
                );
            }
            return Ok(schema);
        }
    };
    schema["description"] = Value::String(description);
    let properties = model.map(|it| it.properties(survey)).unwrap_or_default();
    let same = properties
        .get(&field.name)
        .filter(|it| it.get("type") == schema.get("type"));
    for bound in ["minLength", "maxLength", "minimum", "maximum"] {
        if let Some(value) = same.and_then(|it| it.get(bound)) {
            schema[bound] = value.clone();
        }
    }
    Ok(schema)
}

/// The schema of the ids of another resource, and what its item is called.
fn referenced_id(survey: &Survey<'_>, resource: &str) -> anyhow::Result<(Value, String)> {
    let models = survey.models();
    let wanted = Noun::of_plural(resource);
    let is_wanted = |it: &&Model<'_>| it.noun == wanted || it.noun.plural == wanted.singular;
    let Some(model) = models.iter().find(is_wanted) else {
        let known = models.iter().map(|it| it.noun.plural(Case::Kebab));
        let mut known: Vec<String> = known.collect();
        known.sort();
        known.dedup();
        let known = if known.is_empty() {
            "the document has none yet".to_owned()
        } else {
            format!("the document has {}", known.join(", "))
        };
        bail!(
            "--field refers to `{resource}`, and there is no such resource with a path for each of its items: {known}"
        );
    };
    let parameter = model
        .path_parameter(survey)
        .and_then(|it| survey.resolve(it).get("schema"));
    let schema = parameter.cloned().unwrap_or_else(|| survey.id_schema());
    Ok((schema, model.noun.singular(Case::Text)))
}

/// An example of a field.
fn example_of_field(
    survey: &Survey<'_>,
    noun: &Noun,
    field: &Field,
    schema: &Value,
) -> Option<Value> {
    match (&field.kind, field.name.as_str()) {
        (FieldKind::String, "name" | "title") => {
            let text = format!("First {}", noun.singular(Case::Text));
            fits(&text, schema).then(|| json!(text))
        }
        (FieldKind::Enum(values), _) => Some(json!(values.first())),
        _ => scalar_example(survey, schema),
    }
}

fn fits(text: &str, schema: &Value) -> bool {
    let length = text.len() as u64;
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    bound("minLength").unwrap_or(0) <= length && length <= bound("maxLength").unwrap_or(u64::MAX)
}

/// An example of the schema of one value, if its form is known.
pub(super) fn scalar_example(survey: &Survey<'_>, schema: &Value) -> Option<Value> {
    let schema = spec_schema::resolve(survey.document, schema).unwrap_or(schema);
    if let Some(example) = schema.get("example").or_else(|| schema.get("default")) {
        return Some(example.clone());
    }
    if let Some(first) = schema.get("enum").and_then(|it| it.get(0)) {
        return Some(first.clone());
    }
    let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    if schema.get("pattern").is_some() {
        return None;
    }
    let value = match (text("type"), text("format")) {
        ("integer", _) => match schema.get("minimum") {
            Some(least) if least.as_i64().is_some_and(|least| least > 1) => least.clone(),
            _ => json!(1),
        },
        ("number", _) => json!(1.5),
        ("boolean", _) => json!(true),
        ("string", "date-time") => json!("2026-01-31T09:00:00Z"),
        ("string", "date") => json!("2026-01-31"),
        ("string", "uuid") => json!("5a0e7f0c-1f0b-4c3e-9d5a-2f6b8c1d4e7a"),
        ("string", "") if fits("Some text", schema) => json!("Some text"),
        _ => return None,
    };
    Some(value)
}
