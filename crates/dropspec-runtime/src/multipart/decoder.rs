//! The parts of a multipart body that the document declares, compiled to decode and validate each.

use dropspec_schema::wire::{PartKind, PartLayout, json, properties, required_properties};
use dropspec_schema::{Direction, media_type, pointer};
use serde_json::Value;

use crate::definition_error::unresolved;
use crate::document::Document;
use crate::rejection::{Problem, Rejection};
use crate::validate::SchemaValidator;

/// Decodes the parts of the multipart bodies of one operation.
#[derive(Debug)]
pub(crate) struct MultipartDecoder {
    pub(super) parts: Vec<PartDecoder>,
    /// Whether the document forbids other parts.
    pub(super) is_closed: bool,
}

/// Decodes one part, or each of several with the same name.
#[derive(Debug)]
pub(super) struct PartDecoder {
    pub(super) name: String,
    pub(super) layout: PartLayout,
    required: bool,
    min_items: usize,
    max_items: usize,
    validator: SchemaValidator,
}

impl MultipartDecoder {
    /// Compiles the parts from the media type object of a request body.
    pub(crate) fn new(document: &Document, content: &Value) -> Result<Self, String> {
        let schema = content.get("schema").unwrap_or(&Value::Null);
        let resolved = document.resolve(schema).ok_or_else(unresolved)?;
        let required = required_properties(document.json(), schema);
        let parts = properties(document.json(), schema).into_iter();
        let parts = parts.map(|(name, property)| {
            let encoding = content.get("encoding").and_then(|it| it.get(name));
            PartDecoder::new(
                document,
                name,
                &property,
                encoding,
                required.contains(&name),
            )
        });
        Ok(Self {
            parts: parts.collect::<Result<_, _>>()?,
            is_closed: resolved.get("additionalProperties") == Some(&Value::Bool(false)),
        })
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.name == name)
    }
}

impl PartDecoder {
    fn new(
        document: &Document,
        name: &str,
        property: &Value,
        encoding: Option<&Value>,
        required: bool,
    ) -> Result<Self, String> {
        let resolved = document.resolve(property).ok_or_else(unresolved)?;
        let layout = PartLayout::of_property(document.json(), property, encoding);
        let count = |keyword: &str| {
            let count = resolved.get(keyword).and_then(Value::as_u64);
            count
                .and_then(|count| usize::try_from(count).ok())
                .filter(|_| layout.repeated)
        };
        // A file cannot be validated before it is read, and then it is gone.
        let validated = match layout.kind {
            PartKind::File => &Value::Null,
            _ if layout.repeated => resolved.get("items").unwrap_or(&Value::Null),
            _ => property,
        };
        Ok(Self {
            name: name.to_owned(),
            required,
            min_items: count("minItems").unwrap_or(0),
            max_items: count("maxItems").unwrap_or(usize::MAX),
            layout,
            validator: SchemaValidator::new(document, validated, Direction::Request)?,
        })
    }

    pub(super) fn pointer(&self) -> String {
        pointer::join("", &self.name)
    }

    /// The problem with the number of parts of this name, if there is one.
    pub(super) fn describe_count(&self, count: usize) -> Option<String> {
        match count {
            0 if self.required && (self.min_items > 0 || !self.layout.repeated) => {
                Some("is required".to_owned())
            }
            0 => None,
            count if count < self.min_items => {
                Some(format!("must have at least {} parts", self.min_items))
            }
            count if count > self.max_items => {
                Some(format!("must have at most {} parts", self.max_items))
            }
            _ => None,
        }
    }

    /// Checks the `Content-Type` of a part. Without one, it is what the document declares.
    pub(super) fn check_media_type(&self, content_type: Option<&str>) -> Result<(), Rejection> {
        let Some(content_type) = content_type else {
            return Ok(());
        };
        if self.layout.accepts(content_type) {
            return Ok(());
        }
        Err(Rejection::UnsupportedMediaType {
            message: format!(
                "the content type {} of the part {:?} is not supported; send {}",
                media_type::essence(content_type),
                self.name,
                self.layout.media_types.join(" or ")
            ),
        })
    }

    /// Decodes and validates the content of a part.
    pub(super) fn decode(&self, bytes: &[u8]) -> Result<Value, Rejection> {
        let value = match self.layout.kind {
            PartKind::Json => json::parse(bytes).map_err(|error| {
                Rejection::malformed(format!(
                    "the part {:?} is not valid JSON: {error}",
                    self.name
                ))
            })?,
            PartKind::Text | PartKind::File => {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|_| Rejection::invalid(self.pointer(), "is not UTF-8"))?;
                let parsed = self.layout.shape.parse_plain(text);
                parsed.map_err(|message| Rejection::invalid(self.pointer(), message))?
            }
        };
        let mut problems = self.validator.find_problems(&value);
        if problems.is_empty() {
            return Ok(value);
        }
        for Problem { pointer, .. } in &mut problems {
            pointer.insert_str(0, &self.pointer());
        }
        Err(Rejection::ValidationFailed { problems })
    }
}
