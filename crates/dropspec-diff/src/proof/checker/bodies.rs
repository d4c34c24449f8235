//! Writes and reads bodies by their media types.

use dropspec_schema::wire::{
    Encoding, FormDecoder, Location, Part, PartLayout, decode_parts, encode_form, encode_parts,
};
use dropspec_schema::{BodyKind, Direction};
use indexmap::IndexMap;
use serde_json::Value;

use super::requests::Preference;
use super::{Refusal, RefusalKind, refusal};
use crate::checker::Checker;
use crate::proof::parameters::scalar_text;

/// What separates the parts of a multipart body. Texts that contain it are not written.
pub(in crate::proof) const BOUNDARY: &str = "part";

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
                    parts.extend(self.write_parts(media, name, value)?);
                }
                if parts.is_empty() {
                    return None;
                }
                String::from_utf8(encode_parts(BOUNDARY, &parts)).ok()
            }
            // What is not a text has a form that the document does not describe.
            BodyKind::Bytes => {
                let text = value.as_str()?;
                let is_plain = !text.is_empty() && !text.contains(char::is_control);
                Some(text.to_owned()).filter(|_| is_plain)
            }
        }
    }

    /// The parts of a property. None if one cannot be printed, or has no media type that the document names.
    fn write_parts(&self, media: &Value, name: &str, value: &Value) -> Option<Vec<Part>> {
        let layout = self.layout(media, name);
        let is_range = |it: &String| it.contains('*');
        if layout.media_types.first().is_some_and(is_range) {
            return None;
        }
        let is_plain = |text: &str| !text.contains(char::is_control) && !text.contains(BOUNDARY);
        let parts = layout.write(name, value);
        let can_be_read = |part: &Part| {
            let text = std::str::from_utf8(&part.content);
            text.is_ok_and(is_plain) && is_plain(&part.name)
        };
        parts.iter().all(can_be_read).then_some(parts)
    }

    /// How a property of a multipart body is written.
    fn layout(&self, media: &Value, name: &str) -> PartLayout {
        let property = self.field(media, name).unwrap_or(&Value::Null);
        let encoding = media["encoding"].get(name);
        PartLayout::of_property(self.document(), property, encoding)
    }

    /// Reads a body, as far as its media type says how, and checks the parts of a multipart body.
    pub(super) fn read_body(
        &self,
        sent: &str,
        media: &Value,
        text: &str,
        direction: Direction,
    ) -> Result<Value, Refusal> {
        match BodyKind::of(sent) {
            BodyKind::Json => serde_json::from_str(text)
                .map_err(|error| refusal("the body", format!("it is not JSON: {error}"))),
            BodyKind::Form => {
                let check =
                    |schema: &Value| Ok::<_, ()>(Preference(self.validator(schema, direction)));
                let form = FormDecoder::new(self.document(), media, check);
                let value = form.ok().and_then(|form| form.or_text().decode(text).ok());
                value.ok_or_else(|| refusal("the body", "it is not written as the document says"))
            }
            BodyKind::Multipart => {
                let parts = decode_parts(BOUNDARY, text.as_bytes())
                    .ok_or_else(|| refusal("the body", "its parts cannot be read"))?;
                let mut values: IndexMap<String, Vec<Value>> = IndexMap::new();
                for Part {
                    name,
                    media_type,
                    content,
                    ..
                } in parts
                {
                    let media_type = media_type.as_deref().unwrap_or("text/plain");
                    if !self.layout(media, &name).accepts(media_type) {
                        let reason = format!("its media type `{media_type}` is not declared");
                        let refused = refusal(format!("the part `{name}`"), reason);
                        return Err(refused.of_kind(RefusalKind::MediaType));
                    }
                    let text = String::from_utf8_lossy(&content).into_owned();
                    let field = self.field(media, &name);
                    let items = field.and_then(|field| field.get("items"));
                    let value = match BodyKind::of(media_type) {
                        BodyKind::Json => {
                            serde_json::from_str(&text).unwrap_or(Value::String(text))
                        }
                        _ => self.read_scalar(&text, items.or(field), direction),
                    };
                    values.entry(name).or_default().push(value);
                }
                let values = values.into_iter().map(|(name, mut values)| {
                    let field = self.field(media, &name);
                    let is_list = field.is_some_and(|field| field["type"] == "array");
                    let value = match values.len() {
                        1 if !is_list => values.remove(0),
                        _ => Value::Array(values),
                    };
                    (name, value)
                });
                Ok(Value::Object(values.collect()))
            }
            BodyKind::Text => Ok(self.read_scalar(text, media.get("schema"), direction)),
            BodyKind::Bytes => Ok(Value::from(text)),
        }
    }

    /// The schema of a field of a form, or of a part.
    fn field<'d>(&'d self, media: &'d Value, name: &str) -> Option<&'d Value> {
        let schema = self.resolve(media.get("schema")?);
        Some(self.resolve(schema["properties"].get(name)?))
    }
}
