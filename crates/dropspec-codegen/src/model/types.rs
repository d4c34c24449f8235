//! The types that have names: one for each schema that needs one.

use dropspec_model::Place;

use crate::markdown::code;
use crate::names::make_unique;

/// A generated type that has a name, in `types.rs`.
#[derive(Debug, Clone)]
pub struct NamedType {
    pub name: String,
    /// The JSON pointer to its schema.
    pub pointer: String,
    pub docs: String,
    pub shape: Shape,
    pub origin: Origin,
    /// Set if operations return this type itself as their error.
    pub error: Option<ErrorShape>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A component: an entry of `components.schemas`.
    Component,
    /// It was written in place and is (part of) a body, so that it must describe itself.
    Body,
    /// It was written inside another schema, which describes it.
    Hoisted,
}

#[derive(Debug, Clone)]
pub enum Shape {
    Struct(Struct),
    Enum(Vec<Variant>),
    Newtype(Type),
    Union(Union),
}

impl Shape {
    /// The fields of a struct, or of all variants of a union.
    pub fn fields_mut(&mut self) -> Vec<&mut Field> {
        match self {
            Shape::Struct(shape) => shape.fields.iter_mut().collect(),
            Shape::Union(union) => {
                let bodies = union.variants.iter_mut().map(|variant| &mut variant.body);
                let fields = bodies.filter_map(|body| match body {
                    VariantBody::Fields(fields) => Some(fields),
                    VariantBody::Unit | VariantBody::Newtype(_) => None,
                });
                fields.flatten().collect()
            }
            Shape::Enum(_) | Shape::Newtype(_) => Vec::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Struct {
    pub fields: Vec<Field>,
    /// The type of properties that the schema does not name; `None` if they are ignored or rejected.
    pub rest: Option<Type>,
    pub closed: bool,
}

impl Struct {
    /// The name of the field of the properties that the schema does not name, if there is one.
    pub fn rest_name(&self) -> Option<String> {
        self.rest.as_ref()?;
        let mut taken = self.fields.iter().map(|field| field.name.clone()).collect();
        Some(if self.fields.iter().any(|field| field.name == "rest") {
            make_unique("additional_properties".to_owned(), &mut taken)
        } else {
            "rest".to_owned()
        })
    }
}

#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    /// The name on the wire.
    pub wire: String,
    pub docs: String,
    /// [`Type::Option`] where the value may be absent or null.
    pub ty: Type,
    pub presence: Presence,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    Required,
    Optional,
    /// The value fits the type, once all types are known.
    Default(Box<DefaultValue>),
}

/// A default of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct DefaultValue {
    pub value: serde_json::Value,
    pub at: Place,
    /// The schema that the value must fit, as JSON.
    pub schema: serde_json::Value,
}

#[derive(Debug, Clone)]
pub struct Variant {
    pub name: String,
    pub wire: String,
    pub docs: String,
}

impl Variant {
    /// The documentation of the variant, or else its value.
    pub fn docs(&self) -> String {
        match self.docs.as_str() {
            "" => code(&self.wire),
            docs => docs.to_owned(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Union {
    pub tagging: Tagging,
    pub variants: Vec<UnionVariant>,
}

/// The representation of a union in JSON, by which serde tells its variants apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tagging {
    External,
    Internal {
        tag: String,
    },
    /// The first variant that fits may be a wrong one. The property of the discriminator decides, if there is one, which belongs
    /// to the variants' own types; or else the schemas of the variants. A client has no schemas, and tries the variants in
    /// their order.
    Untagged {
        property: Option<String>,
        /// The variant of values whose discriminator names none.
        default: Option<usize>,
    },
}

impl Tagging {
    /// Whether a name tells the variants apart. Otherwise a value is read as one of the variants as it is.
    pub fn is_tagged(&self) -> bool {
        !matches!(self, Tagging::Untagged { .. })
    }
}

#[derive(Debug, Clone)]
pub struct UnionVariant {
    pub name: String,
    pub wire: String,
    pub docs: String,
    pub body: VariantBody,
    /// The JSON pointer to its schema, if the union is untagged.
    pub pointer: String,
    /// The values of the discriminator that mean it.
    pub tags: Vec<String>,
}

#[derive(Debug, Clone)]
pub enum VariantBody {
    Unit,
    Newtype(Type),
    Fields(Vec<Field>),
}

impl VariantBody {
    /// The type of its unnamed field.
    pub fn content(&self) -> Option<&Type> {
        match self {
            VariantBody::Newtype(ty) => Some(ty),
            VariantBody::Unit | VariantBody::Fields(_) => None,
        }
    }
}

/// The Rust type of a field, parameter or body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Bool,
    /// `i8` … `u64`
    Integer(&'static str),
    /// `f32` or `f64`
    Float(&'static str),
    String,
    /// A type whose values are written as text, such as `uuid::Uuid`, by its path.
    Parsed(&'static str),
    /// Any JSON value.
    Any,
    Named(String),
    Vec(Box<Type>),
    Map(Box<Type>),
    Option(Box<Type>),
    Box(Box<Type>),
}

impl Type {
    /// Whether every value of the type is serialized as a string.
    pub fn is_text(&self) -> bool {
        match self {
            Type::String | Type::Parsed(_) => true,
            Type::Option(inner) => inner.is_text(),
            _ => false,
        }
    }

    /// Whether the type is a list.
    pub fn is_list(&self) -> bool {
        match self {
            Type::Vec(_) => true,
            Type::Option(inner) => inner.is_list(),
            _ => false,
        }
    }

    /// Wraps the type in `Option`, if it is not an `Option` already.
    pub fn optional(self) -> Type {
        match self {
            Type::Option(_) => self,
            other => Type::Option(Box::new(other)),
        }
    }

    /// The name of the generated type that this type is or contains, as in `Vec<Pet>`.
    pub fn named(&self) -> Option<&str> {
        match self {
            Type::Named(name) => Some(name),
            Type::Vec(inner) | Type::Map(inner) | Type::Option(inner) | Type::Box(inner) => {
                inner.named()
            }
            _ => None,
        }
    }
}

/// The fields of an error type that are filled from dropshot's own errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorShape {
    /// The integer field that holds the HTTP status.
    pub status: String,
    pub message: Option<String>,
    pub code: Option<String>,
}
