//! The body of a message, as it is planned, arrives, or is returned. Generated code reads it into types, and makes it of types.

use dropspec_client::{ByteStream, Bytes, File, ItemStream};
use futures::TryStreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The body of a request or response.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Body {
    /// None, or one that the client does not read.
    #[default]
    Empty,
    /// A JSON value, the fields of a form, or what a type has read.
    Value(Value),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// The parts of a multipart body by their names.
    Parts(Vec<(String, Part)>),
}

/// A part of a multipart body; of a file its bytes as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    pub(crate) value: Value,
    /// The schema of a part that is sent.
    pub(crate) schema: Value,
    /// The media type of a file, if the document leaves it to the caller.
    pub(crate) media_type: Option<String>,
}

impl Body {
    /// What a type of the client was read from.
    pub fn of(value: &impl Serialize) -> Result<Body, String> {
        let value = serde_json::to_value(value);
        value
            .map(Body::Value)
            .map_err(|error| format!("the client's response cannot be written: {error}"))
    }

    /// The bytes of a stream.
    pub async fn of_stream(stream: ByteStream) -> Result<Body, String> {
        let chunks: Result<Vec<Bytes>, _> = stream.into_inner().try_collect().await;
        let chunks = chunks.map_err(|error| format!("the stream breaks off: {error}"))?;
        Ok(Body::Bytes(chunks.concat()))
    }

    /// The items of a stream.
    pub async fn of_items<T: Serialize>(stream: ItemStream<T>) -> Result<Body, String> {
        let items: Result<Vec<T>, _> = stream.try_collect().await;
        Body::of(&items.map_err(|error| format!("the stream breaks off: {error}"))?)
    }

    /// The body as a stream of items.
    pub fn items<T>(&self) -> Result<dropspec_runtime::ItemStream<T>, String>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let items: Vec<T> = self.json()?;
        let items = items.into_iter().map(Ok::<_, std::convert::Infallible>);
        Ok(dropspec_runtime::ItemStream::new(futures::stream::iter(
            items,
        )))
    }

    /// The body as a type.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, String> {
        match self {
            Body::Value(value) => read(value),
            other => Err(format!("the code takes JSON or a form, not {other:?}")),
        }
    }

    /// The body as text.
    pub fn text(&self) -> Result<String, String> {
        match self {
            Body::Text(text) => Ok(text.clone()),
            other => Err(format!("the code takes a text, not {other:?}")),
        }
    }

    /// The body as bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Body::Value(value) => Ok(value.to_string().into()),
            Body::Text(text) => Ok(text.clone().into()),
            Body::Bytes(bytes) => Ok(bytes.clone()),
            Body::Empty | Body::Parts(_) => Err(format!("the code takes bytes, not {self:?}")),
        }
    }

    /// The parts of a multipart body, each made by a function of its name and value.
    pub fn parts<P>(
        &self,
        make: impl Fn(&str, &Part) -> Result<P, String>,
    ) -> Result<Vec<P>, String> {
        match self {
            Body::Parts(parts) => parts.iter().map(|(name, part)| make(name, part)).collect(),
            other => Err(format!("the code takes parts, not {other:?}")),
        }
    }
}

impl Part {
    /// The part as a type of the client.
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
