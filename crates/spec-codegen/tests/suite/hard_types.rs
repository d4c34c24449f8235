//! The types of schemas that have no obvious Rust: unions, circles, keywords, defaults, maps.
#![allow(clippy::unwrap_used)]

use spec_codegen::{Settings, generate};
use spec_model::Spec;

/// The types of a document with these schemas, without what is the same in every file.
fn types(schemas: &str) -> String {
    let indented: String = schemas
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect();
    let document = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{indented}"
    );
    let spec = Spec::parse("api.yaml", &document).unwrap();
    let settings = Settings {
        command: "make".to_owned(),
        source: "api.yaml".to_owned(),
    };
    let files = generate(&spec, &settings).unwrap_or_else(|errors| {
        panic!(
            "{}",
            errors.iter().map(|e| format!("{e}\n")).collect::<String>()
        )
    });
    let text = &files
        .iter()
        .find(|file| file.name == "types.rs")
        .unwrap()
        .content;
    let (_, text) = text
        .split_once("use crate::document::DOCUMENT;\n\n")
        .unwrap();
    let (text, _) = text.split_once("\n// What each type says").unwrap();
    text.to_owned()
}

#[test]
fn an_externally_tagged_union() {
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
    #[serde(rename_all = "lowercase")]
    pub enum Shape {
        /// `point`
        Point,

        /// `circle`
        Circle(f64),

        /// `square`
        #[serde(rename_all = "camelCase")]
        Square {
            /// `sideLength`
            side_length: f64,
        },
    }
    "#);
}

#[test]
fn an_adjacently_tagged_union() {
    let text = types("Event:
  oneOf:
    - {type: object, required: [t, c], properties: {t: {type: string, enum: [moved]}, c: {type: string}}}
    - {type: object, required: [t, c], properties: {t: {type: string, enum: [sold]}, c: {type: integer}}}
    - {type: object, required: [t], properties: {t: {type: string, enum: [lost]}}}");
    insta::assert_snapshot!(text, @r#"
    /// `Event`
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c", rename_all = "lowercase")]
    pub enum Event {
        /// `moved`
        Moved(String),

        /// `sold`
        Sold(i64),

        /// `lost`
        Lost,
    }
    "#);
}

#[test]
fn an_untagged_union() {
    let text = types(
        "NameOrId:
  anyOf: [{title: Id, type: string, format: uuid}, {title: Name, type: string}]",
    );
    insta::assert_snapshot!(text, @r#"
    /// `NameOrId`
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
fn variants_that_only_their_patterns_tell_apart_are_one_plain_type() {
    let text = types(
        "Net:
  oneOf: [{type: string, pattern: '^v4'}, {type: string, pattern: '^v6'}]",
    );
    insta::assert_snapshot!(text, @r#"
    /// `Net`
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Net(pub String);
    "#);
}

#[test]
fn names_with_descriptions_of_their_own() {
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
    #[serde(rename_all = "lowercase")]
    pub enum Level {
        /// `low`
        Low,

        /// `mid`
        Mid,

        /// The top.
        High,
    }
    "#);
}

#[test]
fn a_circle_is_broken_once() {
    let text = types("Tree: {type: object, required: [root], properties: {root: {$ref: '#/components/schemas/Branch'}}}
Branch:
  type: object
  properties:
    owner: {$ref: '#/components/schemas/Tree'}
    branches: {type: array, items: {$ref: '#/components/schemas/Branch'}}");
    insta::assert_snapshot!(text, @r#"
    /// `Tree`
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Tree {
        /// `root`
        pub root: Box<Branch>,
    }

    /// `Branch`
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
fn an_all_of_of_objects_is_one_struct() {
    let text = types(
        "Base: {type: object, required: [id], properties: {id: {type: integer, format: int32}}}
Named:
  allOf:
    - $ref: '#/components/schemas/Base'
    - {type: object, required: [name], properties: {name: {type: string}}}",
    );
    insta::assert_snapshot!(text, @r#"
    /// `Base`
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Base {
        /// `id`
        pub id: i32,
    }

    /// `Named`
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Named {
        /// `id`
        pub id: i32,

        /// `name`
        pub name: String,
    }
    "#);
}

#[test]
fn keywords_defaults_and_properties_of_any_name() {
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
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    "#);
}
