//! What arrived at a method of the trait, as JSON.

use std::collections::BTreeMap;

use dropshot::{HttpError, MultipartBody};
use dropspec_runtime::{File, RawBody};
use serde::Serialize;
use serde_json::{Value, json};

use crate::body::{Body, Part};

/// The most bytes of a body or file that are read.
const MAX_BYTES: usize = 1 << 20;

/// The arguments of a method.
#[derive(Debug, Default)]
pub struct Arrived {
    /// The parameters by location and name; those that are absent are null.
    pub(crate) parameters: BTreeMap<(&'static str, &'static str), Value>,
    /// The body.
    pub body: Body,
    /// What could not be read.
    pub(crate) problem: Option<String>,
}

impl Arrived {
    /// Records a parameter.
    pub fn parameter(
        &mut self,
        location: &'static str,
        name: &'static str,
        value: &impl Serialize,
    ) {
        let value = self.convert(value);
        self.parameters.insert((location, name), value);
    }

    /// Records a JSON body or a form.
    pub fn json(&mut self, value: &impl Serialize) {
        self.body = Body::Value(self.convert(value));
    }

    /// Records a body of bytes.
    pub async fn raw(&mut self, body: RawBody) {
        match body.collect(MAX_BYTES).await {
            Ok(bytes) => self.body = Body::Bytes(bytes.to_vec()),
            Err(error) => self.reject(error.to_string()),
        }
    }

    /// Records a part of a multipart body that is text or JSON.
    pub fn part(&mut self, name: &str, value: &impl Serialize) {
        let value = self.convert(value);
        self.push_part(name, value);
    }

    /// Records a file of a multipart body.
    pub async fn file(&mut self, name: &str, file: File) {
        match file.collect(MAX_BYTES).await {
            Ok(bytes) => self.push_part(name, json!(String::from_utf8_lossy(&bytes))),
            Err(error) => self.reject(error.to_string()),
        }
    }

    /// Records a multipart body whose parts the document does not name.
    pub async fn multipart(&mut self, mut body: MultipartBody) -> Result<(), HttpError> {
        let malformed =
            |error| HttpError::for_bad_request(None, format!("the multipart body: {error}"));
        self.body = Body::Parts(Vec::new());
        while let Some(field) = body.content.next_field().await.map_err(malformed)? {
            let name = field.name().unwrap_or_default().to_owned();
            let text = field.text().await.map_err(malformed)?;
            self.push_part(&name, json!(text));
        }
        Ok(())
    }

    /// Records that an argument could not be read.
    pub fn reject(&mut self, problem: impl ToString) {
        self.problem.get_or_insert(problem.to_string());
    }

    fn push_part(&mut self, name: &str, value: Value) {
        if let Body::Parts(parts) = &mut self.body {
            let part = Part {
                value,
                ..Part::default()
            };
            parts.push((name.to_owned(), part));
        }
    }

    fn convert(&mut self, value: &impl Serialize) -> Value {
        serde_json::to_value(value).unwrap_or_else(|error| {
            self.reject(format!("an argument cannot be written: {error}"));
            Value::Null
        })
    }
}
