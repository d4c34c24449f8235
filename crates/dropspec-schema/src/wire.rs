//! Parameters, forms and multipart bodies of HTTP requests in both directions: values to text by `style` and `explode`, and text to values by
//! the schema; and streams of items in responses. Servers, clients and checks of documents use the same rules. What the text of a parameter is judged by is
//! the caller's ([`Check`]); nothing is validated here.

mod declared;
mod decode;
mod encode;
mod escape;
mod form;
pub mod items;
pub mod json;
mod list;
mod multipart;
mod node;
mod parameter;
pub mod quote;
mod request;
mod scalar;
pub mod server_sent_events;
mod shape;
mod style;
mod template;
mod union;

pub use declared::{
    Declared, beside_null, declared_parameters, is_list, properties, required_properties, schema_of,
};
pub use decode::ParameterDecoder;
pub use encode::plain;
pub use escape::{decode, encode_segment, keep_encoded_slashes, split_cookies, split_query};
pub use form::{FormDecoder, FormError, encode_form};
pub use list::{ParameterList, Problem, UnknownNames};
pub use multipart::{Part, PartKind, PartLayout, decode_parts, encode_parts, find_boundary};
pub use parameter::{Check, Encoding, Location, Parameter, Style};
pub use request::{Parts, check_members, encode_parameters};
pub use shape::Shape;
pub use template::{fill_template, is_dropped, template_parameters};
pub use union::{Union, UnionVariant, UnknownValue};

pub use crate::Framing;
