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

#[test]
fn each_form_of_a_schema_has_its_type() {
    let forms = include_str!("../documents/types.yaml");
    let forms = dropspec_model::Document::parse("types.yaml", forms).unwrap();
    for (form, of) in forms.root().to_json().as_object().unwrap() {
        let text = types(of["schemas"].as_str().unwrap().trim_end());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in of["types"].as_array().unwrap() {
            let part = part.as_str().unwrap();
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
    some: {type: string, nullable: true, default: here}
    none: {type: string, nullable: true, default: null}
    ratio: {type: number, default: 1}",
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
            serde_json::from_value(serde_json::json!({ "a" : [1, null] }))
                .expect("the generator checked this value")
        }

        pub(super) fn defaults_some() -> Option<String> {
            serde_json::from_value(serde_json::json!("here")).expect("the generator checked this value")
        }

        pub(super) fn defaults_ratio() -> f64 {
            1.0
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
