//! Decodes request bodies: selects the media type, parses JSON and validates it.

use http::HeaderMap;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use serde_json::Value;
use spec_schema::Direction;

use crate::definition_error::DefinitionError;
use crate::document::Document;
use crate::media_type;
use crate::message::truncate;
use crate::rejection::Rejection;
use crate::request::BODY_MISSING;
use crate::validate::SchemaValidator;

mod json;

/// One of the media types that an operation accepts, selected by the headers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaType {
    index: usize,
}

/// Decodes the request body of one operation.
#[derive(Debug)]
pub(crate) struct BodyDecoder {
    required: bool,
    media_types: Vec<(String, Option<SchemaValidator>)>,
}

impl BodyDecoder {
    /// Compiles the request body of an operation. None if the operation takes no body.
    pub(crate) fn new(
        document: &Document,
        operation: &Value,
    ) -> Result<Option<Self>, DefinitionError> {
        let Some(definition) = operation.get("requestBody") else {
            return Ok(None);
        };
        let definition = document.resolve(definition);
        let definition = definition.ok_or(DefinitionError::Reference)?;
        let content = definition.get("content").and_then(Value::as_object);
        let mut media_types = Vec::new();
        for (name, content) in content.into_iter().flatten() {
            let media_type = media_type::parse(name).ok();
            let media_type = media_type
                .filter(|media_type| media_type::is_json(media_type))
                .ok_or_else(|| DefinitionError::NotJson(name.clone()))?;
            let schema = content.get("schema");
            let validator =
                schema.map(|schema| SchemaValidator::new(document, schema, Direction::Request));
            media_types.push((media_type, validator.transpose()?));
        }
        if media_types.is_empty() {
            return Err(DefinitionError::NoContent);
        }
        let required = definition.get("required") == Some(&Value::Bool(true));
        Ok(Some(Self {
            required,
            media_types,
        }))
    }

    /// Selects the media type by the headers alone. None if they neither name a media type nor announce a body.
    pub(crate) fn select_media_type(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<MediaType>, Rejection> {
        let found = media_type::from_headers(headers)
            .map_err(|problem| self.reject_media_type(&problem))?;
        let Some(found) = found else {
            return match announces_body(headers) {
                true => Err(self.reject_media_type(MEDIA_TYPE_MISSING)),
                false => Ok(None),
            };
        };
        let mut accepted = self.media_types.iter();
        match accepted.position(|(media_type, _)| *media_type == found) {
            Some(index) => Ok(Some(MediaType { index })),
            None => {
                let found = truncate(&found);
                Err(self.reject_media_type(&format!("the content type {found} is not supported")))
            }
        }
    }

    pub(crate) fn decode(
        &self,
        media_type: Option<MediaType>,
        bytes: &[u8],
    ) -> Result<Option<Value>, Rejection> {
        if bytes.is_empty() {
            return match self.required {
                true => Err(Rejection::malformed(BODY_MISSING)),
                false => Ok(None),
            };
        }
        let selected = media_type.and_then(|media_type| self.media_types.get(media_type.index));
        let Some((_, validator)) = selected else {
            return Err(self.reject_media_type(MEDIA_TYPE_MISSING));
        };
        let value = json::parse(bytes)?;
        let problems = validator
            .as_ref()
            .map(|validator| validator.find_problems(&value));
        match problems {
            Some(problems) if !problems.is_empty() => Err(Rejection::ValidationFailed { problems }),
            _ => Ok(Some(value)),
        }
    }

    fn reject_media_type(&self, problem: &str) -> Rejection {
        let accepted = self.media_types.iter().map(|(name, _)| name.as_str());
        let accepted = accepted.collect::<Vec<_>>().join(" or ");
        Rejection::UnsupportedMediaType {
            message: format!("{problem}; send {accepted}"),
        }
    }
}

const MEDIA_TYPE_MISSING: &str = "the content type is missing";

/// Whether the headers of a request announce a body (RFC 9112, section 6.3).
fn announces_body(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH);
    headers.contains_key(TRANSFER_ENCODING) || length.is_some_and(|length| length != "0")
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod validation_tests;
