//! What the client is given for a call, as JSON. Generated code reads it into the client's types.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use spec_client::{Bytes, File};

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The parameters by location and name.
    pub(crate) parameters: BTreeMap<(&'static str, &'static str), Value>,
    pub(crate) body: Option<GivenBody>,
}

/// The body of a call.
#[derive(Clone, Debug)]
pub(crate) struct GivenBody {
    /// The position of its media type among those of the operation.
    pub(crate) form: usize,
    /// A media type that the declared one covers.
    pub(crate) media_type: String,
    pub(crate) content: GivenContent,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GivenContent {
    /// A JSON value, or the properties of a form.
    Value(Value),
    Text(String),
    Bytes(&'static [u8]),
    Parts(Vec<(String, GivenPart)>),
}

/// A part of a multipart body.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenPart {
    pub(crate) value: Value,
    pub(crate) schema: Value,
    /// The media type of a file, if the document leaves it to the caller.
    pub(crate) media_type: Option<String>,
}

impl Given {
    /// The value of a parameter; `None` if the call does not have it.
    ///
    /// # Errors
    ///
    /// The type of the client does not take the sample.
    pub fn parameter<T: DeserializeOwned>(
        &self,
        location: &'static str,
        name: &'static str,
    ) -> Result<Option<T>, String> {
        let value = self.parameters.get(&(location, name));
        let value = value.map(read).transpose();
        value.map_err(|error| format!("the client's {location} parameter `{name}`: {error}"))
    }

    /// The position of the body's media type among those of the operation; `None` without a body.
    #[must_use]
    pub fn form(&self) -> Option<usize> {
        self.body.as_ref().map(|body| body.form)
    }

    /// The media type of the body.
    #[must_use]
    pub fn media_type(&self) -> &str {
        self.body.as_ref().map_or("", |body| &body.media_type)
    }

    /// The body as a type of the client.
    ///
    /// # Errors
    ///
    /// The type does not take the sample, or the body is of another kind.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, String> {
        match self.content() {
            Some(GivenContent::Value(value)) => {
                read(value).map_err(|error| format!("the client's body: {error}"))
            }
            other => Err(format!("the client takes JSON or a form, not {other:?}")),
        }
    }

    /// The body as text.
    ///
    /// # Errors
    ///
    /// The body is of another kind.
    pub fn text(&self) -> Result<String, String> {
        match self.content() {
            Some(GivenContent::Text(text)) => Ok(text.clone()),
            other => Err(format!("the client takes a text, not {other:?}")),
        }
    }

    /// The body as bytes.
    ///
    /// # Errors
    ///
    /// The body is of another kind.
    pub fn bytes(&self) -> Result<spec_client::reqwest::Body, String> {
        match self.content() {
            Some(GivenContent::Bytes(bytes)) => Ok((*bytes).into()),
            other => Err(format!("the client takes bytes, not {other:?}")),
        }
    }

    /// The parts of a multipart body, each made by a function of its name and value.
    ///
    /// # Errors
    ///
    /// Those of the function, or the body is of another kind.
    pub fn parts<P>(
        &self,
        make: impl Fn(&str, &GivenPart) -> Result<P, String>,
    ) -> Result<Vec<P>, String> {
        match self.content() {
            Some(GivenContent::Parts(parts)) => {
                parts.iter().map(|(name, part)| make(name, part)).collect()
            }
            other => Err(format!("the client takes parts, not {other:?}")),
        }
    }

    fn content(&self) -> Option<&GivenContent> {
        self.body.as_ref().map(|body| &body.content)
    }
}

impl GivenPart {
    /// The part as a type of the client.
    ///
    /// # Errors
    ///
    /// The type does not take the sample.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, String> {
        read(&self.value)
    }

    /// The part as a file.
    #[must_use]
    pub fn file(&self) -> File {
        let file = File::from_bytes("sample.bin", Bytes::from(self.text()));
        match &self.media_type {
            Some(media_type) => file.content_type(media_type),
            None => file,
        }
    }

    /// The content of the file.
    pub(crate) fn text(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// Reads a sample into a type.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| {
        let name = std::any::type_name::<T>();
        format!("the type {name} does not take the sample {value}: {error}")
    })
}
