//! The types of schemas that have no obvious Rust: unions, cycles, keywords, defaults, maps.

use crate::{formatted, generate_files};

/// A document with these schemas.
pub fn document(schemas: &str) -> String {
    let indented = schemas.lines().map(|line| format!("    {line}\n"));
    let indented: String = indented.collect();
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{indented}"
    )
}

/// The types of a document with these schemas, without imports and tables.
pub fn types(schemas: &str) -> String {
    let text = formatted(&generate_files(&document(schemas)), "types.rs");
    let (_, text) = text
        .split_once("use crate::document::DOCUMENT;\n\n")
        .unwrap();
    let (text, _) = text.split_once("\ndocument_schemas!").unwrap();
    text.to_owned()
}

#[test]
fn externally_tagged_union_is_an_enum() {
    let text = types("Shape:
  oneOf:
    - {type: string, enum: [point]}
    - {type: object, required: [circle], additionalProperties: false, properties: {circle: {type: number}}}
    - type: object
      required: [square]
      additionalProperties: false
      properties: {square: {type: object, required: [sideLength], properties: {sideLength: {type: number}}}}");
    insta::assert_snapshot!(text, @r#"
    /// `Shape`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Shape {
        /// `point`
        #[serde(rename = "point")]
        Point,

        /// `circle`
        #[serde(rename = "circle")]
        Circle(f64),

        /// `square`
        #[serde(rename = "square")]
        Square {
            /// `sideLength`
            #[serde(rename = "sideLength")]
            side_length: f64,
        },
    }

    impl Shape {
        /// Makes a `Square` of all fields.
        pub fn new_square(side_length: f64) -> Self {
            Self::Square { side_length }
        }
    }
    "#);
}

#[test]
fn tag_beside_a_content_is_an_enum_with_a_field() {
    let text = types("Event:
  oneOf:
    - {type: object, required: [t, c], properties: {t: {type: string, enum: [moved]}, c: {type: string}}}
    - {type: object, required: [t, c], properties: {t: {type: string, enum: [sold]}, c: {type: integer}}}
    - {type: object, required: [t], properties: {t: {type: string, enum: [lost]}}}");
    insta::assert_snapshot!(text, @r#"
    /// `Event`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t")]
    pub enum Event {
        /// `moved`
        #[serde(rename = "moved")]
        Moved {
            /// `c`
            c: String,
        },

        /// `sold`
        #[serde(rename = "sold")]
        Sold {
            /// `c`
            c: i64,
        },

        /// `lost`
        #[serde(rename = "lost")]
        Lost,
    }

    impl Event {
        /// Makes a `Moved` of all fields.
        pub fn new_moved(c: impl Into<String>) -> Self {
            Self::Moved { c: c.into() }
        }

        /// Makes a `Sold` of all fields.
        pub fn new_sold(c: i64) -> Self {
            Self::Sold { c }
        }
    }
    "#);
}

#[test]
fn untagged_union_is_an_untagged_enum() {
    let text = types(
        "NameOrId:
  anyOf: [{title: Id, type: string, format: uuid}, {title: Name, type: string}]",
    );
    insta::assert_snapshot!(text, @r#"
    /// `NameOrId`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    pub enum NameOrId {
        /// `Id`
        Id(Uuid),
        /// `Name`
        Name(String),
    }
    "#);
}

#[test]
fn variants_that_differ_only_in_patterns_are_one_plain_type() {
    let text = types(
        "Net:
  oneOf: [{type: string, pattern: '^v4'}, {type: string, pattern: '^v6'}]",
    );
    insta::assert_snapshot!(text, @r#"
    /// `Net`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Net(pub String);
    "#);
}

#[test]
fn enum_of_described_values_keeps_the_descriptions() {
    let text = types(
        "Level:
  oneOf:
    - {type: string, enum: [low, mid]}
    - {type: string, enum: [high], description: The top.}",
    );
    let (text, _) = text.split_once("\nimpl").unwrap();
    insta::assert_snapshot!(text, @r#"
    /// `Level`
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Level {
        /// `low`
        #[serde(rename = "low")]
        Low,

        /// `mid`
        #[serde(rename = "mid")]
        Mid,

        /// The top.
        #[serde(rename = "high")]
        High,
    }
    "#);
}

#[test]
fn cycle_of_types_has_one_box() {
    let text = types("Tree: {type: object, required: [root], properties: {root: {$ref: '#/components/schemas/Branch'}}}
Branch:
  type: object
  properties:
    owner: {$ref: '#/components/schemas/Tree'}
    branches: {type: array, items: {$ref: '#/components/schemas/Branch'}}");
    insta::assert_snapshot!(text, @r#"
    /// `Tree`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Tree {
        /// `root`
        pub root: Box<Branch>,
    }

    impl Tree {
        /// Makes a value of all fields.
        pub fn new(root: Box<Branch>) -> Self {
            Self { root }
        }
    }

    /// `Branch`
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Branch {
        /// `owner`
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owner: Option<Tree>,

        /// `branches`
        #[serde(skip_serializing_if = "Option::is_none")]
        pub branches: Option<Vec<Branch>>,
    }
    "#);
}

#[test]
fn all_of_objects_is_one_struct() {
    let text = types(
        "Base: {type: object, required: [id], properties: {id: {type: integer, format: int32}}}
Named:
  allOf:
    - $ref: '#/components/schemas/Base'
    - {type: object, required: [name], properties: {name: {type: string}}}",
    );
    insta::assert_snapshot!(text, @r#"
    /// `Base`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Base {
        /// `id`
        pub id: i32,
    }

    impl Base {
        /// Makes a value of all fields.
        pub fn new(id: i32) -> Self {
            Self { id }
        }
    }

    /// `Named`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Named {
        /// `id`
        pub id: i32,
        /// `name`
        pub name: String,
    }

    impl Named {
        /// Makes a value of all fields.
        pub fn new(id: i32, name: impl Into<String>) -> Self {
            Self {
                id,
                name: name.into(),
            }
        }
    }
    "#);
}

#[test]
fn keywords_defaults_and_unnamed_properties_are_fields() {
    let text = types(
        "Settings:
  type: object
  required: [type]
  properties:
    type: {type: string}
    URL: {type: string, default: 'http://localhost'}
    retries: {type: integer, format: uint8, minimum: 0, default: 3}
    verbose: {type: boolean, default: false}
    mode: {type: string, enum: [fast, safe], default: safe}
    anything: {}
  additionalProperties: {type: integer}",
    );
    let (text, _) = text.split_once("\n/// `SettingsMode`").unwrap();
    insta::assert_snapshot!(text, @r#"
    /// `Settings`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Settings {
        /// `type`
        pub r#type: String,

        /// `URL`
        #[serde(rename = "URL", default = "defaults::settings_url")]
        pub url: String,

        /// `retries`
        #[serde(default = "defaults::settings_retries")]
        pub retries: u8,

        /// `verbose`
        #[serde(default)]
        pub verbose: bool,

        /// `mode`
        #[serde(default = "defaults::settings_mode")]
        pub mode: SettingsMode,

        /// `anything`
        #[serde(skip_serializing_if = "Option::is_none")]
        pub anything: Option<Value>,

        /// Properties that the schema does not name.
        #[serde(flatten)]
        pub rest: BTreeMap<String, i64>,
    }

    impl Settings {
        /// Makes a value of the required fields. The others are absent, or have the default of the document.
        pub fn new(r#type: impl Into<String>) -> Self {
            Self {
                r#type: r#type.into(),
                url: defaults::settings_url(),
                retries: defaults::settings_retries(),
                verbose: false,
                mode: defaults::settings_mode(),
                anything: None,
                rest: Default::default(),
            }
        }
    }
    "#);
}

#[test]
fn one_way_nullable_and_unsigned_properties_have_types_that_hold_every_value() {
    let text = types(
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
    );
    for field in [
        "pub id: Option<String>,",
        "pub secret: Option<String>,",
        "pub parent: Option<Parent>,",
        "pub size: u64,",
        // In a response, it must be there as null.
        "/// `closed`\n    pub closed: Option<bool>,",
    ] {
        assert!(text.contains(field), "{field} is missing in\n{text}");
    }
}

#[test]
fn variant_with_fields_is_made_of_what_is_required() {
    let text = types(
        "Shape:
  oneOf:
  - type: object
    required: [kind, radius]
    properties: {kind: {type: string, enum: [circle]}, radius: {type: number}, label: {type: string}}
  - type: object
    required: [kind, path]
    properties: {kind: {type: string, enum: [path]}, path: {type: string}}",
    );
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "pub fn new_circle(radius: f64) -> Self { Self::Circle { radius, label: None, } }",
        "pub fn new_path(path: impl Into<String>) -> Self { Self::Path { path: path.into() } }",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn discriminator_decides_between_variants_with_the_same_properties() {
    let text = types(
        "Cat: {type: object, required: [is], properties: {is: {type: string}}}
Dog: {type: object, required: [is], properties: {is: {type: string}}}
Pet:
  anyOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: is}
Any:
  anyOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]",
    );
    for part in ["Some(\"is\")", "tags: &[\"Cat\"]", "tags: &[\"Dog\"]"] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
}

#[test]
fn default_of_a_union_fits_a_variant() {
    let text = format!(
        r##"
openapi: 3.0.3
info: {{title: Unions, version: 1.0.0}}
paths: {{}}
components:
  schemas:
{UNIONS}    Defaults:
      type: object
      properties:
{UNION_DEFAULTS}"##
    );
    assert_eq!(crate::diagnose(&text), "");
    let types = crate::formatted(&crate::generate_files(&text), "types.rs");
    let read = types.matches("the generator checked this value").count();
    assert_eq!(read, 7, "{types}");
    for (default, wrong) in [
        (
            "{type: only, peers: [1]}",
            "{type: only, peers: [18446744073709551615]}",
        ),
        ("{kind: file, value: a}", "{kind: file, value: a, other: 1}"),
        (
            "{is: dog, lives: 1}",
            "{is: dog, lives: 18446744073709551615}",
        ),
    ] {
        let warnings = crate::diagnose(&text.replace(default, wrong));
        let expected = "the default does not fit";
        assert!(warnings.contains(expected), "{wrong}: {warnings}");
    }
}

const UNIONS: &str = r##"    Policy:
      oneOf:
        - {type: object, required: [type], properties: {type: {type: string, enum: [open]}}}
        - {type: object, required: [type, peers], properties: {type: {type: string, enum: [only]}, peers: {type: array, items: {type: integer}}}}
    Source:
      oneOf:
        - {type: object, required: [kind, value], properties: {kind: {type: string, enum: [file]}, value: {type: string}}}
        - {type: object, required: [kind, value], properties: {kind: {type: string, enum: [port]}, value: {type: integer}}}
        - {type: object, required: [kind], properties: {kind: {type: string, enum: [none]}}}
    Form:
      oneOf:
        - {type: string, enum: [point]}
        - {type: object, additionalProperties: false, required: [circle], properties: {circle: {type: number}}}
    Cat: {type: object, required: [is], properties: {is: {type: string}, lives: {type: integer}}}
    Dog: {type: object, required: [is], properties: {is: {type: string}, lives: {type: integer}}}
    Pet:
      anyOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: is, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}
"##;

const UNION_DEFAULTS: &str = r##"        open: {allOf: [{$ref: '#/components/schemas/Policy'}], default: {type: open}}
        only: {allOf: [{$ref: '#/components/schemas/Policy'}], default: {type: only, peers: [1]}}
        file: {allOf: [{$ref: '#/components/schemas/Source'}], default: {kind: file, value: a}}
        nothing: {allOf: [{$ref: '#/components/schemas/Source'}], default: {kind: none}}
        point: {allOf: [{$ref: '#/components/schemas/Form'}], default: point}
        circle: {allOf: [{$ref: '#/components/schemas/Form'}], default: {circle: 1.5}}
        pet: {allOf: [{$ref: '#/components/schemas/Pet'}], default: {is: dog, lives: 1}}
"##;
