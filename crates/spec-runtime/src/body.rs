//! Request bodies: which media types an operation takes, and how its JSON is read and checked.

use http::HeaderMap;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use serde_json::Value;

use crate::document::Document;
use crate::media_type;
use crate::rejection::Rejection;
use crate::request::BODY_MISSING;
use crate::validate::Checker;
use spec_schema::Direction;
use spec_schema::SchemaError;

mod json;

/// One of the media types that an operation takes, found in a request's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaType {
    index: usize,
}

/// Why the request body of an operation cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// A schema is unusable.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A media type is declared that is not JSON.
    #[error("bodies of type {media_type} cannot be read; only JSON can")]
    NotJson {
        /// The media type as declared.
        media_type: String,
    },
    /// The reference to the body leads nowhere, or it declares no media type.
    #[error("it declares no content")]
    NoContent,
}

/// The body of one operation.
#[derive(Debug)]
pub(crate) struct BodyRules {
    required: bool,
    media_types: Vec<(String, Option<Checker>)>,
}

impl BodyRules {
    /// None if the operation takes no body.
    pub(crate) fn new(document: &Document, operation: &Value) -> Result<Option<Self>, BodyError> {
        let Some(definition) = operation.get("requestBody") else {
            return Ok(None);
        };
        let definition = document.resolve(definition).ok_or(BodyError::NoContent)?;
        let content = definition.get("content").and_then(Value::as_object);
        let mut media_types = Vec::new();
        for (name, media_type) in content.ok_or(BodyError::NoContent)? {
            let not_json = || BodyError::NotJson {
                media_type: name.clone(),
            };
            let essence = media_type::essence(name).map_err(|_| not_json())?;
            if !media_type::is_json(&essence) {
                return Err(not_json());
            }
            let schema = media_type.get("schema");
            let checker = schema.map(|schema| Checker::new(document, schema, Direction::Request));
            media_types.push((essence, checker.transpose()?));
        }
        if media_types.is_empty() {
            return Err(BodyError::NoContent);
        }
        let required = definition.get("required") == Some(&Value::Bool(true));
        Ok(Some(Self {
            required,
            media_types,
        }))
    }

    /// Decides by the headers alone whether the body can be taken. None if they name no media type and
    /// promise no body either.
    pub(crate) fn media_type(&self, headers: &HeaderMap) -> Result<Option<MediaType>, Rejection> {
        let refuse =
            |message: String| Rejection::unsupported(format!("{message}; send {}", self.taken()));
        match media_type::of(headers).map_err(|error| refuse(error.to_string()))? {
            Some(essence) => {
                let mut known = self.media_types.iter();
                match known.position(|(taken, _)| *taken == essence) {
                    Some(index) => Ok(Some(MediaType { index })),
                    None => {
                        let essence = crate::message::shorten(&essence);
                        Err(refuse(format!(
                            "the content type {essence} is not supported"
                        )))
                    }
                }
            }
            None if promises_body(headers) => Err(refuse(MEDIA_TYPE_MISSING.to_owned())),
            None => Ok(None),
        }
    }

    pub(crate) fn read(
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
        let chosen = media_type.and_then(|media_type| self.media_types.get(media_type.index));
        let Some((_, checker)) = chosen else {
            let taken = self.taken();
            return Err(Rejection::unsupported(format!(
                "{MEDIA_TYPE_MISSING}; send {taken}"
            )));
        };
        let value = json::parse(bytes)?;
        let problems = checker.as_ref().map(|checker| checker.problems(&value));
        match problems {
            Some(problems) if !problems.is_empty() => Err(Rejection::ValidationFailed { problems }),
            _ => Ok(Some(value)),
        }
    }

    fn taken(&self) -> String {
        let names: Vec<&str> = self
            .media_types
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        names.join(" or ")
    }
}

const MEDIA_TYPE_MISSING: &str = "the content type is missing";

/// RFC 9112, section 6.3: a request has a body only if one of these says so.
fn promises_body(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH);
    headers.contains_key(TRANSFER_ENCODING) || length.is_some_and(|length| length != "0")
}

#[cfg(test)]
mod member_tests;
#[cfg(test)]
mod tests;
