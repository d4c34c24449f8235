//! The parameters that the document declares: found in the document, and compiled with the validators of their schemas.

use dropspec_schema::Direction;
use dropspec_schema::wire::{Declared, Location, ParameterDecoder, declared_parameters, schema_of};
use http::HeaderMap;
use serde_json::Value;

use crate::document::Document;
use crate::validate::SchemaValidator;

/// A parameter or response header with its schema compiled.
pub(crate) type Parameter = ParameterDecoder<'static, SchemaValidator>;

/// The parameters of one location.
pub(crate) type ParameterList = dropspec_schema::wire::ParameterList<'static, SchemaValidator>;

/// The parameters of the operation at a pointer. None if there is no such operation.
pub(crate) fn find_parameters<'d>(
    document: &'d Document,
    pointer: &str,
) -> Option<Vec<Declared<'d>>> {
    let (parent, _) = pointer.rsplit_once('/')?;
    let (path_item, operation) = (document.find(parent)?, document.find(pointer)?);
    Some(declared_parameters(document.json(), path_item, operation))
}

/// Compiles a parameter or response header.
pub(crate) fn compile(
    document: &Document,
    name: &'static str,
    location: Location,
    definition: &Value,
    direction: Direction,
) -> Result<Parameter, String> {
    let validator = SchemaValidator::new(document, schema_of(definition), direction)?;
    let document = document.json();
    Ok(ParameterDecoder::new(
        document, name, location, definition, validator,
    ))
}

/// The query parameters that hold API keys, which no operation declares.
pub(crate) fn find_credentials(document: &'static Document) -> Vec<&'static str> {
    let schemes = document.find("/components/securitySchemes");
    let schemes = schemes.and_then(Value::as_object).into_iter().flatten();
    let names = schemes.filter_map(|(_, scheme)| {
        let scheme = document.resolve(scheme)?;
        let text = |key: &str| scheme.get(key).and_then(Value::as_str);
        let is_key = (text("type"), text("in")) == (Some("apiKey"), Some("query"));
        is_key.then(|| text("name"))?
    });
    names.collect()
}

/// The values of a header as texts.
pub(crate) fn find_texts<'h>(headers: &'h HeaderMap, name: &str) -> Result<Vec<&'h str>, String> {
    let texts = headers.get_all(name).iter().map(|value| value.to_str());
    texts
        .collect::<Result<_, _>>()
        .map_err(|_| "must be visible ASCII characters".to_owned())
}
