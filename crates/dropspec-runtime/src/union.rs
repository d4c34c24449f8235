//! Which variants of an untagged union a value is valid for, by the schemas of the document.

use std::sync::{LazyLock, OnceLock};

use dropspec_schema::{Direction, Validator};
use serde_json::Value;

use crate::document::Document;

/// The schemas of the variants of a [`Union`](crate::Union). Generated types keep them in a `static`; they are compiled when
/// they are first needed.
pub struct UnionSchemas {
    document: &'static LazyLock<Document>,
    pointers: &'static [&'static str],
    validators: OnceLock<Vec<Vec<Validator>>>,
}

impl UnionSchemas {
    /// The schemas at these JSON pointers, one for each variant.
    pub const fn new(
        document: &'static LazyLock<Document>,
        pointers: &'static [&'static str],
    ) -> Self {
        Self {
            document,
            pointers,
            validators: OnceLock::new(),
        }
    }

    /// Whether the schema of the variant at an index accepts the value in a request or in a response.
    pub fn accept(&self, variant: usize, value: &Value) -> bool {
        let validators = self.validators.get_or_init(|| {
            let pointers = self.pointers.iter();
            pointers.map(|pointer| self.compile(pointer)).collect()
        });
        let mut validators = validators[variant].iter();
        validators.any(|it| it.is_valid(value))
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
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::{Union, UnionVariant};

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
        "Code",
        Some("kind"),
        &[
            UnionVariant {
                tags: &[],
                read: |value| Pet::deserialize(value).map(Code::Pet),
            },
            UnionVariant {
                tags: &[],
                read: |value| String::deserialize(value).map(Code::Short),
            },
            UnionVariant {
                tags: &[],
                read: |value| String::deserialize(value).map(Code::Digits),
            },
            UnionVariant {
                tags: &[],
                read: |value| Map::deserialize(value).map(Code::Any),
            },
            UnionVariant {
                tags: &["named"],
                read: |value| Map::deserialize(value).map(Code::Named),
            },
        ],
    );

    static SCHEMAS: UnionSchemas = UnionSchemas::new(
        &DOCUMENT,
        &["/object", "/short", "/digits", "/object", "/gone"],
    );

    fn read(value: &Value) -> Result<Code, serde_json::Error> {
        CODE.read_where(value, |variant, value| SCHEMAS.accept(variant, value))
    }

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
            assert_eq!(read(&value).unwrap(), expected, "{value}");
        }
        let error = read(&json!(1)).unwrap_err();
        assert_eq!(error.to_string(), "no variant of `Code` fits the value");
    }
}
