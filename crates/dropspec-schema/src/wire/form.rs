//! Bodies of the media type `application/x-www-form-urlencoded`: objects whose properties are written like parameters of the
//! query. Where no style is declared, an object inside the object is JSON; `name[property]` and `name[]` are read as well.

use serde_json::{Map, Value};

use crate::wire::declared::properties;
use crate::wire::decode::ParameterDecoder;
use crate::wire::escape;
use crate::wire::list::{ParameterList, UnknownNames};
use crate::wire::node::Node;
use crate::wire::parameter::{Check, Encoding, Location, Parameter};
use crate::wire::request::encode_parameters;
use crate::wire::shape::Fields;

/// Reads the forms of one operation.
#[derive(Debug)]
pub struct FormDecoder<'d, C> {
    /// The properties for which `encoding` declares another notation.
    encoded: ParameterList<'d, C>,
    fields: Fields,
}

/// Why a form cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormError {
    /// The name of a field cannot be decoded.
    Name(String),
    /// The name of a field, and a phrase to follow it.
    Field(String, String),
}

impl<'d, C: Check> FormDecoder<'d, C> {
    /// Compiles a form from the media type object of a request body. `check` compiles the schema of a property.
    ///
    /// # Errors
    /// The schema of a property cannot be compiled.
    pub fn new<E>(
        document: &'d Value,
        content: &'d Value,
        check: impl Fn(&Value) -> Result<C, E>,
    ) -> Result<Self, E> {
        let schema = content.get("schema").unwrap_or(&Value::Null);
        let declared = properties(document, schema);
        let mut encoded = ParameterList::default();
        let encodings = content.get("encoding").and_then(Value::as_object);
        for (name, encoding) in encodings.into_iter().flatten() {
            let property = declared.iter().find(|(known, _)| known == name);
            let is_styled = ["style", "explode"]
                .iter()
                .any(|it| encoding.get(it).is_some());
            if let Some((_, property)) = property.filter(|_| is_styled) {
                let check = check(property)?;
                let location = Location::Query;
                encoded.push(ParameterDecoder::of_field(
                    document, name, location, encoding, property, check,
                ));
            }
        }
        Ok(Self {
            encoded,
            fields: Fields::of_schema(document, schema),
        })
    }

    /// Reads what is of no declared type as text, for a caller that judges values itself.
    pub fn or_text(mut self) -> Self {
        self.fields.allow_text();
        self
    }

    /// Reads a form as an object. Fields without a declaration are text.
    ///
    /// # Errors
    /// A field cannot be read, or one whose notation is declared is not valid.
    pub fn decode(&self, text: &str) -> Result<Value, FormError> {
        let pairs = escape::split_query(text).map_err(FormError::Name)?;
        let encoded = self.encoded.parse_pairs(&pairs, UnknownNames::Ignore);
        let encoded = encoded.map_err(|(name, message)| FormError::Field(name, message))?;
        let mut object: Map<String, Value> = encoded
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let mut node = Node::default();
        for (name, value) in &pairs {
            if !self.encoded.takes(name) {
                node.insert(&split_name(name), value);
            }
        }
        let decode = escape::of_location(Location::Query);
        for (name, member) in node.members() {
            let value = self.fields.parse_member(name, member, decode);
            let value = value.map_err(|message| FormError::Field(name.to_owned(), message))?;
            object.insert(name.to_owned(), value);
        }
        Ok(Value::Object(object))
    }
}

/// The names in `a[b][c]`.
fn split_name(name: &str) -> Vec<&str> {
    let parts = name.strip_suffix(']').and_then(|it| it.split_once('['));
    match parts {
        Some((first, rest)) => [first].into_iter().chain(rest.split("][")).collect(),
        None => vec![name],
    }
}

/// The text of a form of the properties of an object. `declared` has the encodings of those that differ from the defaults.
/// A property that is null is left out.
///
/// # Errors
/// The value is no object, or a property cannot be written in its style.
pub fn encode_form(
    value: &Value,
    declared: impl Fn(&str) -> Option<Encoding>,
) -> Result<String, String> {
    let Value::Object(members) = value else {
        return Err("the body is no form, because it is no object".to_owned());
    };
    let members = members.iter().filter(|(_, value)| !value.is_null());
    let parameters: Vec<(Parameter<'_>, &Value)> = members
        .map(|(name, value)| {
            let encoding = declared(name).unwrap_or(match value {
                Value::Object(_) => Encoding::Json,
                _ => Parameter::query(name).encoding,
            });
            let parameter = Parameter {
                name,
                location: Location::Query,
                encoding,
                required: false,
            };
            (parameter, value)
        })
        .collect();
    let parameters = parameters
        .iter()
        .map(|(parameter, value)| (parameter, *value));
    let parts = encode_parameters("", parameters)?;
    // In forms a space is a plus sign.
    Ok(parts.query.replace("%20", "+"))
}
