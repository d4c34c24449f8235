//! A decoded request, from which `dispatch` takes the typed arguments of a trait method.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::Value;
use serde_path_to_error::Segment;
use spec_schema::pointer;

use crate::message::truncate;
use crate::rejection::{ParameterLocation, Problem, Rejection};

/// The parameters of a request, decoded and valid, with defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub(crate) path: ParameterValues,
    pub(crate) query: ParameterValues,
    pub(crate) headers: ParameterValues,
}

/// Parameters and body of a request, decoded and valid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecodedRequest {
    parameters: Parameters,
    body: Option<Value>,
}

/// The decoded parameters of one location (`in`) by name, in the order of the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ParameterValues(pub(crate) Vec<(&'static str, Value)>);

impl DecodedRequest {
    /// Combines the results of a [`Decoder`](crate::Decoder).
    #[must_use]
    pub fn new(parameters: Parameters, body: Option<Value>) -> Self {
        Self { parameters, body }
    }

    /// Deserializes the path parameters into the type `T`.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] if `T` accepts less than the document's schema does.
    pub fn path<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.path.deserialize(ParameterLocation::Path)
    }

    /// Deserializes the query parameters into the type `T`.
    ///
    /// # Errors
    ///
    /// As [`DecodedRequest::path`].
    pub fn query<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.query.deserialize(ParameterLocation::Query)
    }

    /// Deserializes the declared headers into the type `T`.
    ///
    /// # Errors
    ///
    /// As [`DecodedRequest::path`].
    pub fn headers<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters
            .headers
            .deserialize(ParameterLocation::Header)
    }

    /// Deserializes the body into the type `T`. If there is no body and `T` is an `Option`, the result is `None`.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if there is no body and `T` requires one; [`Rejection::ValidationFailed`] if `T`
    /// accepts less than the document's schema does.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        match &self.body {
            None => T::deserialize(Value::Null).map_err(|_| Rejection::malformed(BODY_MISSING)),
            // Tracking the pointer costs time, so it is left to a second attempt.
            Some(body) => T::deserialize(body).or_else(|_| deserialize_with_pointer(body)),
        }
    }

    /// The decoded body as a JSON value.
    #[must_use]
    pub fn body_value(&self) -> Option<&Value> {
        self.body.as_ref()
    }
}

pub(crate) const BODY_MISSING: &str = "a body is required";

impl ParameterValues {
    fn deserialize<T: DeserializeOwned>(
        &self,
        location: ParameterLocation,
    ) -> Result<T, Rejection> {
        let read = || MapDeserializer::new(self.0.iter().map(|(name, value)| (*name, value)));
        T::deserialize(read()).or_else(|_: serde_json::Error| {
            serde_path_to_error::deserialize(read()).map_err(|error| {
                let name = match error.path().iter().next() {
                    Some(Segment::Map { key }) => key.as_str(),
                    _ => "",
                };
                Rejection::parameter(location, name, describe_type_error(error.inner()))
            })
        })
    }
}

fn deserialize_with_pointer<'v, T: Deserialize<'v>>(body: &'v Value) -> Result<T, Rejection> {
    serde_path_to_error::deserialize(body).map_err(|error| {
        let path = error.path().iter();
        let pointer = path.fold(String::new(), |parent, segment| match segment {
            Segment::Seq { index } => pointer::join(&parent, &index.to_string()),
            Segment::Map { key } => pointer::join(&parent, key),
            _ => parent,
        });
        let message = describe_type_error(error.inner());
        Rejection::ValidationFailed {
            problems: vec![Problem { pointer, message }],
        }
    })
}

/// Describes why a Rust type rejects a value that the document's schema accepts.
fn describe_type_error(error: &serde_json::Error) -> String {
    format!("is not acceptable: {}", truncate(&error.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Query {
        limit: i64,
        small: Option<i8>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Body {
        #[serde(rename = "na/mes")]
        names: Vec<Narrow>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    enum Narrow {
        #[serde(rename = "a/b")]
        AB,
    }

    fn request(query: Vec<(&'static str, Value)>, body: Option<Value>) -> DecodedRequest {
        let query = ParameterValues(query);
        let parameters = Parameters {
            query,
            ..Parameters::default()
        };
        DecodedRequest::new(parameters, body)
    }

    #[test]
    fn parameters_deserialize_into_types() {
        let all = request(vec![("limit", json!(7)), ("small", json!(1))], None);
        let query: Query = all.query().unwrap();
        assert_eq!((query.limit, query.small), (7, Some(1)));

        let fewer = request(vec![("limit", json!(7))], None);
        assert_eq!(fewer.query::<Query>().unwrap().small, None);
    }

    #[test]
    fn value_out_of_range_of_its_type_is_rejected_with_name_or_pointer() {
        let out_of_range = request(vec![("limit", json!(7)), ("small", json!(1000))], None);
        let rejection = out_of_range.query::<Query>().unwrap_err().to_string();
        assert_eq!(
            rejection,
            r#"query parameter "small" is not acceptable: invalid value: integer `1000`, expected i8"#
        );

        let body = request(Vec::new(), Some(json!({"na/mes": ["a/b", "c"]})));
        let Rejection::ValidationFailed { problems } = body.body::<Body>().unwrap_err() else {
            panic!("expected ValidationFailed");
        };
        assert_eq!(problems[0].pointer, "/na~1mes/1");
        assert!(
            problems[0]
                .message
                .starts_with("is not acceptable: unknown variant")
        );
    }

    #[test]
    fn missing_body_deserializes_to_none_or_is_rejected() {
        let missing = request(Vec::new(), None);
        assert_eq!(missing.body::<Option<Body>>(), Ok(None));
        assert_eq!(
            missing.body::<Body>(),
            Err(Rejection::malformed(BODY_MISSING))
        );
        assert_eq!(missing.body_value(), None);

        let present = request(Vec::new(), Some(json!({"na/mes": ["a/b"]})));
        let names = vec![Narrow::AB];
        assert_eq!(present.body::<Option<Body>>(), Ok(Some(Body { names })));
    }
}
