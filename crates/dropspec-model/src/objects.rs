//! The objects of OpenAPI and their fields, as `objects.txt` lists them: what each value of a document is, by its place.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// A type of object that OpenAPI defines, such as a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are those of OpenAPI")]
pub enum ObjectType {
    Document,
    Info,
    Contact,
    License,
    Server,
    ServerVariable,
    Components,
    Paths,
    PathItem,
    Operation,
    ExternalDocs,
    Parameter,
    RequestBody,
    MediaType,
    Encoding,
    Responses,
    Response,
    Callback,
    Example,
    Link,
    Header,
    Tag,
    Schema,
    Discriminator,
    Xml,
    SecurityScheme,
    OAuthFlows,
    OAuthFlow,
}

/// What a value of a document is: the type that OpenAPI requires of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are those of JSON and OpenAPI")]
pub enum Kind {
    /// Data of the interface, such as an example: a `$ref` in it is not a reference.
    Any,
    String,
    Url,
    Boolean,
    Number,
    Strings,
    /// A text or a list of texts.
    Types,
    StringMap,
    SchemaOrBoolean,
    #[serde(skip)]
    Object(ObjectType),
    /// An array of such objects.
    #[serde(skip)]
    List(ObjectType),
    /// An object with any keys, whose values are such objects.
    #[serde(skip)]
    Map(ObjectType),
    /// The value of an extension, of a field that OpenAPI does not define, or of one whose type is not listed.
    Other,
}

/// A field that OpenAPI defines for an object: its name, its type, and whether it is required.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub value: Kind,
    /// Whether the object must have it.
    pub required: bool,
    /// The minor versions of OpenAPI 3 that have it.
    first: u8,
    last: u8,
}

/// What `objects.txt` says of a type of object.
struct Definition {
    /// Its name in findings.
    name: &'static str,
    /// Its fields in all versions.
    fields: Vec<Field>,
    /// Fields of other versions than 3.0, each with what to write instead.
    replaced: HashMap<&'static str, &'static str>,
}

static OBJECTS: LazyLock<HashMap<ObjectType, Definition>> = LazyLock::new(|| {
    let list = include_str!("objects.txt").split("\n\n").skip(1);
    list.map(|object| {
        let (head, fields) = object.split_once('\n').unwrap_or((object, ""));
        let (id, name) = head.split_once(' ').unwrap_or((head, ""));
        let (replaced, fields): (Vec<&str>, Vec<&str>) =
            fields.lines().partition(|line| line.starts_with('?'));
        let replaced = replaced.iter().filter_map(|line| line[2..].split_once(' '));
        let definition = Definition {
            name,
            fields: fields.into_iter().map(read_field).collect(),
            replaced: replaced.collect(),
        };
        (named(id).expect("a type of object"), definition)
    })
    .collect()
});

fn read_field(line: &'static str) -> Field {
    let mut words = line.split_whitespace();
    let mut next = || words.next().unwrap_or_default();
    let (name, value) = (next(), next());
    let (first, last) = match (next(), next().strip_prefix("3.").map(str::parse)) {
        ("from", Some(Ok(version))) => (version, u8::MAX),
        ("until", Some(Ok(version))) => (0, version),
        _ => (0, u8::MAX),
    };
    let object = named(value.trim_matches(['[', ']', '{', '}']));
    let value = match (object, value.chars().next()) {
        (Some(object), Some('[')) => Kind::List(object),
        (Some(object), Some('{')) => Kind::Map(object),
        (Some(object), _) => Kind::Object(object),
        (None, _) => named(value).expect("a type of field"),
    };
    Field {
        name: name.trim_end_matches('!'),
        value,
        required: name.ends_with('!'),
        first,
        last,
    }
}

fn named<T: Deserialize<'static>>(name: &'static str) -> Option<T> {
    T::deserialize(IntoDeserializer::<Error>::into_deserializer(name)).ok()
}

impl ObjectType {
    /// The name of this type of object in findings.
    pub fn name(self) -> &'static str {
        OBJECTS[&self].name
    }

    /// The fields that OpenAPI defines for this type of object in a minor version of 3, without those whose names are free.
    pub fn fields(self, minor_version: u8) -> Vec<Field> {
        let fields = OBJECTS[&self].fields.iter().copied();
        fields
            .filter(|it| (it.first..=it.last).contains(&minor_version))
            .collect()
    }

    /// What the value of a field is, in the first version that has the field.
    pub(crate) fn field(self, name: &str) -> Option<Kind> {
        let mut fields = OBJECTS[&self].fields.iter();
        fields.find(|it| it.name == name).map(|it| it.value)
    }

    /// What OpenAPI 3.0 has in place of a field of OpenAPI 3.1 or Swagger 2.0.
    pub fn help_for_other_version(self, name: &str) -> Option<&'static str> {
        match self {
            ObjectType::Parameter | ObjectType::Header
                if ObjectType::Schema.field(name).is_some() =>
            {
                Some("move it into `schema`")
            }
            _ => OBJECTS[&self].replaced.get(name).copied(),
        }
    }

    /// Whether a `$ref` may replace an object of this type in a minor version of 3.
    pub fn can_be_reference(self, minor_version: u8) -> bool {
        use ObjectType::*;
        if self == MediaType {
            return minor_version >= 2;
        }
        matches!(
            self,
            Callback
                | Example
                | Header
                | Link
                | Parameter
                | PathItem
                | RequestBody
                | Response
                | Schema
                | SecurityScheme
        )
    }

    /// The type of entries with free keys: paths, statuses, callback expressions. `None` if this type has none.
    pub fn entry_type(self) -> Option<ObjectType> {
        match self {
            ObjectType::Paths | ObjectType::Callback => Some(ObjectType::PathItem),
            ObjectType::Responses => Some(ObjectType::Response),
            _ => None,
        }
    }
}

impl Kind {
    /// The name of the expected value in findings, such as `a string`.
    pub fn description(self) -> &'static str {
        match self {
            Kind::Any | Kind::Other => "a value",
            Kind::String => "a string",
            Kind::Url => "a URL",
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::Strings => "a list of strings",
            Kind::Types => "a string or a list of strings",
            Kind::StringMap => "an object of strings",
            Kind::List(_) => "a list",
            Kind::SchemaOrBoolean | Kind::Object(_) | Kind::Map(_) => "an object",
        }
    }
}
