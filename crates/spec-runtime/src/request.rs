//! A decoded request, from which `dispatch` takes the typed arguments of a trait method.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::Value;

use crate::rejection::{Location, Problem, Rejection};

/// The parameters of a request, decoded and valid, defaults filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub(crate) path: Section,
    pub(crate) query: Section,
    pub(crate) headers: Section,
}

/// Parameters and body of a request, decoded and valid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecodedRequest {
    parameters: Parameters,
    body: Option<Value>,
}

/// The parameters of one location, in the order of the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Section(pub(crate) Vec<(&'static str, Value)>);

impl DecodedRequest {
    /// Puts together what [`Decoder`](crate::Decoder) made of a request.
    #[must_use]
    pub fn new(parameters: Parameters, body: Option<Value>) -> Self {
        Self { parameters, body }
    }

    /// The parameters of the path.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] if the type is narrower than the document's schema.
    pub fn path<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.path.typed(Location::Path)
    }

    /// The parameters of the query.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] if the type is narrower than the document's schema.
    pub fn query<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.query.typed(Location::Query)
    }

    /// The declared headers.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] if the type is narrower than the document's schema.
    pub fn headers<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.headers.typed(Location::Header)
    }

    /// The body. An absent one reads as `None` of an `Option`.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if there is no body and the type needs one,
    /// [`Rejection::ValidationFailed`] if the type is narrower than the document's schema.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        match &self.body {
            None => T::deserialize(Value::Null).map_err(|_| Rejection::malformed(BODY_MISSING)),
            // Only what failed is read a second time, to learn the place.
            Some(body) => T::deserialize(body).or_else(|_| typed_with_place(body)),
        }
    }

    /// The body as JSON, to be compared or hashed.
    #[must_use]
    pub fn body_value(&self) -> Option<&Value> {
        self.body.as_ref()
    }
}

pub(crate) const BODY_MISSING: &str = "a body is required";

impl Section {
    fn typed<T: DeserializeOwned>(&self, location: Location) -> Result<T, Rejection> {
        let read = || MapDeserializer::new(self.0.iter().map(|(name, value)| (*name, value)));
        T::deserialize(read()).or_else(|_: serde_json::Error| {
            serde_path_to_error::deserialize(read()).map_err(|error| {
                let name = match error.path().iter().next() {
                    Some(serde_path_to_error::Segment::Map { key }) => key.as_str(),
                    _ => "",
                };
                Rejection::parameter(location, name, unreadable(error.inner()))
            })
        })
    }
}

fn typed_with_place<'v, T: Deserialize<'v>>(body: &'v Value) -> Result<T, Rejection> {
    serde_path_to_error::deserialize(body).map_err(|error| {
        let mut pointer = String::new();
        for segment in error.path().iter() {
            let name = match segment {
                serde_path_to_error::Segment::Seq { index } => index.to_string(),
                serde_path_to_error::Segment::Map { key } => spec_schema::pointer::escape(key),
                _ => continue,
            };
            pointer.push('/');
            pointer.push_str(&name);
        }
        let message = unreadable(error.inner());
        Rejection::ValidationFailed {
            problems: vec![Problem { pointer, message }],
        }
    })
}

/// The reason that a type gives for refusing what the document's schema lets pass.
fn unreadable(error: &serde_json::Error) -> String {
    format!(
        "is not acceptable: {}",
        crate::message::shorten(&error.to_string())
    )
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
        let query = Section(query);
        let parameters = Parameters {
            query,
            ..Parameters::default()
        };
        DecodedRequest::new(parameters, body)
    }

    #[test]
    fn parameters_become_the_trait_s_types() {
        let all = request(vec![("limit", json!(7)), ("small", json!(1))], None);
        let query: Query = all.query().unwrap();
        assert_eq!((query.limit, query.small), (7, Some(1)));

        let fewer = request(vec![("limit", json!(7))], None);
        assert_eq!(fewer.query::<Query>().unwrap().small, None);
    }

    #[test]
    fn types_narrower_than_the_document_refuse_with_the_place() {
        let past = request(vec![("limit", json!(7)), ("small", json!(1000))], None);
        let rejection = past.query::<Query>().unwrap_err().to_string();
        assert_eq!(
            rejection,
            r#"query parameter "small" is not acceptable: invalid value: integer `1000`, expected i8"#
        );

        let body = request(Vec::new(), Some(json!({"na/mes": ["a/b", "c"]})));
        let Rejection::ValidationFailed { problems } = body.body::<Body>().unwrap_err() else {
            panic!("a body fails validation");
        };
        assert_eq!(problems[0].pointer, "/na~1mes/1");
        assert!(
            problems[0]
                .message
                .starts_with("is not acceptable: unknown variant")
        );
    }

    #[test]
    fn an_absent_body_is_none_or_an_error() {
        let absent = request(Vec::new(), None);
        assert_eq!(absent.body::<Option<Body>>(), Ok(None));
        assert_eq!(
            absent.body::<Body>(),
            Err(Rejection::malformed(BODY_MISSING))
        );
        assert_eq!(absent.body_value(), None);

        let present = request(Vec::new(), Some(json!({"na/mes": ["a/b"]})));
        let names = vec![Narrow::AB];
        assert_eq!(present.body::<Option<Body>>(), Ok(Some(Body { names })));
    }
}
