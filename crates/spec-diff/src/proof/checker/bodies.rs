//! Writes and reads bodies by their media types.

use serde_json::{Map, Value};
use spec_schema::media_type::{covers, essence};
use spec_schema::{BodyKind, Direction};
use wire_codec::{Encoding, FormDecoder, Location, encode_form};

use super::{Checker, Refusal, RefusalKind, refusal};
use crate::proof::message::scalar_text;
use crate::proof::multipart::{Part, read_parts, write_parts};
use crate::proof::parameters::Preference;

impl Checker {
    /// Writes a value as a body of a media type, by its Media Type Object. None if it cannot be printed.
    pub(in crate::proof) fn write_body(
        &self,
        media_type: &str,
        media: &Value,
        value: &Value,
    ) -> Option<String> {
        match BodyKind::of(media_type) {
            BodyKind::Json => Some(value.to_string()),
            BodyKind::Text => scalar_text(value).filter(|text| !text.is_empty()),
            BodyKind::Form => {
                // Of other values OpenAPI does not say how they are written.
                let is_clear = |value: &Value| match value {
                    Value::Array(items) => items.iter().all(|it| scalar_text(it).is_some()),
                    other => scalar_text(other).is_some(),
                };
                let is_clear = value.as_object()?.values().all(is_clear);
                let encoding = |name: &str| {
                    let declared = media["encoding"].get(name)?;
                    Some(Encoding::of_definition(Location::Query, declared))
                };
                is_clear.then(|| encode_form(value, encoding).ok())?
            }
            BodyKind::Multipart => {
                let mut parts = Vec::new();
                for (name, value) in value.as_object()? {
                    let items = match value {
                        Value::Array(items) => items.as_slice(),
                        one => std::slice::from_ref(one),
                    };
                    for item in items {
                        parts.push(self.write_part(media, name, item)?);
                    }
                }
                write_parts(&parts).filter(|_| !parts.is_empty())
            }
            // What is not a text has a form that the document does not describe.
            BodyKind::Bytes => {
                let text = value.as_str()?;
                let is_plain = !text.is_empty() && !text.contains(char::is_control);
                Some(text.to_owned()).filter(|_| is_plain)
            }
        }
    }

    fn write_part(&self, media: &Value, name: &str, value: &Value) -> Option<Part> {
        let format = self.field(media, name).map_or("", |field| {
            let field = match field.get("items") {
                Some(items) => self.resolve(items),
                None => field,
            };
            field["format"].as_str().unwrap_or_default()
        });
        let is_file = matches!(format, "binary" | "byte" | "base64");
        let declared = encoding_of(media, name).first().copied();
        // Of `image/*` no type can be chosen that the document names.
        let media_type = match declared {
            Some(declared) if declared.contains('*') => return None,
            Some(declared) => Some(declared),
            None if value.is_object() => Some("application/json"),
            None if is_file => Some("application/octet-stream"),
            None => None,
        };
        let is_json = media_type.is_some_and(|it| BodyKind::of(it) == BodyKind::Json);
        let text = if is_json {
            value.to_string()
        } else {
            scalar_text(value)?
        };
        Some(Part {
            name: name.to_owned(),
            media_type: media_type.map(str::to_owned),
            is_file,
            text,
        })
    }

    /// Reads a body, as far as its media type says how, and checks the parts of a multipart body.
    pub(super) fn read_body(
        &self,
        sent: &str,
        media: &Value,
        text: &str,
        direction: Direction,
    ) -> Result<Value, Refusal> {
        let read_field = |name: &str, texts: Vec<String>| {
            let field = self.field(media, name);
            let items = field.and_then(|field| field.get("items"));
            let is_list = texts.len() > 1 || field.is_some_and(|it| it["type"] == "array");
            if is_list {
                let items = texts
                    .iter()
                    .map(|it| self.read_scalar(it, items, direction));
                Value::Array(items.collect())
            } else {
                self.read_scalar(&texts[0], field, direction)
            }
        };
        match BodyKind::of(sent) {
            BodyKind::Json => serde_json::from_str(text)
                .map_err(|error| refusal("the body", format!("it is not JSON: {error}"))),
            BodyKind::Form => {
                let check = |schema| Ok::<_, ()>(Preference(self.validator(schema, direction)));
                let form = FormDecoder::new(&self.document, media, check);
                let value = form.ok().and_then(|form| form.or_text().decode(text).ok());
                value.ok_or_else(|| refusal("the body", "it is not written as the document says"))
            }
            BodyKind::Multipart => {
                let parts = read_parts(text)
                    .ok_or_else(|| refusal("the body", "its parts cannot be read"))?;
                let mut fields: Vec<(String, Vec<String>)> = Vec::new();
                let mut json = Map::new();
                for part in parts {
                    check_part(media, &part)?;
                    let media_type = part.media_type.as_deref().unwrap_or("text/plain");
                    match BodyKind::of(media_type) {
                        BodyKind::Json => {
                            let value = serde_json::from_str(&part.text);
                            let value = value.unwrap_or(Value::String(part.text));
                            self.add_json(&mut json, media, part.name, value);
                        }
                        _ => add(&mut fields, part.name, part.text),
                    }
                }
                json.extend(fields.into_iter().map(|(name, texts)| {
                    let value = read_field(&name, texts);
                    (name, value)
                }));
                Ok(Value::Object(json))
            }
            BodyKind::Text => Ok(self.read_scalar(text, media.get("schema"), direction)),
            BodyKind::Bytes => Ok(Value::from(text)),
        }
    }

    fn add_json(&self, json: &mut Map<String, Value>, media: &Value, name: String, value: Value) {
        let is_list = self
            .field(media, &name)
            .is_some_and(|field| field["type"] == "array");
        match (is_list, json.get_mut(&name)) {
            (true, Some(Value::Array(items))) => items.push(value),
            (true, _) => drop(json.insert(name, Value::Array(vec![value]))),
            (false, _) => drop(json.insert(name, value)),
        }
    }

    /// The schema of a field of a form, or of a part.
    fn field<'d>(&'d self, media: &'d Value, name: &str) -> Option<&'d Value> {
        let schema = self.resolve(media.get("schema")?);
        Some(self.resolve(schema["properties"].get(name)?))
    }
}

fn add(fields: &mut Vec<(String, Vec<String>)>, name: String, text: String) {
    match fields.iter_mut().find(|(own, _)| *own == name) {
        Some((_, texts)) => texts.push(text),
        None => fields.push((name, vec![text])),
    }
}

/// The media types of a part that are declared.
fn encoding_of<'d>(media: &'d Value, name: &str) -> Vec<&'d str> {
    let declared = media["encoding"][name]["contentType"].as_str();
    let declared = declared.into_iter().flat_map(|it| it.split(','));
    declared.map(str::trim).collect()
}

/// Checks the media type of a part.
fn check_part(media: &Value, part: &Part) -> Result<(), Refusal> {
    let declared = encoding_of(media, &part.name);
    let sent = part.media_type.as_deref().unwrap_or("text/plain");
    let is_declared = |range: &&str| covers(&essence(range), &essence(sent));
    if declared.is_empty() || declared.iter().any(is_declared) {
        return Ok(());
    }
    Err(Refusal {
        kind: RefusalKind::MediaType,
        ..refusal(
            format!("the part `{}`", part.name),
            format!("its media type `{sent}` is not declared"),
        )
    })
}
