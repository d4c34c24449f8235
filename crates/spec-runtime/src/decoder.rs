//! Decodes requests by the document. Every schema is compiled once, at the start; operations are named by their index.

use http::HeaderMap;
use serde_json::Value;
use spec_schema::Direction;

use crate::body::{BodyDecoder, MediaType};
use crate::definition_error::{DefinitionError, DocumentError};
use crate::document::Document;
use crate::message::truncate;
use crate::operation::OperationInfo;
use crate::parameters::{self, Parameter, encoding};
use crate::rejection::{ParameterLocation, Rejection};
use crate::request::{ParameterValues, Parameters};
use crate::routes::PathParameters;

/// Decodes and validates the parameters and bodies of requests to all operations.
#[derive(Debug)]
pub struct Decoder {
    operations: Vec<OperationDecoder>,
}

#[derive(Debug)]
struct OperationDecoder {
    path: Vec<Parameter>,
    query: Vec<Parameter>,
    headers: Vec<Parameter>,
    body: Option<BodyDecoder>,
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
        let operations = operations
            .iter()
            .map(|info| OperationDecoder::new(document, info));
        let operations = operations.collect::<Result<_, _>>()?;
        Ok(Self { operations })
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
        Ok(Parameters {
            path: operation.decode_path(path)?,
            query: operation.decode_query(query.unwrap_or_default())?,
            headers: operation.decode_headers(headers)?,
        })
    }

    /// Whether an operation takes a body. If not, the body need not be read.
    #[must_use]
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

    /// Decodes and validates the body of a request. None if it is optional and empty, or if the operation takes none.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if it is missing or not JSON, [`Rejection::UnsupportedMediaType`] if it has no
    /// media type, [`Rejection::ValidationFailed`] if it does not fit its schema.
    pub fn decode_body(
        &self,
        operation: usize,
        media_type: Option<MediaType>,
        bytes: &[u8],
    ) -> Result<Option<Value>, Rejection> {
        match &self.operations[operation].body {
            Some(body) => body.decode(media_type, bytes),
            None => Ok(None),
        }
    }
}

impl OperationDecoder {
    fn new(document: &'static Document, info: &OperationInfo) -> Result<Self, DocumentError> {
        let operation_id = info.operation_id;
        let unknown = || DocumentError::UnknownOperation { operation_id };
        let in_element = |element: String| {
            move |source: DefinitionError| DocumentError::Definition {
                operation_id,
                element,
                source,
            }
        };
        let pointer = info.pointer();
        let operation = document.find(&pointer).ok_or_else(unknown)?;
        let body = BodyDecoder::new(document, operation)
            .map_err(in_element("the request body".to_owned()))?;
        let mut decoder = Self {
            path: Vec::new(),
            query: Vec::new(),
            headers: Vec::new(),
            body,
        };
        let declared = parameters::find_parameters(document, &pointer).ok_or_else(unknown)?;
        for (pointer, definition) in declared {
            decoder
                .add_parameter(document, definition)
                .map_err(in_element(format!("the parameter at {pointer}")))?;
        }
        Ok(decoder)
    }

    fn add_parameter(
        &mut self,
        document: &'static Document,
        definition: &'static Value,
    ) -> Result<(), DefinitionError> {
        let name = definition.get("name").and_then(Value::as_str);
        let location = parameters::location(definition);
        let (name, location) = name.zip(location).ok_or(DefinitionError::MissingField)?;
        let parameter = Parameter::new(document, name, location, definition, Direction::Request)?;
        match location {
            ParameterLocation::Path => self.path.push(parameter),
            ParameterLocation::Query => self.query.push(parameter),
            ParameterLocation::Header => self.headers.push(parameter),
        }
        Ok(())
    }

    fn decode_path(&self, values: &PathParameters) -> Result<ParameterValues, Rejection> {
        parse_parameters(&self.path, ParameterLocation::Path, |name| {
            Ok(values.raw(name).into_iter().collect())
        })
    }

    fn decode_query(&self, query: &str) -> Result<ParameterValues, Rejection> {
        const LOCATION: ParameterLocation = ParameterLocation::Query;
        let pairs = encoding::split_query(query)?;
        let is_known = |name: &str| self.query.iter().any(|parameter| parameter.name == name);
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_known(name)) {
            let message = self.describe_unknown_parameter();
            return Err(Rejection::parameter(LOCATION, &truncate(name), message));
        }
        parse_parameters(&self.query, LOCATION, |wanted| {
            let values = pairs.iter().filter(|(name, _)| name == wanted);
            Ok(values.map(|(_, value)| *value).collect())
        })
    }

    fn describe_unknown_parameter(&self) -> String {
        let mut known: Vec<&str> = self.query.iter().map(|parameter| parameter.name).collect();
        known.sort_unstable();
        match known.as_slice() {
            [] => "is unknown; the operation has no query parameters".to_owned(),
            known => format!("is unknown; known parameters: {}", known.join(", ")),
        }
    }

    fn decode_headers(&self, headers: &HeaderMap) -> Result<ParameterValues, Rejection> {
        parse_parameters(&self.headers, ParameterLocation::Header, |name| {
            let values: Vec<_> = headers.get_all(name).iter().collect();
            if values.len() > 1 {
                return Err(format!("must be given once, got {} values", values.len()));
            }
            let texts = values.iter().map(|value| value.to_str());
            texts
                .collect::<Result<_, _>>()
                .map_err(|_| "must be visible ASCII characters".to_owned())
        })
    }
}

/// Parses the parameters of one location, such as the query. `find_raw` returns the raw values of a parameter.
fn parse_parameters<'r>(
    parameters: &[Parameter],
    location: ParameterLocation,
    find_raw: impl Fn(&str) -> Result<Vec<&'r str>, String>,
) -> Result<ParameterValues, Rejection> {
    let mut values = ParameterValues(Vec::with_capacity(parameters.len()));
    for parameter in parameters {
        let reject = |message: String| Rejection::parameter(location, parameter.name, message);
        let raw = find_raw(parameter.name).map_err(reject)?;
        let value = match (raw.as_slice(), &parameter.default) {
            ([], Some(default)) => default.clone(),
            ([], None) if parameter.required => return Err(reject("is required".to_owned())),
            ([], None) => continue,
            (raw, _) => parameter.parse(location, raw)?,
        };
        values.0.push((parameter.name, value));
    }
    Ok(values)
}

#[cfg(test)]
mod query_tests;
#[cfg(test)]
mod tests;
