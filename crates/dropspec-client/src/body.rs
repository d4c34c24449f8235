//! Bodies of requests.

use std::fmt;

use bytes::Bytes;
use dropspec_schema::wire::{Encoding, Parameter, Style, encode_form};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Body, multipart};
use serde::Serialize;

/// The body of a request.
#[derive(Debug)]
pub struct RequestBody {
    pub(crate) media_type: String,
    pub(crate) content: BodyContent,
}

#[derive(Debug)]
pub(crate) enum BodyContent {
    Full(Bytes),
    Stream(Body),
    Multipart(multipart::Form),
}

/// A body of JSON. `value` is what a conversion to the type of the document gave.
///
/// # Errors
/// The conversion failed, or the value is no JSON.
pub fn json_body<T: Serialize, E>(
    media_type: &str,
    value: Result<T, E>,
) -> Result<RequestBody, String> {
    let value = converted(value, "the body")?;
    let text = serde_json::to_vec(&value);
    let text = text.map_err(|error| format!("the body is not JSON: {error}"))?;
    Ok(full(media_type, text))
}

/// A body of text.
pub fn text_body(media_type: &str, text: impl Into<String>) -> Result<RequestBody, String> {
    Ok(full(media_type, text.into()))
}

/// A body of bytes, which may be a stream.
pub fn bytes_body(media_type: &str, content: impl Into<Body>) -> Result<RequestBody, String> {
    Ok(RequestBody {
        media_type: media_type.to_owned(),
        content: BodyContent::Stream(content.into()),
    })
}

pub(crate) fn full(media_type: &str, content: impl Into<Bytes>) -> RequestBody {
    RequestBody {
        media_type: media_type.to_owned(),
        content: BodyContent::Full(content.into()),
    }
}

/// The result of a conversion to the type of the document, with a message that says what was converted.
pub(crate) fn converted<T, E>(value: Result<T, E>, what: impl fmt::Display) -> Result<T, String> {
    value.map_err(|_| {
        let ty = std::any::type_name::<T>();
        format!("{what} cannot be converted to `{ty}`")
    })
}

impl RequestBody {
    /// Makes it the body of a request.
    pub(crate) fn put_into(self, request: &mut reqwest::Request) -> Result<(), String> {
        let mut media_type = self.media_type;
        let body = match self.content {
            BodyContent::Full(bytes) => bytes.into(),
            BodyContent::Stream(body) => body,
            BodyContent::Multipart(form) => {
                media_type.push_str(&format!("; boundary={}", form.boundary()));
                Body::wrap_stream(form.into_stream())
            }
        };
        let value = HeaderValue::from_str(&media_type);
        let value = value.map_err(|_| format!("{media_type:?} is no media type"))?;
        request.headers_mut().insert(CONTENT_TYPE, value);
        *request.body_mut() = Some(body);
        Ok(())
    }
}

/// How a property of a form is written, where it is not in the style `form`, exploded.
#[derive(Clone, Copy, Debug)]
pub struct FieldStyle {
    /// The property.
    pub name: &'static str,
    /// Its encoding, as that of a parameter of the query.
    pub encoding: Encoding,
}

impl FieldStyle {
    /// A property in this style.
    pub const fn style(name: &'static str, style: Style, explode: bool) -> Self {
        let Parameter { encoding, .. } = Parameter::query(name).style(style, explode);
        Self { name, encoding }
    }

    /// A property as JSON.
    pub const fn json(name: &'static str) -> Self {
        let encoding = Encoding::Json;
        Self { name, encoding }
    }
}

/// A body of the properties of an object. A property is written like a parameter of the query; `styles` lists those that
/// differ from its defaults. An object inside the object is written as JSON.
///
/// # Errors
/// The conversion failed, the value is no object, or a property cannot be written in its style.
pub fn form_body<T: Serialize, E>(
    media_type: &str,
    styles: &[FieldStyle],
    value: Result<T, E>,
) -> Result<RequestBody, String> {
    let value = converted(value, "the body")?;
    let value = serde_json::to_value(&value);
    let value = value.map_err(|error| format!("the body is no form: {error}"))?;
    let declared = |name: &str| {
        let style = styles.iter().find(|style| style.name == name);
        style.map(|style| style.encoding)
    };
    Ok(full(media_type, encode_form(&value, declared)?))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use serde_json::{Value, json};

    use super::*;

    fn write(styles: &[FieldStyle], value: Value) -> Result<String, String> {
        let body = form_body("a/b", styles, Ok::<_, Infallible>(value))?;
        let BodyContent::Full(bytes) = body.content else {
            panic!("a form is no stream");
        };
        Ok(String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn properties_are_written_like_parameters_of_the_query() {
        let value = json!({"a": "x y&z", "b": [1, 2], "c": {"d": 1}, "e": null, "f": [1, 2]});
        let styles = [FieldStyle::style("f", Style::Form, false)];
        assert_eq!(
            write(&styles, value).unwrap(),
            "a=x+y%26z&b=1&b=2&c=%7B%22d%22%3A1%7D&f=1,2"
        );
        let deep = [FieldStyle::style("c", Style::DeepObject, true)];
        assert_eq!(write(&deep, json!({"c": {"d": 1}})).unwrap(), "c[d]=1");
        assert!(write(&[], json!([1])).is_err());
    }
}
