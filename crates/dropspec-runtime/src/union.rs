//! Reads untagged unions: the discriminator decides, then the schemas of the document, then the order.

use std::sync::{LazyLock, OnceLock};

use dropspec_schema::wire::union;
use dropspec_schema::{Direction, Validator};
use serde::Serialize;
use serde::de::{Deserialize as _, Deserializer};
use serde_json::Value;

use crate::document::Document;

/// How a union is read. Generated types keep it in a `static`; the schemas are compiled when they are first needed.
pub struct Union<T: 'static> {
    document: &'static LazyLock<Document>,
    name: &'static str,
    property: Option<&'static str>,
    variants: &'static [UnionVariant<T>],
    default: Option<usize>,
    validators: OnceLock<Vec<Vec<Validator>>>,
}

/// A variant of a [`Union`].
pub struct UnionVariant<T> {
    /// The values of the discriminator that mean this variant.
    pub tags: &'static [&'static str],
    /// The JSON pointer to its schema.
    pub schema: &'static str,
    /// Reads a value as this variant.
    pub read: fn(&Value) -> Result<T, serde_json::Error>,
}

impl<T: Serialize> Union<T> {
    /// Describes the union `name`, whose discriminator is the property `property`.
    pub const fn new(
        document: &'static LazyLock<Document>,
        name: &'static str,
        property: Option<&'static str>,
        variants: &'static [UnionVariant<T>],
    ) -> Self {
        Self {
            document,
            name,
            property,
            variants,
            default: None,
            validators: OnceLock::new(),
        }
    }

    /// Takes values whose discriminator names no variant for the one at this index.
    #[must_use]
    pub const fn with_default(mut self, index: usize) -> Self {
        self.default = Some(index);
        self
    }

    /// Reads a value as the variant that its discriminator names, or else as the one that keeps the most of it: of those
    /// whose schema accepts it, or else of all. Of several that keep the same, the first is taken.
    ///
    /// # Errors
    ///
    /// If no variant can be read.
    pub fn read<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<T, D::Error> {
        let value = Value::deserialize(deserializer)?;
        union::read(
            self.name,
            &value,
            self.variants,
            |variant| union::has_tag(&value, self.property, variant.tags),
            self.default,
            |variant| self.is_valid(variant, &value),
            |variant| (variant.read)(&value).ok(),
        )
    }

    /// Whether the schema of a variant accepts the value in a request or in a response.
    fn is_valid(&self, variant: &UnionVariant<T>, value: &Value) -> bool {
        let variants = self.variants.iter();
        let validators = self.validators.get_or_init(|| {
            let compile = |variant: &UnionVariant<T>| self.compile(variant.schema);
            variants.clone().map(compile).collect()
        });
        let mut validators = variants.zip(validators);
        let found = validators.find(|(it, _)| std::ptr::eq(*it, variant));
        found.is_some_and(|(_, validators)| validators.iter().any(|it| it.is_valid(value)))
    }

    fn compile(&self, pointer: &str) -> Vec<Validator> {
        let Some(schema) = self.document.find(pointer) else {
            return Vec::new();
        };
        let directions = [Direction::Request, Direction::Response].into_iter();
        // The document was checked when the code was generated: a schema without a validator decides nothing.
        directions
            .filter_map(|direction| {
                dropspec_schema::compile(self.document.json(), schema, direction).ok()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
        Document::from_json(
            r#"{"short": {"type": "string", "maxLength": 3}, "digits": {"type": "string", "pattern": "^[0-9]+$"}, "object": {"type": "object"}}"#,
        )
    });

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Pet {
        name: String,
    }

    type Map = serde_json::Map<String, Value>;

    #[derive(Debug, PartialEq, Serialize)]
    #[serde(untagged)]
    enum Code {
        Pet(Pet),
        Short(String),
        Digits(String),
        Any(Map),
        Named(Map),
    }

    static CODE: Union<Code> = Union::new(
        &DOCUMENT,
        "Code",
        Some("kind"),
        &[
            UnionVariant {
                tags: &[],
                schema: "/object",
                read: |value| Pet::deserialize(value).map(Code::Pet),
            },
            UnionVariant {
                tags: &[],
                schema: "/short",
                read: |value| String::deserialize(value).map(Code::Short),
            },
            UnionVariant {
                tags: &[],
                schema: "/digits",
                read: |value| String::deserialize(value).map(Code::Digits),
            },
            UnionVariant {
                tags: &[],
                schema: "/object",
                read: |value| Map::deserialize(value).map(Code::Any),
            },
            UnionVariant {
                tags: &["named"],
                schema: "/gone",
                read: |value| Map::deserialize(value).map(Code::Named),
            },
        ],
    );

    #[test]
    fn union_is_read_by_tag_then_by_schema_then_by_what_is_kept() {
        let map = |value: &Value| value.as_object().unwrap().clone();
        let (named, other) = (json!({ "kind": "named" }), json!({ "kind": "other" }));
        let (rex, old) = (json!({ "name": "Rex" }), json!({ "name": "Rex", "age": 3 }));
        let name = "Rex".to_owned();
        for (value, expected) in [
            (named.clone(), Code::Named(map(&named))),
            (other.clone(), Code::Any(map(&other))),
            (rex, Code::Pet(Pet { name })),
            (old.clone(), Code::Any(map(&old))),
            (json!("12345"), Code::Digits("12345".to_owned())),
            (json!("12"), Code::Short("12".to_owned())),
            (json!("no schema"), Code::Short("no schema".to_owned())),
        ] {
            assert_eq!(CODE.read(&value).unwrap(), expected, "{value}");
        }
        let error = CODE.read(&json!(1)).unwrap_err();
        assert_eq!(error.to_string(), "no variant of `Code` fits the value");
    }
}
