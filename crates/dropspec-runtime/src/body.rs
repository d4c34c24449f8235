//! Decodes request bodies: selects the media type, parses the body and validates it.

mod decoded;

use std::sync::{Arc, Mutex};

use dropshot::Body;
use dropspec_schema::wire::quote::truncate;
use dropspec_schema::wire::{FormDecoder, FormError, Shape, json};
use dropspec_schema::{BodyKind, Direction, media_type as ranges, pointer};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use serde_json::Value;

pub use self::decoded::IncomingBody;
pub(crate) use self::decoded::{BodyStream, Content};
use crate::definition_error::unresolved;
use crate::document::Document;
use crate::media_type;
use crate::multipart::MultipartDecoder;
use crate::rejection::{BODY_MISSING, Rejection};
use crate::validate::SchemaValidator;

/// One of the media types that an operation accepts, selected by the headers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaType {
    index: usize,
    is_streamed: bool,
}

/// Decodes the request body of one operation.
#[derive(Debug)]
pub(crate) struct BodyDecoder {
    required: bool,
    accepted: Vec<(String, ContentDecoder)>,
}

/// Decodes bodies of one media type, or of a range of them.
#[derive(Debug)]
enum ContentDecoder {
    Json(Option<SchemaValidator>),
    Form(Box<FormDecoder<'static, SchemaValidator>>, SchemaValidator),
    Text(Option<SchemaValidator>),
    Multipart(Arc<MultipartDecoder>),
    Bytes,
}

impl MediaType {
    /// Whether the handler reads the body itself, so that it must not be read before.
    pub fn is_streamed(self) -> bool {
        self.is_streamed
    }
}

impl BodyDecoder {
    /// Compiles the request body of an operation. None if the operation takes no body.
    pub(crate) fn new(
        document: &'static Document,
        operation: &'static Value,
    ) -> Result<Option<Self>, String> {
        let Some(definition) = operation.get("requestBody") else {
            return Ok(None);
        };
        let definition = document.resolve(definition);
        let definition = definition.ok_or_else(unresolved)?;
        let content = definition.get("content").and_then(Value::as_object);
        let mut accepted = Vec::new();
        for (name, content) in content.into_iter().flatten() {
            let decoder = ContentDecoder::new(document, BodyKind::of(name), content)?;
            accepted.push((ranges::essence(name), decoder));
        }
        if accepted.is_empty() {
            accepted.push(("*/*".to_owned(), ContentDecoder::Bytes));
        }
        let required = definition.get("required") == Some(&Value::Bool(true));
        Ok(Some(Self { required, accepted }))
    }

    /// Selects the media type by the headers alone. None if they neither name a media type nor announce a body.
    pub(crate) fn select_media_type(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<MediaType>, Rejection> {
        if let Some(index) = self.find_verbatim(headers) {
            return Ok(Some(self.media_type(index)));
        }
        let found = media_type::from_headers(headers)
            .map_err(|problem| self.reject_media_type(&problem))?;
        let Some(found) = found else {
            // Without a media type, a body is a sequence of bytes (RFC 9110, section 8.3).
            return match (
                announces_body(headers),
                self.find("application/octet-stream"),
            ) {
                (true, Some(index)) => Ok(Some(self.media_type(index))),
                (true, None) => Err(self.reject_media_type(MEDIA_TYPE_MISSING)),
                (false, _) => Ok(None),
            };
        };
        let Some(index) = self.find(&found.essence) else {
            let found = truncate(&found.essence);
            return Err(
                self.reject_media_type(&format!("the content type {found} is not supported"))
            );
        };
        let selected = self.media_type(index);
        match found.charset_problem {
            Some(problem) if !selected.is_streamed => Err(self.reject_media_type(&problem)),
            _ => Ok(Some(selected)),
        }
    }

    /// The media type whose name is the whole `Content-Type`, as most clients send it.
    fn find_verbatim(&self, headers: &HeaderMap) -> Option<usize> {
        let mut values = headers.get_all(CONTENT_TYPE).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let mut names = self.accepted.iter();
        names.position(|(name, _)| name.as_bytes() == value.as_bytes())
    }

    fn find(&self, media_type: &str) -> Option<usize> {
        let names = self.accepted.iter().map(|(name, _)| name.as_str());
        ranges::find_most_exact(names, media_type)
    }

    fn media_type(&self, index: usize) -> MediaType {
        let decoder = &self.accepted[index].1;
        let is_streamed = matches!(
            decoder,
            ContentDecoder::Multipart(_) | ContentDecoder::Bytes
        );
        MediaType { index, is_streamed }
    }

    pub(crate) fn decode(
        &self,
        media_type: Option<MediaType>,
        bytes: &[u8],
    ) -> Result<IncomingBody, Rejection> {
        if bytes.is_empty() && !self.accepts_empty(media_type) {
            return if self.required {
                Err(Rejection::malformed(BODY_MISSING))
            } else {
                Ok(IncomingBody::default())
            };
        }
        let selected = media_type.and_then(|media_type| self.accepted.get(media_type.index));
        let (Some(media_type), Some((_, decoder))) = (media_type, selected) else {
            return Err(self.reject_media_type(MEDIA_TYPE_MISSING));
        };
        Ok(IncomingBody {
            media_type: media_type.index,
            content: decoder.decode(bytes)?,
        })
    }

    /// Whether no bytes are a value: an empty text, or a form without fields.
    fn accepts_empty(&self, media_type: Option<MediaType>) -> bool {
        let selected = media_type.and_then(|media_type| self.accepted.get(media_type.index));
        let is_text = |decoder: &ContentDecoder| {
            matches!(decoder, ContentDecoder::Text(_) | ContentDecoder::Form(..))
        };
        self.required && selected.is_some_and(|(_, decoder)| is_text(decoder))
    }

    /// Prepares a body that the handler reads.
    pub(crate) fn stream(
        &self,
        media_type: MediaType,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<IncomingBody, Rejection> {
        let content_type = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let multipart = match &self.accepted[media_type.index].1 {
            ContentDecoder::Multipart(decoder) => {
                let boundary = multer::parse_boundary(content_type.unwrap_or_default());
                let boundary = boundary.map_err(|_| {
                    Rejection::malformed("the content type of a multipart body needs a boundary")
                })?;
                Some((boundary, Arc::clone(decoder)))
            }
            _ => None,
        };
        Ok(IncomingBody {
            media_type: media_type.index,
            content: Content::Stream(Box::new(BodyStream {
                body: Mutex::new(Some(body)),
                content_type: content_type.map(ToOwned::to_owned),
                multipart,
            })),
        })
    }

    fn reject_media_type(&self, problem: &str) -> Rejection {
        let accepted = self.accepted.iter().map(|(name, _)| name.as_str());
        let accepted = accepted.collect::<Vec<_>>().join(" or ");
        Rejection::UnsupportedMediaType {
            message: format!("{problem}; send {accepted}"),
        }
    }
}

impl ContentDecoder {
    fn new(
        document: &'static Document,
        kind: BodyKind,
        content: &'static Value,
    ) -> Result<Self, String> {
        let schema = content.get("schema");
        let compile = |schema: &Value| SchemaValidator::new(document, schema, Direction::Request);
        let validator = || schema.map(compile).transpose();
        Ok(match kind {
            BodyKind::Json => Self::Json(validator()?),
            // A schema that describes the structure of XML, for example, says nothing about the text.
            BodyKind::Text if !describes_text(document, schema) => Self::Text(None),
            BodyKind::Text => Self::Text(validator()?),
            BodyKind::Form => Self::Form(
                Box::new(FormDecoder::new(document.json(), content, compile)?),
                compile(schema.unwrap_or(&Value::Null))?,
            ),
            BodyKind::Multipart => {
                Self::Multipart(Arc::new(MultipartDecoder::new(document, content)?))
            }
            BodyKind::Bytes => Self::Bytes,
        })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Content, Rejection> {
        match self {
            Self::Json(validator) => {
                let value = json::parse(bytes).map_err(|error| {
                    Rejection::malformed(format!("the body is not valid JSON: {error}"))
                })?;
                validator
                    .as_ref()
                    .map_or(Ok(()), |it| it.validate(&value))?;
                Ok(Content::Value(value))
            }
            Self::Form(decoder, validator) => {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|_| Rejection::malformed("the form is not UTF-8"))?;
                let value = decoder.decode(text).map_err(|error| match error {
                    FormError::Name(message) => Rejection::malformed(message),
                    FormError::Field(name, message) => {
                        Rejection::invalid(pointer::join("", &name), message)
                    }
                })?;
                validator.validate(&value)?;
                Ok(Content::Value(value))
            }
            Self::Text(validator) => {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|_| Rejection::malformed("the body is not UTF-8"))?;
                validator
                    .as_ref()
                    .map_or(Ok(()), |it| it.validate(&Value::from(text)))?;
                Ok(Content::Text(text.to_owned()))
            }
            Self::Multipart(_) | Self::Bytes => Ok(Content::None),
        }
    }
}

/// Whether a schema describes a text, and not what the text means.
pub(crate) fn describes_text(document: &Document, schema: Option<&Value>) -> bool {
    schema.is_none_or(|schema| Shape::of_schema(document.json(), schema).is_text())
}

const MEDIA_TYPE_MISSING: &str = "the content type is missing";

/// Whether the headers of a request announce a body (RFC 9112, section 6.3).
fn announces_body(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH);
    headers.contains_key(TRANSFER_ENCODING) || length.is_some_and(|length| length != "0")
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod validation_tests;
