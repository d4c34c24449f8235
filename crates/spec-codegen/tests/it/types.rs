//! The types of schemas: every schema of a valid document has one, and what is lost is a warning.

use crate::{formatted, generate_files};

/// A document with these schemas.
fn document(schemas: &str) -> String {
    let indented = schemas.lines().map(|line| format!("    {line}\n"));
    let indented: String = indented.collect();
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{indented}"
    )
}

/// The types of a document with these schemas, without imports and tables.
fn types(schemas: &str) -> String {
    let text = formatted(&generate_files(&document(schemas)), "types.rs");
    let (_, text) = text
        .split_once("use crate::document::DOCUMENT;\n\n")
        .unwrap();
    let (text, _) = text.split_once("\ndocument_schemas!").unwrap();
    text.to_owned()
}

fn warnings(schemas: &str) -> String {
    crate::diagnose(&document(schemas))
}

/// Schemas, and parts of their types, as rustfmt writes them but for line breaks.
const TYPES: &[(&str, &str, &[&str])] = &[
    (
        "the most special variant of an untagged union is tried first",
        "NameOrId: {anyOf: [{title: Name, type: string}, {title: Id, type: string, format: uuid}]}",
        &[
            "Serialize)] #[serde(untagged)] pub enum NameOrId { /// `Id` Id(Uuid), /// `Name` Name(String), }",
            "Union::new( &DOCUMENT, \"NameOrId\", None, &[ UnionVariant { tags: &[], schema: \"/components/schemas/NameOrId/anyOf/1\", \
             read: |value| Deserialize::deserialize(value).map(NameOrId::Id), },",
        ],
    ),
    (
        "variants that differ only in patterns are one plain type",
        "Net: {oneOf: [{type: string, pattern: '^v4'}, {type: string, pattern: '^v6'}]}",
        &["pub struct Net(pub String);"],
    ),
    (
        "an enum of described values keeps the descriptions",
        "Level: {oneOf: [{type: string, enum: [low]}, {type: string, enum: [high], description: The top.}]}",
        &[
            "/// `low` #[serde(rename = \"low\")] Low,",
            "/// The top. #[serde(rename = \"high\")] High,",
        ],
    ),
    (
        "types of a cycle are in boxes",
        "Tree: {type: object, required: [root], properties: {root: {$ref: '#/components/schemas/Branch'}}}
Branch:
  type: object
  properties:
    owner: {$ref: '#/components/schemas/Tree'}
    branches: {type: array, items: {$ref: '#/components/schemas/Branch'}}",
        &[
            "pub root: Box<Branch>,",
            "pub owner: Option<Box<Tree>>,",
            "pub branches: Option<Vec<Branch>>,",
        ],
    ),
    (
        "an allOf of objects is one struct",
        "Base: {type: object, required: [id], properties: {id: {type: integer, format: int32}}}
Named:
  allOf:
    - $ref: '#/components/schemas/Base'
    - {type: object, required: [name], properties: {name: {type: string}}}",
        &[
            "pub struct Base { /// `id` pub id: i32, }",
            "pub struct Named { /// `id` pub id: i32, /// `name` pub name: String, }",
            "pub fn new(id: i32, name: impl Into<String>) -> Self { Self { id, name: name.into(), } }",
        ],
    ),
    (
        "one-way, nullable and unsigned properties have types that hold every value",
        "Account:
  type: object
  required: [id, secret, parent, size, closed]
  properties:
    id: {type: string, readOnly: true}
    secret: {type: string, writeOnly: true}
    parent: {$ref: '#/components/schemas/Parent'}
    size: {type: integer, format: uint64}
    closed: {type: boolean, readOnly: true, nullable: true}
Parent: {type: object, nullable: true, properties: {name: {type: string}}}",
        &[
            "pub id: Option<String>,",
            "pub secret: Option<String>,",
            "pub parent: Option<Parent>,",
            "pub size: u64,",
            // In a response, it must be there as null.
            "/// `closed` pub closed: Option<bool>,",
        ],
    ),
    (
        "a tag beside a content is an enum with fields",
        "Shape:
  oneOf:
  - type: object
    required: [kind, radius]
    properties: {kind: {type: string, enum: [circle]}, radius: {type: number}, label: {type: string}}
  - {type: object, required: [kind], properties: {kind: {type: string, enum: [none]}}}",
        &[
            "#[serde(tag = \"kind\")] pub enum Shape { /// `circle` #[serde(rename = \"circle\")] Circle { /// `radius` radius: f64,",
            "/// `none` #[serde(rename = \"none\")] None, }",
        ],
    ),
    (
        "the only property of a closed object is a tag",
        "Shape:
  oneOf:
    - {type: string, enum: [point]}
    - {type: object, required: [circle], additionalProperties: false, properties: {circle: {type: number}}}
    - type: object
      required: [square]
      additionalProperties: false
      properties: {square: {type: object, required: [sideLength], properties: {sideLength: {type: number}}}}",
        &[
            "pub enum Shape { /// `point` #[serde(rename = \"point\")] Point,",
            "/// `circle` #[serde(rename = \"circle\")] Circle(f64),",
            "/// `square` #[serde(rename = \"square\")] Square { /// `sideLength` #[serde(rename = \"sideLength\")] side_length: f64, }, }",
        ],
    ),
    (
        "keywords, defaults and unnamed properties are fields",
        "Settings:
  type: object
  required: [type]
  properties:
    type: {type: string}
    URL: {type: string, default: 'http://localhost'}
    verbose: {type: boolean, default: false}
    anything: {}
  additionalProperties: {type: integer}",
        &[
            "pub r#type: String,",
            "#[serde(rename = \"URL\", default = \"defaults::settings_url\")] pub url: String,",
            "#[serde(default)] pub verbose: bool,",
            "#[serde(skip_serializing_if = \"Option::is_none\")] pub anything: Option<Value>,",
            "#[serde(flatten)] pub rest: BTreeMap<String, i64>, }",
            "pub fn new(r#type: impl Into<String>) -> Self { Self { r#type: r#type.into(), url: defaults::settings_url(), \
             verbose: false, anything: None, rest: Default::default(), } }",
        ],
    ),
    (
        "a discriminator decides between variants with the same properties",
        "Cat: {type: object, required: [is], properties: {is: {type: string}}}
Dog: {type: object, required: [is], properties: {is: {type: string}}}
Pet:
  anyOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: is}",
        &["Some(\"is\")", "tags: &[\"Cat\"]", "tags: &[\"Dog\"]"],
    ),
    (
        "without a discriminator their schemas decide",
        "Cat: {type: object, required: [is], properties: {is: {type: string}}}
Dog: {type: object, required: [is], properties: {is: {type: string}}}
Any:
  anyOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]",
        &["pub enum Any { /// `Cat`. Cat(Cat), /// `Dog`. Dog(Dog), }"],
    ),
    (
        "the mapping of a discriminator comes first",
        "Cat: {type: object, properties: {kind: {type: string}}}
Dog: {type: object, properties: {kind: {type: string}, bark: {type: string}}}
Pet:
  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: kind, mapping: {meow: '#/components/schemas/Cat', purr: Cat}}",
        &[
            "Some(\"kind\")",
            "tags: &[\"meow\", \"purr\"],",
            "tags: &[\"Dog\"],",
            "schema: \"/components/schemas/Pet/oneOf/0\"",
        ],
    ),
    (
        "properties beside a union are in every variant",
        "Shape:
  type: object
  required: [id]
  properties: {id: {type: integer}}
  oneOf:
    - {title: Circle, type: object, required: [radius], properties: {radius: {type: number}}}
    - {title: Square, type: object, required: [side], properties: {side: {type: number}}}",
        &[
            "pub enum Shape { /// `ShapeCircle`. Circle(ShapeCircle), /// `ShapeSquare`. Square(ShapeSquare), }",
            "pub struct ShapeCircle { /// `id` pub id: i64, /// `radius` pub radius: f64, }",
            "pub struct ShapeSquare { /// `id` pub id: i64, /// `side` pub side: f64, }",
        ],
    ),
    (
        "alternatives of required properties are one struct",
        "Contact:
  type: object
  properties: {email: {type: string}, phone: {type: string}}
  anyOf: [{required: [email]}, {required: [phone]}]",
        &["pub struct Contact {", "pub phone: Option<String>,"],
    ),
    (
        "redeclared properties have the merged type",
        "Base: {type: object, properties: {kind: {type: string}, data: {type: object, properties: {x: {type: integer}}}}}
Narrow:
  allOf:
    - {$ref: '#/components/schemas/Base'}
    - {required: [kind], properties: {kind: {enum: [narrow]}, data: {properties: {y: {type: string}}}}}",
        &["pub kind: NarrowKind,", "pub x: Option<i64>,", "pub y: Option<String>,"],
    ),
    (
        "schemas that extend a base do not contain its union",
        "Pet:
  type: object
  required: [kind]
  properties: {kind: {type: string}}
  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: kind}
Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [meow], properties: {meow: {type: string}}}]}
Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [bark], properties: {bark: {type: string}}}]}",
        &["Cat(Cat),", "Dog(Dog),", "pub struct Cat {", "pub meow: String,"],
    ),
];

#[test]
fn each_form_of_a_schema_has_its_type() {
    for (form, schemas, parts) in TYPES {
        let text = types(schemas);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in *parts {
            assert!(text.contains(part), "{form}: {part} is missing in\n{text}");
        }
    }
}

#[test]
fn names_that_clash_get_numbers_and_a_warning() {
    let schemas = "my-type: {type: object, properties: {a: {type: string}}}
MyType: {type: string}
'???': {type: string}";
    let text = types(schemas);
    for name in [
        "pub struct MyType {",
        "pub struct MyType2(",
        "pub struct Schema3(",
    ] {
        assert!(text.contains(name), "{name} is missing in\n{text}");
    }
    insta::assert_snapshot!(warnings(schemas), @r"
    api.yaml:7:5: `MyType` is the Rust type `MyType2`, since `MyType` is taken (/components/schemas/MyType)
      help: rename it to choose the name of the type
    ");
}

#[test]
fn defaults_of_any_shape_are_functions() {
    let text = types(
        "Color: {type: string, enum: [red, green], default: green}
Point: {type: object, required: [x], properties: {x: {type: integer}, y: {type: integer, default: 7}}}
Defaults:
  type: object
  properties:
    color: {$ref: '#/components/schemas/Color'}
    colors: {type: array, items: {$ref: '#/components/schemas/Color'}, default: [red]}
    point: {allOf: [{$ref: '#/components/schemas/Point'}], default: {x: 1}}
    free: {default: {a: [1, null]}}
    some: {type: string, nullable: true, default: here}",
    );
    let (_, text) = text.split_once("mod defaults {").unwrap();
    insta::assert_snapshot!(text, @r#"

        pub(super) fn point_y() -> i64 {
            7
        }

        pub(super) fn defaults_color() -> crate::types::Color {
            serde_json::from_value(serde_json::json!("green"))
                .expect("the generator checked this value")
        }

        pub(super) fn defaults_colors() -> Vec<crate::types::Color> {
            serde_json::from_value(serde_json::json!(["red"]))
                .expect("the generator checked this value")
        }

        pub(super) fn defaults_point() -> crate::types::Point {
            serde_json::from_value(serde_json::json!({ "x" : 1 }))
                .expect("the generator checked this value")
        }

        pub(super) fn defaults_free() -> serde_json::Value {
            serde_json::json!({ "a" : [1, null] })
        }

        pub(super) fn defaults_some() -> Option<String> {
            Some("here".to_owned())
        }
    }
    "#);
}

#[test]
fn default_that_does_not_fit_is_a_warning() {
    let schemas =
        "Settings: {type: object, properties: {size: {type: integer, maximum: 3, default: 4}}}";
    assert!(types(schemas).contains("pub size: Option<i64>,"));
    insta::assert_snapshot!(warnings(schemas), @r#"
    api.yaml:6:86: the default does not fit its schema: 4 is greater than the maximum of 3 (/components/schemas/Settings/properties/size/default)
      help: correct the default or the schema; without one, an absent value stays absent
    "#);
}

#[test]
fn circles_of_names_and_of_all_of_are_warnings() {
    let schemas = "A: {allOf: [{$ref: '#/components/schemas/B'}]}
B: {anyOf: [{$ref: '#/components/schemas/A'}]}
C: {allOf: [{$ref: '#/components/schemas/C'}, {type: object, properties: {b: {type: string}}}]}";
    let text = types(schemas);
    assert!(text.contains("pub struct A(pub Value);"), "{text}");
    assert!(text.contains("pub b: Option<String>,"), "{text}");
    insta::assert_snapshot!(warnings(schemas), @r#"
    api.yaml:6:8: the schema is only a name for itself, so that it accepts anything (/components/schemas/A)
      help: give it a type
    api.yaml:7:8: the schema is only a name for itself, so that it accepts anything (/components/schemas/B)
      help: give it a type
    api.yaml:8:5: an `allOf` leads back to this schema (/components/schemas/C)
      help: break the circle
    "#);
}
