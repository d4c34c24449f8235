//! Checks what a comparison says by sampled values: without findings both documents accept the same values, and with
//! findings that break nobody a request stays valid and a response stays known.

use dropspec_diff::{Finding, Level};
use dropspec_model::Document;
use dropspec_schema::{Direction, Validator, build_validator, to_json_schema};
use serde_json::{Value, json};

use super::places::{Place, has_property, places, unsent_properties};

/// What a comparison says about the values of both documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Both documents accept the same values.
    Same,
    /// Requests of the base are valid in the revision, and responses of the revision in the base.
    BreaksNobody,
}

impl Claim {
    /// What the findings of a comparison claim; `None` if they claim nothing that samples can show.
    pub fn of(findings: &[Finding], base: &str) -> Option<Claim> {
        if findings.is_empty() {
            return Some(Claim::Same);
        }
        // A break of what is not stable may be an info, and so may one of what is never sent. A new property is an info, too,
        // although objects may have had another property of this name.
        let is_excused = |finding: &Finding| {
            let id = finding.id.as_str();
            let adds_property = id.contains("optional") && id.contains("property");
            finding.level > Level::Info || id.contains("-only") || adds_property
        };
        let says_nothing = base.contains("x-stability") || findings.iter().any(is_excused);
        (!says_nothing).then_some(Claim::BreaksNobody)
    }
}

/// What was checked of one comparison.
#[derive(Debug, Default)]
pub struct Checked {
    /// The pairs of schemas that are not the same text.
    pub schemas: u64,
    /// The values that were given to both.
    pub values: u64,
    /// A description of each pair of schemas that contradicts the claim.
    pub disagreements: Vec<String>,
}

/// Checks a claim about two documents.
pub fn check(base: &Document, revision: &Document, claim: Claim) -> Checked {
    let written = [base, revision].map(|document| document.root().to_json());
    let [old, new] = [base, revision].map(|document| document.in_terms_of_3_0().root().to_json());
    let mut checked = Checked::default();
    let [old, new] = [old, new].map(|document| select_by_discriminator(&document));
    let others = places(&new);
    for place in places(&old) {
        let Some(other) = others.iter().find(|other| other.name == place.name) else {
            continue;
        };
        check_place([&old, &new], &place, other, claim, &mut checked);
    }
    if claim == Claim::Same
        && [base, revision]
            .iter()
            .all(|document| document.uses_json_schema())
    {
        let others = places(&written[1]);
        for place in places(&written[0]) {
            let other = others.iter().find(|other| other.name == place.name);
            if let Some(other) = other {
                check_as_written(
                    [&written[0], &written[1]],
                    &old,
                    &place,
                    other,
                    &mut checked,
                );
            }
        }
    }
    checked
}

/// The document with `anyOf` for `oneOf` beside a discriminator, which selects a schema: no value matches several by accident.
fn select_by_discriminator(document: &Value) -> Value {
    accept_several_where(document, &|schema| schema["discriminator"].is_object())
}

/// The schema with `anyOf` for `oneOf`: clients are taken to understand a response that several schemas of a `oneOf` accept.
fn accept_several(schema: &Value) -> Value {
    accept_several_where(schema, &|_| true)
}

/// A document with `anyOf` for `oneOf` in the schemas that are chosen, except where `not` or `if` turns their meaning round.
fn accept_several_where(value: &Value, is_chosen: &dyn Fn(&Value) -> bool) -> Value {
    match value {
        Value::Array(items) => {
            let items = items.iter();
            items
                .map(|it| accept_several_where(it, is_chosen))
                .collect()
        }
        Value::Object(members) => {
            let renames = is_chosen(value) && !members.contains_key("anyOf");
            let members = members.iter().map(|(key, member)| match key.as_str() {
                "not" | "if" => (key.clone(), member.clone()),
                "oneOf" if renames => ("anyOf".to_owned(), accept_several_where(member, is_chosen)),
                _ => (key.clone(), accept_several_where(member, is_chosen)),
            });
            Value::Object(members.collect())
        }
        _ => value.clone(),
    }
}

fn check_place(
    documents: [&Value; 2],
    base: &Place<'_>,
    revision: &Place<'_>,
    claim: Claim,
    checked: &mut Checked,
) {
    let direction = base.direction;
    let schemas = [
        to_json_schema(documents[0], base.schema, direction),
        to_json_schema(documents[1], revision.schema, direction),
    ];
    let schemas = schemas.map(|schema| schema.map(|it| without_default_bounds(&it)));
    let [Ok(old), Ok(new)] = schemas else {
        return;
    };
    if old == new {
        return;
    }
    let known = match (claim, direction) {
        (Claim::BreaksNobody, Direction::Response) => accept_several(&old),
        _ => old.clone(),
    };
    let (Ok(old_validator), Ok(new_validator)) = (build_validator(&known), build_validator(&new))
    else {
        return;
    };
    let mut values = sample([(documents[0], base), (documents[1], revision)]);
    if claim == Claim::BreaksNobody {
        let unsent = documents.map(|document| unsent_properties(document, direction));
        values.retain(|value| !unsent.iter().any(|names| has_property(value, names)));
    }
    checked.schemas += 1;
    checked.values += values.len() as u64;
    for value in values {
        let is_compound = value.is_array() || value.is_object();
        if base.is_text && is_compound && claim == Claim::BreaksNobody {
            // A text is no list.
            continue;
        }
        let [before, after] =
            [&old_validator, &new_validator].map(|it| accepts(it, &value, base.is_text));
        let agrees = match (claim, direction) {
            (Claim::Same, _) => before == after,
            (Claim::BreaksNobody, Direction::Request) => !before || after,
            (Claim::BreaksNobody, Direction::Response) => !after || before,
        };
        if !agrees {
            checked.disagreements.push(format!(
                "{claim:?}, but of {} the base {} {value}\n  base:     {old}\n  revision: {new}",
                base.name,
                if before {
                    "alone accepts"
                } else {
                    "does not accept"
                },
            ));
            return;
        }
    }
}

/// The schema without the bounds that an integer has only because its type in Rust has them.
fn without_default_bounds(schema: &Value) -> Value {
    let is_default = |key: &str, value: &Value| match key {
        "minimum" => value == &json!(i64::MIN),
        "maximum" => value == &json!(i64::MAX) || value == &json!(u64::MAX),
        _ => false,
    };
    match schema {
        Value::Array(items) => items.iter().map(without_default_bounds).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let kept = members.filter(|(key, value)| !is_default(key, value));
            let kept = kept.map(|(key, value)| (key.clone(), without_default_bounds(value)));
            Value::Object(kept.collect())
        }
        _ => schema.clone(),
    }
}

/// Checks schemas of OpenAPI 3.1 as they are written, by JSON Schema 2020-12.
fn check_as_written(
    documents: [&Value; 2],
    base_in_3_0: &Value,
    base: &Place<'_>,
    revision: &Place<'_>,
    checked: &mut Checked,
) {
    if base.schema == revision.schema && documents[0]["components"] == documents[1]["components"] {
        return;
    }
    let compile = |document: &Value, schema: &Value| {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": "#/x-schema",
            "x-schema": schema,
            "components": document["components"],
        });
        build_validator(&schema).ok()
    };
    let old = compile(documents[0], base.schema);
    let (Some(old), Some(new)) = (old, compile(documents[1], revision.schema)) else {
        return;
    };
    let place = places(base_in_3_0)
        .into_iter()
        .find(|it| it.name == base.name);
    let Some(place) = place else {
        return;
    };
    let values = sample([(base_in_3_0, &place), (base_in_3_0, &place)]);
    checked.values += values.len() as u64;
    if let Some(value) = values
        .iter()
        .find(|it| old.is_valid(it) != new.is_valid(it))
    {
        checked.disagreements.push(format!(
            "no findings, but by JSON Schema one of {} rejects {value}\n  base:     {}\n  revision: {}",
            base.name, base.schema, revision.schema,
        ));
    }
}

/// Values at the bounds of two schemas and beyond, and one of each type.
fn sample(schemas: [(&Value, &Place<'_>); 2]) -> Vec<Value> {
    let mut values = vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(2),
        json!(4.5),
        json!("a"),
        json!(""),
        json!([]),
        json!([1, 1]),
        json!({}),
        json!({ "a": "a" }),
        json!({ "unknown": 1 }),
    ];
    for (document, place) in schemas {
        if let Ok(found) =
            dropspec_schema::samples::samples(document, place.schema, place.direction)
        {
            values.extend(found.valid);
            values.extend(found.invalid.into_iter().map(|(value, _)| value));
        }
    }
    // No text is `null`.
    values.retain(|value| !(value.is_null() && schemas[0].1.is_text));
    values
}

fn accepts(validator: &Validator, value: &Value, is_text: bool) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_scalar = !value.is_array() && !value.is_object() && !value.is_null();
    if is_text && is_scalar {
        let typed: Option<Value> = serde_json::from_str(&text).ok();
        // A text alone can also be the only item of a list.
        let readings = [Some(Value::from(text)), typed];
        let mut readings = readings.into_iter().flatten();
        readings.any(|it| validator.is_valid(&it) || validator.is_valid(&json!([it])))
    } else {
        validator.is_valid(value)
    }
}
