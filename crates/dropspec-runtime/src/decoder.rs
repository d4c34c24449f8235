//! Decodes requests by the document. Every schema is compiled once, at the start; operations are named by their index.

mod deprecated;

use dropshot::Body;
use dropspec_schema::wire::quote::truncate;
use dropspec_schema::wire::{Location, UnknownNames, split_cookies, split_query};
use dropspec_schema::{Direction, Framing, item_schema};
use http::HeaderMap;
use http::header::COOKIE;
use serde_json::Value;

use self::deprecated::DeprecatedInputs;
use crate::body::{BodyDecoder, IncomingBody, MediaType};
use crate::definition_error::DocumentError;
use crate::document::Document;
use crate::operation::OperationInfo;
use crate::parameters::{self, ParameterList, find_texts};
use crate::rejection::Rejection;
use crate::request::{DecodedRequest, Parameters};
use crate::routes::PathParameters;

/// Decodes and validates the parameters and bodies of requests to all operations.
#[derive(Debug)]
pub struct Decoder {
    document: &'static Document,
    operations: Vec<OperationDecoder>,
}

#[derive(Debug, Default)]
struct OperationDecoder {
    /// The parameters of each [`Location`].
    parameters: [ParameterList; 4],
    body: Option<BodyDecoder>,
    /// The largest body (`x-max-body-bytes`), if the document declares one.
    max_body_bytes: Option<usize>,
    /// Whether a response may be a stream of items.
    sends_items: bool,
    deprecated: DeprecatedInputs,
}

impl Decoder {
    /// Compiles the parameters and bodies that the document declares for the operations of a table.
    ///
    /// # Errors
    ///
    /// [`DocumentError`] for the first definition that is not supported. None is ignored.
    pub fn new(
        document: &'static Document,
        operations: &[OperationInfo],
    ) -> Result<Self, DocumentError> {
        let credentials = parameters::find_credentials(document);
        let operations = operations.iter().map(|info| {
            let mut decoder = OperationDecoder::new(document, info)?;
            decoder.parameters[Location::Query as usize].ignore(credentials.clone());
            Ok(decoder)
        });
        let operations = operations.collect::<Result<_, _>>()?;
        Ok(Self {
            document,
            operations,
        })
    }

    /// Decodes the parameters of a request. `query` is the raw text after the `?`.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] for the first parameter that is missing, unknown, repeated or does not fit its
    /// schema; [`Rejection::MalformedRequest`] if the name of a parameter cannot be decoded.
    pub fn decode_parameters(
        &self,
        operation: usize,
        path: &PathParameters,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Parameters, Rejection> {
        let operation = &self.operations[operation];
        let query = query.unwrap_or_default();
        let mut parameters = Parameters::default();
        for location in Location::ALL {
            let list = operation.list(location);
            let decoded = match location {
                Location::Path => list.parse(|name| Ok(path.raw(name).into_iter().collect())),
                Location::Query if list.parameters().iter().any(|it| it.is_whole_query) => {
                    list.parse(|_| Ok(Vec::from_iter(Some(query).filter(|it| !it.is_empty()))))
                }
                Location::Query => {
                    let pairs = split_query(query).map_err(Rejection::malformed)?;
                    list.parse_pairs(&pairs, UnknownNames::Reject)
                }
                Location::Header => list.parse(|name| match find_texts(headers, name)? {
                    several if several.len() > 1 => {
                        Err(format!("must be given once, got {} values", several.len()))
                    }
                    found => Ok(found),
                }),
                Location::Cookie if list.parameters().is_empty() => continue,
                Location::Cookie => {
                    let texts = find_texts(headers, COOKIE.as_str());
                    let texts =
                        texts.map_err(|it| Rejection::parameter(Location::Header, "Cookie", it))?;
                    list.parse_pairs(&split_cookies(&texts), UnknownNames::Ignore)
                }
            };
            parameters.0[location as usize] = decoded.map_err(|(name, message)| {
                Rejection::parameter(location, &truncate(&name), message)
            })?;
        }
        Ok(parameters)
    }

    /// The deprecated parameters and body properties of an operation: `query parameter limit`, `header X-Old`, `cookie session`, or the
    /// JSON pointer of the property in the document. One that cannot be recognized in every request is not listed.
    pub fn deprecated_inputs(&self, operation: usize) -> &[String] {
        &self.operations[operation].deprecated.names
    }

    /// The indexes of the [`Decoder::deprecated_inputs`] that a valid request uses.
    pub fn find_deprecated_inputs(
        &self,
        operation: usize,
        query: Option<&str>,
        headers: &HeaderMap,
        request: &DecodedRequest,
    ) -> Vec<usize> {
        let operation = &self.operations[operation];
        let DeprecatedInputs { names, .. } = &operation.deprecated;
        if names.is_empty() {
            return Vec::new();
        }
        let (inputs, document) = (&operation.deprecated, self.document);
        inputs.find(document, operation, query, headers, request)
    }

    /// Whether the document declares a header as a parameter of an operation.
    pub fn declares_header(&self, operation: usize, name: &str) -> bool {
        let headers = &self.operations[operation]
            .list(Location::Header)
            .parameters();
        headers
            .iter()
            .any(|header| header.name.eq_ignore_ascii_case(name))
    }

    /// Whether an operation takes a body. If not, the body need not be read.
    pub fn expects_body(&self, operation: usize) -> bool {
        self.operations[operation].body.is_some()
    }

    /// Selects the media type of a request's body before the body is read. None if there is no `Content-Type`, which is
    /// valid only with an empty body.
    ///
    /// # Errors
    ///
    /// [`Rejection::UnsupportedMediaType`] if the operation does not accept the media type, or if a body is announced
    /// without one.
    pub fn select_media_type(
        &self,
        operation: usize,
        headers: &HeaderMap,
    ) -> Result<Option<MediaType>, Rejection> {
        match &self.operations[operation].body {
            Some(body) => body.select_media_type(headers),
            None => Ok(None),
        }
    }

    /// Whether a response of an operation may be a stream of items.
    pub fn sends_items(&self, operation: usize) -> bool {
        self.operations[operation].sends_items
    }

    /// The largest body that an operation accepts (`x-max-body-bytes`), if the document declares one.
    pub fn max_body_bytes(&self, operation: usize) -> Option<usize> {
        self.operations[operation].max_body_bytes
    }

    /// Prepares a body that the handler reads, as [`MediaType::is_streamed`] says. The body should end with a
    /// [`Rejection`] as its error if it exceeds a limit of the server.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if it is a multipart body without a boundary.
    pub fn stream_body(
        &self,
        operation: usize,
        media_type: MediaType,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<IncomingBody, Rejection> {
        match &self.operations[operation].body {
            Some(decoder) => decoder.stream(media_type, headers, body),
            None => Ok(IncomingBody::default()),
        }
    }

    /// Decodes and validates the body of a request. It is empty if it is optional and absent, or if the operation takes
    /// none.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if it is missing or cannot be parsed, [`Rejection::UnsupportedMediaType`] if it has no
    /// media type, [`Rejection::ValidationFailed`] if it does not fit its schema.
    pub fn decode_body(
        &self,
        operation: usize,
        media_type: Option<MediaType>,
        bytes: &[u8],
    ) -> Result<IncomingBody, Rejection> {
        match &self.operations[operation].body {
            Some(body) => body.decode(media_type, bytes),
            None => Ok(IncomingBody::default()),
        }
    }
}

impl OperationDecoder {
    fn new(document: &'static Document, info: &OperationInfo) -> Result<Self, DocumentError> {
        if !info.generated {
            // It is answered without being decoded, and what is wrong with it may be its definition.
            return Ok(Self::default());
        }
        let id = info.operation_id;
        let unknown = || DocumentError::unknown(id);
        let pointer = info.pointer();
        let operation = document.find(&pointer).ok_or_else(unknown)?;
        let body = BodyDecoder::new(document, operation);
        let max_body_bytes = operation.get("x-max-body-bytes").and_then(Value::as_u64);
        let mut decoder = Self {
            body: body.map_err(DocumentError::of(id, "the request body"))?,
            max_body_bytes: max_body_bytes.and_then(|bytes| usize::try_from(bytes).ok()),
            sends_items: sends_items(document, operation),
            ..Self::default()
        };
        let mut deprecated = Vec::new();
        let declared = parameters::find_parameters(document, &pointer).ok_or_else(unknown)?;
        for it in declared {
            let (name, location, definition) = (it.name, it.location, it.definition);
            let direction = Direction::Request;
            let parameter = parameters::compile(document, name, location, definition, direction);
            let in_parameter = DocumentError::of(id, format!("the {location} {name:?}"));
            let list = &mut decoder.parameters[location as usize];
            list.push(parameter.map_err(in_parameter)?);
            if definition.get("deprecated") == Some(&Value::Bool(true)) {
                deprecated.push((location, list.parameters().len() - 1));
            }
        }
        decoder.deprecated = DeprecatedInputs::new(document, &pointer, &decoder, &deprecated);
        Ok(decoder)
    }

    fn list(&self, location: Location) -> &ParameterList {
        &self.parameters[location as usize]
    }
}

fn sends_items(document: &Document, operation: &Value) -> bool {
    let responses = operation.get("responses").and_then(Value::as_object);
    let responses = responses.into_iter().flatten();
    let responses = responses.filter_map(|(_, response)| document.resolve(response));
    let contents = responses.filter_map(|response| response.get("content")?.as_object());
    let mut contents = contents.flatten();
    contents.any(|(name, content)| Framing::of(name).is_some() && item_schema(content).is_some())
}

#[cfg(test)]
mod query_tests;
#[cfg(test)]
mod style_tests;
#[cfg(test)]
mod tests;
