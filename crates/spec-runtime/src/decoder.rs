//! Requests decoded by the document: every schema compiled once, at the start, by the index of the operation.

use http::HeaderMap;
use serde_json::Value;

use crate::body::{BodyError, BodyRules, MediaType};
use crate::document::Document;
use crate::operation::OperationInfo;
use crate::parameters::{self, Parameter, ParameterError, query};
use crate::rejection::{Location, Rejection};
use crate::request::{Parameters, Section};
use crate::routes::PathParameters;
use spec_schema::Direction;

/// Decodes and checks the parameters and bodies of all operations.
#[derive(Debug)]
pub struct Decoder {
    operations: Vec<Rules>,
}

/// Something in the document that requests could not be decoded by.
#[derive(Debug, thiserror::Error)]
pub enum DecoderError {
    /// The table names an operation that the document does not have.
    #[error("the document has no operation {operation_id}")]
    UnknownOperation {
        /// The operation of the table.
        operation_id: &'static str,
    },
    /// A parameter of an operation.
    #[error("{operation_id}: the parameter at {place} is unusable")]
    Parameter {
        /// The operation.
        operation_id: &'static str,
        /// JSON pointer to the parameter.
        place: String,
        /// What is wrong with it.
        #[source]
        source: ParameterError,
    },
    /// The request body of an operation.
    #[error("{operation_id}: the request body is unusable")]
    Body {
        /// The operation.
        operation_id: &'static str,
        /// What is wrong with it.
        #[source]
        source: BodyError,
    },
    /// A response of an operation.
    #[error("{operation_id}: the response {status} is unusable: {reason}")]
    Response {
        /// The operation.
        operation_id: &'static str,
        /// The status as the document spells it.
        status: String,
        /// What is wrong with it.
        reason: String,
    },
}

#[derive(Debug)]
struct Rules {
    path: Vec<Parameter>,
    query: Vec<Parameter>,
    headers: Vec<Parameter>,
    body: Option<BodyRules>,
}

impl Decoder {
    /// Compiles what the document says of the operations of a table.
    ///
    /// # Errors
    ///
    /// [`DecoderError`] for the first thing that could not be decoded later. Nothing of the document is
    /// ignored.
    pub fn new(
        document: &'static Document,
        operations: &[OperationInfo],
    ) -> Result<Self, DecoderError> {
        let rules = operations.iter().map(|info| Rules::new(document, info));
        let operations = rules.collect::<Result<_, _>>()?;
        Ok(Self { operations })
    }

    /// Decodes the parameters of a request to an operation. `query` is what follows the `?`, as it came.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] for the first parameter that is missing, unknown, repeated or
    /// does not fit its schema; [`Rejection::MalformedRequest`] if the name of a parameter cannot be read.
    pub fn parameters(
        &self,
        operation: usize,
        path: &PathParameters,
        query: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Parameters, Rejection> {
        let rules = &self.operations[operation];
        Ok(Parameters {
            path: rules.path(path)?,
            query: rules.query(query.unwrap_or_default())?,
            headers: rules.headers(headers)?,
        })
    }

    /// Whether an operation takes a body. That of any other need not be read.
    #[must_use]
    pub fn expects_body(&self, operation: usize) -> bool {
        self.operations[operation].body.is_some()
    }

    /// The media type of a request's body, decided before the body is read. None if there is no
    /// `Content-Type`, which is right only for an empty body.
    ///
    /// # Errors
    ///
    /// [`Rejection::UnsupportedMediaType`] if the operation does not take such a body, or if one is
    /// announced without its type.
    pub fn media_type(
        &self,
        operation: usize,
        headers: &HeaderMap,
    ) -> Result<Option<MediaType>, Rejection> {
        match &self.operations[operation].body {
            Some(body) => body.media_type(headers),
            None => Ok(None),
        }
    }

    /// Reads and checks a body. None if it is optional and empty, or if the operation takes none.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if it is missing or not JSON, [`Rejection::UnsupportedMediaType`]
    /// if it has no type, [`Rejection::ValidationFailed`] if it does not fit its schema.
    pub fn body(
        &self,
        operation: usize,
        media_type: Option<MediaType>,
        bytes: &[u8],
    ) -> Result<Option<Value>, Rejection> {
        match &self.operations[operation].body {
            Some(body) => body.read(media_type, bytes),
            None => Ok(None),
        }
    }
}

impl Rules {
    fn new(document: &'static Document, info: &OperationInfo) -> Result<Self, DecoderError> {
        let operation_id = info.operation_id;
        let unknown = || DecoderError::UnknownOperation { operation_id };
        let pointer = parameters::operation_pointer(info.path, info.method);
        let operation = document.find(&pointer).ok_or_else(unknown)?;
        let body = BodyRules::new(document, operation).map_err(|source| DecoderError::Body {
            operation_id,
            source,
        })?;
        let mut rules = Self {
            path: Vec::new(),
            query: Vec::new(),
            headers: Vec::new(),
            body,
        };
        for (place, definition) in parameters::declared(document, &pointer).ok_or_else(unknown)? {
            rules
                .add(document, definition)
                .map_err(|source| DecoderError::Parameter {
                    operation_id,
                    place,
                    source,
                })?;
        }
        Ok(rules)
    }

    fn add(
        &mut self,
        document: &'static Document,
        definition: &'static Value,
    ) -> Result<(), ParameterError> {
        let location = parameters::location(definition).ok_or(ParameterError::Incomplete)?;
        let name = definition.get("name").and_then(Value::as_str);
        let name = name.ok_or(ParameterError::Incomplete)?;
        let parameter = Parameter::new(document, name, location, definition, Direction::Request)?;
        match location {
            Location::Path => self.path.push(parameter),
            Location::Query => self.query.push(parameter),
            Location::Header => self.headers.push(parameter),
        }
        Ok(())
    }

    fn path(&self, values: &PathParameters) -> Result<Section, Rejection> {
        section(&self.path, Location::Path, |name| {
            Ok(values.raw(name).into_iter().collect())
        })
    }

    fn query(&self, query: &str) -> Result<Section, Rejection> {
        let pairs = query::pairs(query)?;
        let is_known = |name: &str| self.query.iter().any(|parameter| parameter.name == name);
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_known(name)) {
            let name = crate::message::shorten(name);
            return Err(Rejection::parameter(
                Location::Query,
                &name,
                self.unknown_query(),
            ));
        }
        section(&self.query, Location::Query, |wanted| {
            let values = pairs.iter().filter(|(name, _)| name == wanted);
            Ok(values.map(|(_, value)| *value).collect())
        })
    }

    fn unknown_query(&self) -> String {
        let mut known: Vec<&str> = self.query.iter().map(|parameter| parameter.name).collect();
        known.sort_unstable();
        match known.as_slice() {
            [] => "is not known; the operation takes none".to_owned(),
            known => format!("is not known; known are: {}", known.join(", ")),
        }
    }

    fn headers(&self, headers: &HeaderMap) -> Result<Section, Rejection> {
        section(&self.headers, Location::Header, |name| {
            let values: Vec<_> = headers.get_all(name).iter().collect();
            if values.len() > 1 {
                return Err(format!("must be given once, got it {} times", values.len()));
            }
            let texts = values.iter().map(|value| value.to_str());
            texts
                .collect::<Result<_, _>>()
                .map_err(|_| "must be visible ASCII characters".to_owned())
        })
    }
}

/// Reads the parameters of one location; `raw` finds what was sent under a name.
fn section<'r>(
    parameters: &[Parameter],
    location: Location,
    raw: impl Fn(&str) -> Result<Vec<&'r str>, String>,
) -> Result<Section, Rejection> {
    let mut section = Section(Vec::with_capacity(parameters.len()));
    for parameter in parameters {
        let reject = |message: String| Rejection::parameter(location, parameter.name, message);
        let raw = raw(parameter.name).map_err(reject)?;
        let value = match (raw.as_slice(), &parameter.default) {
            ([], Some(default)) => default.clone(),
            ([], None) if parameter.required => return Err(reject("is required".to_owned())),
            ([], None) => continue,
            (raw, _) => parameter.read(location, raw)?,
        };
        section.0.push((parameter.name, value));
    }
    Ok(section)
}

#[cfg(test)]
mod query_tests;
#[cfg(test)]
mod tests;
