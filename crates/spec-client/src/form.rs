//! Bodies of the media type `application/x-www-form-urlencoded`.

use serde::Serialize;
use wire_codec::{Encoding, Parameter, Style, encode_form};

use crate::body::{RequestBody, converted, full};

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
    #![allow(clippy::unwrap_used)]

    use std::convert::Infallible;

    use serde_json::{Value, json};

    use super::*;
    use crate::body::BodyContent;

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
