//! Builds responses that dropshot's own types cannot express: any status, no body, text, bytes, several media types; and
//! errors of such shapes.

use dropshot::{Body, HttpError, HttpResponseError};
use dropspec_schema::Framing;
use dropspec_schema::wire::items::content_type;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::item_stream::ItemStream;
use crate::types::header_text;

/// What the functions of this module return.
pub type ResponseResult = Result<Response<Body>, HttpError>;

/// The responses of an operation by status and media type: a generated enum.
/// [`success_response!`](crate::success_response) and [`error_response!`](crate::error_response) implement what else dropshot
/// demands of them.
pub trait EnumResponse {
    /// The status of the response.
    fn status(&self) -> u16;

    /// Writes the response.
    ///
    /// # Errors
    ///
    /// If the value cannot be written, or if it is an [`HttpError`], which has no declared response.
    fn respond(self) -> ResponseResult;
}

/// An error of an operation: a JSON type that has the status, an [`OperationError`](crate::OperationError), or an
/// [`EnumResponse`].
pub trait ErrorResponse: HttpResponseError + Sized + Send + Sync + 'static {
    /// Writes the response; by default as dropshot itself would.
    ///
    /// # Errors
    ///
    /// If the value cannot be written, or if it is an [`HttpError`], which has no declared response.
    fn respond(self) -> ResponseResult {
        let status = self.status_code();
        self.to_response(Response::builder().status(status.as_status()))
    }
}

/// A response without a body.
///
/// # Errors
///
/// If the status is not one of HTTP.
pub fn empty(status: u16) -> ResponseResult {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = to_status(status)?;
    Ok(response)
}

/// A response with a JSON body of type `application/json`.
///
/// # Errors
///
/// If the value cannot be written as JSON, or the status is not one of HTTP.
pub fn json<T: Serialize>(status: u16, value: &T) -> ResponseResult {
    json_as(status, "application/json", value)
}

/// A response with a JSON body of another media type, such as `application/problem+json`.
///
/// # Errors
///
/// As [`json`], or if the media type cannot be written into a header.
pub fn json_as<T: Serialize>(status: u16, media_type: &str, value: &T) -> ResponseResult {
    let body = serde_json::to_vec(value).map_err(to_internal)?;
    bytes(status, media_type, body)
}

/// A response whose body is text.
///
/// # Errors
///
/// If the media type cannot be written into a header, or the status is not one of HTTP.
pub fn text(status: u16, media_type: &str, text: impl Into<String>) -> ResponseResult {
    bytes(status, media_type, text.into())
}

/// A response whose body is bytes or a stream of them.
///
/// # Errors
///
/// As [`text`].
pub fn bytes(status: u16, media_type: &str, body: impl Into<Body>) -> ResponseResult {
    let mut response = Response::new(body.into());
    *response.status_mut() = to_status(status)?;
    let media_type = HeaderValue::from_str(media_type).map_err(to_internal)?;
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}

/// A response whose body is a stream of items, such as server-sent events.
///
/// # Errors
///
/// As [`text`], or if the media type is no stream of items.
pub fn items<T>(status: u16, media_type: &str, items: ItemStream<T>) -> ResponseResult
where
    T: Serialize + Send + 'static,
{
    let framing = Framing::of(media_type);
    let framing = framing.ok_or_else(|| to_internal("the media type is no stream of items"))?;
    let body = items.into_body(framing);
    let mut response = bytes(status, &content_type(framing, media_type), body)?;
    forbid_gathering(response.headers_mut());
    // By it the server knows the stream.
    response.extensions_mut().insert(framing);
    Ok(response)
}

/// Adds the headers of a stream that is to be read as it is sent.
pub fn forbid_gathering(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would gather it otherwise.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
}

/// Adds the fields of a struct as headers; absent ones (`None`) are left out. Arrays and objects become text as a
/// header's style `simple` defines. Of `Set-Cookie`, each item is a header of its own.
///
/// # Errors
///
/// If the value is not a struct, or a field is not text that a header can hold.
pub fn with_headers<H: Serialize>(mut response: Response<Body>, headers: &H) -> ResponseResult {
    let Value::Object(fields) = serde_json::to_value(headers).map_err(to_internal)? else {
        return Err(to_internal("response headers must be a struct"));
    };
    for (name, value) in fields {
        let name = HeaderName::try_from(name.as_str()).map_err(to_internal)?;
        let values = match value {
            Value::Array(items) if name == http::header::SET_COOKIE => items,
            value => vec![value],
        };
        for text in values.iter().filter_map(|value| header_text(value, false)) {
            let value = HeaderValue::from_str(&text).map_err(to_internal)?;
            response.headers_mut().append(&name, value);
        }
    }
    Ok(response)
}

fn to_status(status: u16) -> Result<StatusCode, HttpError> {
    StatusCode::from_u16(status).map_err(to_internal)
}

fn to_internal(error: impl ToString) -> HttpError {
    HttpError::for_internal_error(error.to_string())
}

/// Implements for a generated enum of successes what dropshot demands of a response beside
/// [`EnumResponse`](crate::respond::EnumResponse).
#[macro_export]
macro_rules! success_response {
    ($name:ty) => {
        impl ::dropshot::HttpResponse for $name {
            fn to_result(self) -> $crate::respond::ResponseResult {
                $crate::respond::EnumResponse::respond(self)
            }

            fn response_metadata() -> ::dropshot::ApiEndpointResponse {
                ::dropshot::ApiEndpointResponse::default()
            }

            fn status_code(&self) -> ::http::StatusCode {
                let status = $crate::respond::EnumResponse::status(self);
                ::http::StatusCode::from_u16(status).unwrap_or_default()
            }
        }
    };
}

/// Implements for a generated enum of errors, which has a variant `Dropshot`, what dropshot demands of an error beside
/// [`EnumResponse`](crate::respond::EnumResponse). dropshot itself would send an error as JSON; only
/// [`to_response`](crate::to_response) sends it as the document declares.
#[macro_export]
macro_rules! error_response {
    ($name:ty) => {
        impl ::std::convert::From<::dropshot::HttpError> for $name {
            fn from(error: ::dropshot::HttpError) -> Self {
                Self::Dropshot(error)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let status = ::dropshot::HttpResponseError::status_code(self);
                write!(f, "the operation failed with status {status}")
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_unit()
            }
        }

        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::string::String {
                stringify!($name).to_owned()
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(
                _: &mut $crate::schemars::r#gen::SchemaGenerator,
            ) -> $crate::schemars::schema::Schema {
                $crate::schemars::schema::Schema::Bool(true)
            }
        }

        impl ::dropshot::HttpResponseError for $name {
            fn status_code(&self) -> ::dropshot::ErrorStatusCode {
                let status = $crate::respond::EnumResponse::status(self);
                ::dropshot::ErrorStatusCode::from_u16(status)
                    .unwrap_or(::dropshot::ErrorStatusCode::INTERNAL_SERVER_ERROR)
            }
        }

        impl $crate::respond::ErrorResponse for $name {
            fn respond(self) -> $crate::respond::ResponseResult {
                $crate::respond::EnumResponse::respond(self)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use http_body_util::BodyExt;
    use serde_json::json;

    use super::*;

    /// Status, content type and body of a response.
    fn describe(response: Response<Body>) -> String {
        let (head, body) = response.into_parts();
        let media_type = head.headers.get(CONTENT_TYPE);
        let media_type = media_type.map_or("none", |value| value.to_str().unwrap());
        let body = block_on(body.collect()).unwrap().to_bytes();
        let body = String::from_utf8_lossy(&body);
        format!("{} {media_type} {body}", head.status.as_u16())
    }

    #[test]
    fn responses_have_their_status_media_type_and_body() {
        let rows = [
            (empty(202), "202 none "),
            (json(200, &json!([1])), "200 application/json [1]"),
            (json_as(400, "a/b+json", &1), "400 a/b+json 1"),
            (text(200, "text/csv", "a,b"), "200 text/csv a,b"),
            (bytes(206, "image/png", vec![65]), "206 image/png A"),
        ];
        for (response, expected) in rows {
            assert_eq!(describe(response.unwrap()), expected);
        }
        assert!(empty(99).is_err(), "not a status of HTTP");
        assert!(text(200, "text/a\nb", "").is_err(), "not a header");
    }

    #[test]
    fn fields_become_headers() {
        let headers = json!({
            "x-count": 3, "x-list": ["a", "b"], "x-map": {"k": 1, "l": true}, "x-none": null,
            "set-cookie": ["a=1", "b=2"]
        });
        let response = with_headers(empty(200).unwrap(), &headers).unwrap();
        let headers = response.headers().iter();
        let pairs = headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
        let mut pairs: Vec<String> = pairs.collect();
        pairs.sort();
        let expected =
            "set-cookie: a=1; set-cookie: b=2; x-count: 3; x-list: a,b; x-map: k,1,l,true";
        assert_eq!(pairs.join("; "), expected);
        assert!(with_headers(empty(200).unwrap(), &json!({ "x-a": "a\nb" })).is_err());
    }
}
