//! What a document declares: the parameters of an operation, and the properties of the schema of a form.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::header::Ignored;
use crate::resolve;
use crate::wire::parameter::Location;

/// A parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'d> {
    /// Its name.
    pub name: &'d str,
    /// Where it stands.
    pub location: Location,
    /// Its definition, behind references.
    pub definition: &'d Value,
    /// Whether the operation declares it itself. If not, its path item does.
    pub is_own: bool,
    /// Its position in the list that declares it.
    pub index: usize,
}

/// The parameters of an operation: those of its path item, which its own replace if location and name are equal. Headers that
/// are no part of an interface are left out, and so is what has no name or no location.
pub fn declared_parameters<'d>(
    document: &'d Value,
    path_item: &'d Value,
    operation: &'d Value,
) -> Vec<Declared<'d>> {
    let mut found: Vec<Declared<'d>> = Vec::new();
    for (owner, is_own) in [(path_item, false), (operation, true)] {
        let list = owner.get("parameters").and_then(Value::as_array);
        for (index, parameter) in list.into_iter().flatten().enumerate() {
            let definition = resolve(document, parameter).unwrap_or(parameter);
            let name = definition.get("name").and_then(Value::as_str);
            let location = definition.get("in").and_then(Value::as_str);
            let location = location.and_then(Location::of_name);
            let Some((name, location)) = name.zip(location) else {
                continue;
            };
            found.retain(|other| (other.name, other.location) != (name, location));
            found.push(Declared {
                name,
                location,
                definition,
                is_own,
                index,
            });
        }
    }
    found.retain(|it| it.location != Location::Header || Ignored::find(it.name).is_none());
    found
}

/// The schema of a parameter or header, in `schema` or `content`; null, which allows everything, if there is none.
pub fn schema_of(definition: &Value) -> &Value {
    let schema = match content_of(definition) {
        Some((_, content)) => content.get("schema"),
        None => definition.get("schema"),
    };
    schema.unwrap_or(&Value::Null)
}

/// The media type of a parameter or header that is declared by `content`.
pub(crate) fn content_of(definition: &Value) -> Option<(&String, &Value)> {
    definition.get("content")?.as_object()?.iter().next()
}

/// The properties that a schema declares, also in the parts of `allOf`, `anyOf` and `oneOf`, and on a condition. Different declarations of one name are
/// combined by the same keywords; of lists, those of their items.
pub fn properties<'d>(document: &'d Value, schema: &'d Value) -> Vec<(&'d str, Cow<'d, Value>)> {
    properties_within(document, schema, 0)
}

type Declarations<'d> = Vec<(&'d str, Vec<Cow<'d, Value>>)>;

fn properties_within<'d>(
    document: &'d Value,
    schema: &'d Value,
    depth: usize,
) -> Vec<(&'d str, Cow<'d, Value>)> {
    let Some(schema) = resolve(document, schema).filter(|_| depth < MAX_DEPTH) else {
        return Vec::new();
    };
    let mut found = Declarations::new();
    let own = schema.get("properties").and_then(Value::as_object);
    for (name, property) in own.into_iter().flatten() {
        declare(&mut found, name, Cow::Borrowed(property));
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let mut members = Declarations::new();
        let parts = schema.get(keyword).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            for (name, property) in properties_within(document, part, depth + 1) {
                declare(&mut members, name, property);
            }
        }
        for (name, properties) in members {
            let keyword = if keyword == "allOf" { "allOf" } else { "anyOf" };
            declare(&mut found, name, combine(document, keyword, properties));
        }
    }
    let branches = ["then", "else"].into_iter();
    let branches = branches.filter_map(|keyword| schema.get(keyword));
    let dependent = schema.get("dependentSchemas").and_then(Value::as_object);
    let dependent = dependent.into_iter().flat_map(|it| it.values());
    let mut conditional = Declarations::new();
    for part in branches.chain(dependent) {
        for (name, property) in properties_within(document, part, depth + 1) {
            declare(&mut conditional, name, property);
        }
    }
    // What is declared without a condition has its type there.
    conditional.retain(|(name, _)| found.iter().all(|(known, _)| known != name));
    for (name, properties) in conditional {
        declare(&mut found, name, combine(document, "anyOf", properties));
    }
    let all = found.into_iter();
    all.map(|(name, properties)| (name, combine(document, "allOf", properties)))
        .collect()
}

/// Adds a declaration, unless it is known.
fn declare<'d>(found: &mut Declarations<'d>, name: &'d str, property: Cow<'d, Value>) {
    match found.iter_mut().find(|(known, _)| *known == name) {
        Some((_, known)) if known.contains(&property) => {}
        Some((_, known)) => known.push(property),
        None => found.push((name, vec![property])),
    }
}

fn combine<'d>(
    document: &'d Value,
    keyword: &str,
    mut schemas: Vec<Cow<'d, Value>>,
) -> Cow<'d, Value> {
    if schemas.len() == 1 {
        return schemas.remove(0);
    }
    let items = schemas.iter().map(|it| {
        let (list, _) = beside_null(document, it);
        list.get("items").filter(|_| is_list(list))
    });
    Cow::Owned(match items.collect::<Option<Vec<_>>>() {
        Some(items) => json!({ "type": "array", "items": { keyword: items } }),
        None => json!({ keyword: schemas }),
    })
}

/// The schema of all values but null: behind references, as the only part of `allOf`, and beside the schema of null in `anyOf` or
/// `oneOf`; and whether one of these was there.
pub fn beside_null<'d>(document: &'d Value, schema: &'d Value) -> (&'d Value, bool) {
    let (mut found, mut is_optional) = (schema, false);
    for _ in 0..MAX_DEPTH {
        found = resolve(document, found).unwrap_or(found);
        if found.get("type").is_some() {
            break;
        }
        let parts = |keyword| found.get(keyword).and_then(Value::as_array);
        let union = parts("anyOf").or(parts("oneOf"));
        let others = union.into_iter().flatten().filter(|it| {
            let part = resolve(document, it).unwrap_or(it);
            part["type"] != "null" && part["enum"] != json!([null])
        });
        let others: Vec<&Value> = others.collect();
        let has_null = union.is_some_and(|it| others.len() < it.len());
        found = match (others.as_slice(), parts("allOf").map(Vec::as_slice)) {
            ([only], None) if has_null => only,
            ([], Some([only])) if union.is_none() => only,
            _ => break,
        };
        is_optional |= has_null;
    }
    (found, is_optional)
}

/// Whether all values of a schema are lists, but for null.
pub fn is_list(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => {
            let mut others = types.iter().filter(|it| **it != "null").peekable();
            others.peek().is_some() && others.all(|it| it == "array")
        }
        found => found.is_some_and(|it| it == "array"),
    }
}

/// The names of the properties that a schema requires, also in the parts of `allOf`.
pub fn required_properties<'d>(document: &'d Value, schema: &'d Value) -> Vec<&'d str> {
    let mut found = Vec::new();
    visit(document, schema, &["allOf"], 0, &mut |schema| {
        let required = schema.get("required").and_then(Value::as_array);
        found.extend(required.into_iter().flatten().filter_map(Value::as_str));
    });
    found
}

/// The deepest nesting of combined schemas. A deeper one is a cycle of references.
const MAX_DEPTH: usize = 16;

/// Visits a schema and those that it combines by these keywords.
fn visit<'d>(
    document: &'d Value,
    schema: &'d Value,
    keywords: &[&str],
    depth: usize,
    visitor: &mut dyn FnMut(&'d Value),
) {
    let Some(schema) = resolve(document, schema).filter(|_| depth < MAX_DEPTH) else {
        return;
    };
    visitor(schema);
    for keyword in keywords {
        let parts = schema.get(keyword).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            visit(document, part, keywords, depth + 1, visitor);
        }
    }
}
