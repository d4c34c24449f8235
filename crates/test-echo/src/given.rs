//! What the client is given for a call, as JSON. Generated code reads it into the client's types.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::body::{Body, read};

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The parameters by location and name.
    pub(crate) parameters: BTreeMap<(&'static str, &'static str), Value>,
    /// The body, if the call has one.
    pub body: Option<GivenBody>,
}

/// The body of a call.
#[derive(Clone, Debug)]
pub struct GivenBody {
    /// The position of its media type among those of the operation.
    pub form: usize,
    /// A media type that the declared one covers.
    pub media_type: String,
    /// What it consists of.
    pub content: Body,
}

impl Given {
    /// The value of a parameter; `None` if the call does not have it.
    pub fn parameter<T: DeserializeOwned>(
        &self,
        location: &'static str,
        name: &'static str,
    ) -> Result<Option<T>, String> {
        let value = self.parameters.get(&(location, name));
        let value = value.map(read).transpose();
        value.map_err(|error| format!("the client's {location} parameter `{name}`: {error}"))
    }
}
