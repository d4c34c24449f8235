//! The generated interface, with every name and type decided. It is independent of OpenAPI, and rendering it cannot fail.

use chrono::NaiveDate;
use spec_model::{Diagnostic, ParameterLocation, ParameterStyle, Place, Stability, Tag};

use crate::markdown::code;
use crate::names::make_unique;

/// The plan of all generated code for a document, with every name and type decided.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) trait_name: String,
    /// The type that implements `spec_runtime::Interface`.
    pub(crate) interface_name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<Tag>,
    pub(crate) types: Vec<NamedType>,
    pub(crate) parameters: Vec<ParameterStruct>,
    /// The operations that code is generated for, in the order of the document.
    pub(crate) operations: Vec<Operation>,
    /// The operations that are left out, which only the operation table lists.
    pub(crate) unsupported: Vec<UnsupportedOperation>,
    /// The enums of the responses of operations, in `responses.rs`.
    pub(crate) responses: Vec<ResponseEnum>,
    /// The enums of bodies that have several media types, in `bodies.rs`.
    pub(crate) body_choices: Vec<BodyChoice>,
    /// The enums of the parts of multipart bodies, in `bodies.rs`.
    pub(crate) multiparts: Vec<MultipartParts>,
    /// What is legal in the document, but lost or changed in the generated code.
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) error_codes: Option<Vec<ErrorCode>>,
}

/// A generated type that has a name, in `types.rs`.
#[derive(Debug, Clone)]
pub(crate) struct NamedType {
    pub(crate) name: String,
    /// The JSON pointer to its schema.
    pub(crate) pointer: String,
    pub(crate) docs: String,
    pub(crate) shape: Shape,
    pub(crate) origin: Origin,
    /// Set if operations return this type itself as their error.
    pub(crate) error: Option<ErrorShape>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A component: an entry of `components.schemas`.
    Component,
    /// It was written in place and is (part of) a body, so that it must describe itself.
    Body,
    /// It was written inside another schema, which describes it.
    Hoisted,
}

#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Struct(Struct),
    Enum(Vec<Variant>),
    Newtype(Type),
    Union(Union),
}

#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) fields: Vec<Field>,
    /// The type of properties that the schema does not name; `None` if they are ignored or rejected.
    pub(crate) rest: Option<Type>,
    pub(crate) closed: bool,
}

impl Struct {
    /// The name of the field of the properties that the schema does not name, if there is one.
    pub(crate) fn rest_name(&self) -> Option<String> {
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
pub(crate) struct Field {
    pub(crate) name: String,
    /// The name on the wire.
    pub(crate) wire: String,
    pub(crate) docs: String,
    /// [`Type::Option`] where the value may be absent or null.
    pub(crate) ty: Type,
    pub(crate) presence: Presence,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Presence {
    Required,
    Optional,
    Default(Literal),
}

/// A default value that generated code can contain. The type of the field says whether it is wrapped in `Some` or `Box`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    /// What the document has, until all types are known.
    Pending(Box<PendingDefault>),
    Bool(bool),
    /// The digits of an integer or a float.
    Number(String),
    String(String),
    /// The text of a [`Type::Parsed`].
    Parsed(String),
    /// A variant of an enum.
    Variant {
        ty: String,
        variant: String,
    },
    /// What the type's own `Default` gives: an empty list, an empty map.
    Empty,
    /// `None`
    Null,
    List(Vec<TypedLiteral>),
    Map(Vec<(String, TypedLiteral)>),
    /// Any JSON value.
    Json(serde_json::Value),
    /// A struct with a value for each field.
    Struct {
        ty: String,
        fields: Vec<(String, TypedLiteral)>,
    },
    /// A struct or variant with one unnamed field: the path behind the name of the type, and its content.
    Newtype {
        ty: String,
        variant: Option<String>,
        content: Box<TypedLiteral>,
    },
}

/// A value and the type that it is written for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypedLiteral {
    pub(crate) ty: Type,
    pub(crate) value: Literal,
}

/// A default as the document has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PendingDefault {
    pub(crate) value: serde_json::Value,
    pub(crate) at: Place,
    /// The schema that the value must fit, as JSON.
    pub(crate) schema: serde_json::Value,
}

#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) wire: String,
    pub(crate) docs: String,
}

impl Variant {
    /// The documentation of the variant, or else its value.
    pub(crate) fn docs(&self) -> String {
        match self.docs.as_str() {
            "" => code(&self.wire),
            docs => docs.to_owned(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Union {
    pub(crate) tagging: Tagging,
    pub(crate) variants: Vec<UnionVariant>,
}

/// The representation of a union in JSON, by which serde tells its variants apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tagging {
    External,
    Internal {
        tag: String,
    },
    Adjacent {
        tag: String,
        content: String,
    },
    Untagged,
    /// As `Untagged`, but the first variant that fits may be a wrong one.
    Chosen(Choice),
}

impl Tagging {
    /// Whether a value is read as one of the variants as it is.
    pub(crate) fn is_untagged(&self) -> bool {
        matches!(self, Tagging::Untagged | Tagging::Chosen(_))
    }
}

/// What tells the variants of a union apart, before the schemas of its variants do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The property of the discriminator, which belongs to the variants' own types.
    pub(crate) property: Option<String>,
    /// Whether the schemas of the variants decide next. A client has no schemas, and tries the variants in their order.
    pub(crate) by_schema: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct UnionVariant {
    pub(crate) name: String,
    pub(crate) wire: String,
    pub(crate) docs: String,
    pub(crate) body: VariantBody,
    /// The JSON pointer to its schema, if the union is [`Tagging::Chosen`].
    pub(crate) pointer: String,
    /// The values of the discriminator that mean it.
    pub(crate) tags: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) enum VariantBody {
    Unit,
    Newtype(Type),
    Fields(Vec<Field>),
}

impl VariantBody {
    /// The type of its unnamed field.
    pub(crate) fn content(&self) -> Option<&Type> {
        match self {
            VariantBody::Newtype(ty) => Some(ty),
            VariantBody::Unit | VariantBody::Fields(_) => None,
        }
    }
}

/// The Rust type of a field, parameter or body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
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
    pub(crate) fn is_text(&self) -> bool {
        match self {
            Type::String | Type::Parsed(_) => true,
            Type::Option(inner) => inner.is_text(),
            _ => false,
        }
    }

    /// Wraps the type in `Option`, if it is not an `Option` already.
    pub(crate) fn optional(self) -> Type {
        match self {
            Type::Option(_) => self,
            other => Type::Option(Box::new(other)),
        }
    }

    /// The name of the generated type that this type is or contains, as in `Vec<Pet>`.
    pub(crate) fn named(&self) -> Option<&str> {
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
pub(crate) struct ErrorShape {
    /// The integer field that holds the HTTP status.
    pub(crate) status: String,
    pub(crate) message: Option<String>,
    pub(crate) code: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct ParameterStruct {
    pub(crate) name: String,
    pub(crate) kind: ParameterKind,
    pub(crate) docs: String,
    /// The operation (or the response) that declares the parameters.
    pub(crate) pointer: String,
    pub(crate) fields: Vec<ParameterField>,
    /// Whether these are the query parameters of a list that dropshot's pagination reads page by page.
    #[allow(dead_code, reason = "not yet rendered")]
    pub(crate) paginated: bool,
}

/// A parameter or response header: its field, and how its value is written as text.
#[derive(Debug, Clone)]
pub(crate) struct ParameterField {
    pub(crate) field: Field,
    #[allow(dead_code, reason = "only clients need it")]
    pub(crate) encoding: Encoding,
}

/// How the value of a parameter is written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    Style {
        style: ParameterStyle,
        explode: bool,
        allow_reserved: bool,
    },
    /// The parameter has `content`: it is JSON text.
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ParameterKind {
    Path,
    Query,
    RequestHeader,
    Cookie,
    ResponseHeader,
}

impl ParameterKind {
    /// The argument of a method of the trait that takes the parameters.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            ParameterKind::Path => "path",
            ParameterKind::Query => "query",
            ParameterKind::RequestHeader | ParameterKind::ResponseHeader => "headers",
            ParameterKind::Cookie => "cookies",
        }
    }

    /// The part of a request that contains the parameters.
    pub(crate) fn location(self) -> Option<ParameterLocation> {
        Some(match self {
            ParameterKind::Path => ParameterLocation::Path,
            ParameterKind::Query => ParameterLocation::Query,
            ParameterKind::RequestHeader => ParameterLocation::Header,
            ParameterKind::Cookie => ParameterLocation::Cookie,
            ParameterKind::ResponseHeader => return None,
        })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The place among all operations of the document, those that are left out included.
    pub(crate) index: usize,
    /// The `operationId`, or one that is derived from method and path.
    pub(crate) id: String,
    /// The trait's method.
    pub(crate) method_name: String,
    /// The variant of `enum Operation`.
    pub(crate) variant: String,
    /// `GET`, …
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) deprecated: bool,
    /// The structs of its path, query, header and cookie parameters, in this order.
    pub(crate) parameters: Vec<(ParameterKind, String)>,
    pub(crate) body: Option<RequestBody>,
    pub(crate) success: Success,
    pub(crate) error: ErrorType,
    /// Whether it opens a WebSocket (`x-dropshot-websocket`).
    pub(crate) channel: bool,
    /// Whether dropshot can register the method. If not, it stands in the trait without `#[endpoint]`.
    pub(crate) registered: bool,
    pub(crate) extensions: OperationExtensions,
}

/// An operation without generated code.
#[derive(Debug, Clone)]
pub(crate) struct UnsupportedOperation {
    /// The place among all operations of the document.
    pub(crate) index: usize,
    pub(crate) id: String,
    /// The variant of `enum Operation`.
    pub(crate) variant: String,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) tags: Vec<String>,
    pub(crate) extensions: OperationExtensions,
    /// Why it is left out.
    pub(crate) problems: Vec<Diagnostic>,
}

#[derive(Debug, Clone)]
pub(crate) struct RequestBody {
    /// Without it the argument is an `Option`.
    pub(crate) required: bool,
    /// The media types that the operation accepts, in the order of the document; at least one.
    pub(crate) forms: Vec<BodyForm>,
    /// The enum with a variant for each form, if there are several.
    pub(crate) choice: Option<String>,
}

impl RequestBody {
    /// The form of the body; `None` if there are several.
    pub(crate) fn only(&self) -> Option<&BodyForm> {
        match self.forms.as_slice() {
            [form] => Some(form),
            _ => None,
        }
    }
}

/// A media type of a request body.
#[derive(Debug, Clone)]
pub(crate) struct BodyForm {
    /// Its variant in the enum of all forms.
    pub(crate) variant: String,
    /// The media type, as the document has it.
    pub(crate) media_type: String,
    pub(crate) content: BodyContent,
}

#[derive(Debug, Clone)]
pub(crate) enum BodyContent {
    /// `application/json` and other types whose essence ends in `json`.
    Json(Type),
    /// `application/x-www-form-urlencoded`
    Form(Type),
    /// `multipart/form-data`, by the enum of its parts.
    Multipart(String),
    /// Text, such as `text/plain` and XML.
    Text,
    /// All else, as a stream.
    Bytes,
}

/// The enum of the media types of a request body.
#[derive(Debug, Clone)]
pub(crate) struct BodyChoice {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) forms: Vec<BodyForm>,
}

/// The enum of the parts of a multipart body.
#[derive(Debug, Clone)]
pub(crate) struct MultipartParts {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) parts: Vec<Part>,
    /// The variant of parts that the schema does not name; `None` if it allows none.
    #[allow(dead_code, reason = "only clients need it")]
    pub(crate) other: Option<String>,
}

/// A part of a multipart body: a property of its schema.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) variant: String,
    pub(crate) wire: String,
    pub(crate) docs: String,
    pub(crate) content: PartContent,
    #[allow(dead_code, reason = "only clients need it")]
    pub(crate) required: bool,
    /// Whether it may be there several times: its property is an array.
    #[allow(dead_code, reason = "only clients need it")]
    pub(crate) repeated: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum PartContent {
    /// A scalar, as text.
    Text(Type),
    Json(Type),
    File,
}

/// What an operation that succeeds returns.
#[derive(Debug, Clone)]
pub(crate) enum Success {
    /// One of dropshot's response types.
    Dropshot(SuccessResponse),
    /// A generated enum: no body, several statuses, several media types, or a status that dropshot has no type for.
    Responses(String),
    /// A `default` response that may be anything: `http::Response<dropshot::Body>`.
    Freeform,
}

/// The Rust return type of an operation that succeeds: dropshot's response type and the struct of its headers.
#[derive(Debug, Clone)]
pub(crate) struct SuccessResponse {
    /// The declared status.
    #[allow(dead_code, reason = "only clients need it")]
    pub(crate) status: u16,
    pub(crate) kind: SuccessKind,
    /// The struct of its headers.
    pub(crate) headers: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) enum SuccessKind {
    /// `HttpResponseOk`, `…Created` or `…Accepted` around a body.
    Body {
        wrapper: &'static str,
        body: SuccessBody,
    },
    /// A dropshot response that has no body.
    Empty { wrapper: &'static str },
}

#[derive(Debug, Clone)]
pub(crate) enum SuccessBody {
    Json(Type),
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ErrorType {
    /// A type that knows its own status.
    Itself(String),
    /// dropshot's own error.
    HttpError,
    /// Any other type: `OperationError<T>` carries the status.
    Failure(Type),
    /// A generated enum: errors without a body, not JSON, or of several shapes.
    Responses(String),
}

/// An enum of the responses of an operation, in `responses.rs`: `GetPetResponse` or `GetPetError`.
#[derive(Debug, Clone)]
pub(crate) struct ResponseEnum {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) is_error: bool,
    pub(crate) variants: Vec<ResponseVariant>,
}

/// A response by status and media type.
#[derive(Debug, Clone)]
pub(crate) struct ResponseVariant {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) status: StatusSet,
    /// `None` if there is no body.
    pub(crate) media_type: Option<String>,
    pub(crate) content: ResponseContent,
    /// The struct of its headers.
    pub(crate) headers: Option<String>,
}

/// The statuses that a response is declared for. The variant of a class or of `default` carries the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum StatusSet {
    Exact(u16),
    /// `4` for `4XX`
    Class(u8),
    Default,
}

#[derive(Debug, Clone)]
pub(crate) enum ResponseContent {
    Empty,
    Json(Type),
    Text,
    Bytes,
}

/// The values of an operation's `x-…` extensions that code is generated from.
#[derive(Debug, Clone)]
pub(crate) struct OperationExtensions {
    pub(crate) stability: Stability,
    pub(crate) deprecation: Option<Deprecation>,
    pub(crate) required_access: Option<String>,
    pub(crate) rate_limit_cost: u32,
    pub(crate) public: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Deprecation {
    pub(crate) since: Option<NaiveDate>,
    pub(crate) sunset: Option<NaiveDate>,
    pub(crate) successor: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) name: String,
    /// Requests per minute and per day; `None` if they are agreed with each customer.
    pub(crate) limits: Option<(u64, u64)>,
}

#[derive(Debug, Clone)]
pub(crate) struct ErrorCode {
    pub(crate) name: String,
    pub(crate) variant: String,
    pub(crate) status: u16,
}

impl ErrorCode {
    /// The doc comment of the variant.
    pub(crate) fn docs(&self) -> String {
        format!("`{}`, sent with status {}.", self.name, self.status)
    }
}
