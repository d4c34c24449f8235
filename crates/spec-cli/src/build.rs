//! Builds the request of a command: parameters, body and credentials.

use serde_json::Value;
use spec_client::{Location, Parameter, Parts, encode_parameters};
use spec_transport::{IDEMPOTENCY_KEY, new_idempotency_key};

use crate::content;
use crate::credentials;
use crate::failure::Failure;
use crate::flags::{Flag, Place};
use crate::invocation::Invocation;
use crate::operation::Operation;
use crate::options::{ALL, RETRIES};
use crate::request::Request;
use crate::tail;

/// Builds the request of a command.
///
/// # Errors
/// A value does not fit its schema, a file cannot be read, or the URL or credentials are missing.
pub(crate) fn build(
    invocation: &Invocation<'_>,
    operation: &Operation,
) -> Result<Request, Failure> {
    let mut values: Vec<(Parameter<'_>, Value)> = Vec::new();
    for flag in &operation.flags {
        if let Place::Parameter { location, encoding } = flag.place
            && let Some(value) = parameter_value(invocation, flag, location)?
        {
            let parameter = Parameter {
                name: flag.name,
                location,
                encoding,
                required: flag.required,
            };
            values.push((parameter, value));
        }
    }
    let pairs = values.iter().map(|(parameter, value)| (parameter, value));
    let parts = encode_parameters(operation.path, pairs);
    let body = match &operation.body {
        Some(body) => content::read(invocation, operation, body)?,
        None => None,
    };
    Ok(Request {
        method: operation.method.clone(),
        base_url: invocation.base_url()?,
        parts: parts.map_err(Failure::Usage)?,
        credentials: credentials::choose(invocation, operation)?,
        body,
    })
}

/// The value of a parameter: that of its flag, or what the command adds by itself.
fn parameter_value(
    invocation: &Invocation<'_>,
    flag: &Flag,
    location: Location,
) -> Result<Option<Value>, Failure> {
    if let Some(value) = content::read_flag(invocation, flag)? {
        return Ok(Some(value));
    }
    let is_key =
        location == Location::Header && flag.name.eq_ignore_ascii_case(IDEMPOTENCY_KEY.as_str());
    let is_page_size = location == Location::Query && flag.name == "limit";
    if is_key && invocation.value::<u32>(RETRIES)? > 0 {
        let key = new_idempotency_key();
        return Ok(key.to_str().ok().map(Value::from));
    }
    if is_page_size && invocation.is_on(ALL) {
        let schema = spec_schema::resolve(invocation.interface.document, flag.schema);
        return Ok(schema.and_then(|schema| schema.get("maximum")).cloned());
    }
    Ok(None)
}

/// Builds the request for the stream of one's own requests. It has the credentials that an operation would have: of the first
/// one for which they suffice.
///
/// # Errors
/// The URL or the credentials are missing.
pub(crate) fn build_tail(invocation: &Invocation<'_>) -> Result<Request, Failure> {
    let base_url = invocation.base_url()?;
    let operations = invocation.interface.operations.iter();
    let mut missing = None;
    for operation in operations.filter(|it| it.has_credentials()) {
        match credentials::choose(invocation, operation) {
            Ok(credentials) if !credentials.is_empty() => {
                return Ok(Request {
                    method: "GET".to_owned(),
                    base_url,
                    parts: Parts {
                        path: tail::PATH.to_owned(),
                        ..Parts::default()
                    },
                    credentials,
                    body: None,
                });
            }
            // An operation that is public as well.
            Ok(_) => {}
            Err(failure) => {
                missing.get_or_insert(failure);
            }
        }
    }
    let none = || Failure::Usage("the command needs credentials".to_owned());
    Err(missing.unwrap_or_else(none))
}
