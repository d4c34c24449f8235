//! Every schema of a valid document has a type: none is refused, and what is lost is a warning.

use crate::hard_types::{document, types};

fn warnings(schemas: &str) -> String {
    crate::diagnose(&document(schemas))
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
fn overlapping_variants_are_read_by_their_schemas() {
    let text = types(
        "Shape:
  oneOf:
    - {type: object, properties: {a: {type: string}}, not: {required: [b]}}
    - {type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}",
    );
    let (_, text) = text.split_once("/// `Shape`").unwrap();
    let (text, _) = text.split_once("\n/// `ShapeObject`").unwrap();
    insta::assert_snapshot!(text, @r#"

    #[derive(Clone, Debug, PartialEq, Serialize)]
    #[serde(untagged)]
    pub enum Shape {
        /// `ShapeObject`.
        Object(ShapeObject),
        /// `ShapeObject2`.
        Object2(ShapeObject2),
    }

    impl<'de> Deserialize<'de> for Shape {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            static UNION: Union<Shape> = Union::new(
                &DOCUMENT,
                "Shape",
                None,
                &[
                    UnionVariant {
                        tags: &[],
                        schema: "/components/schemas/Shape/oneOf/1",
                        read: |value| Deserialize::deserialize(value).map(Shape::Object),
                    },
                    UnionVariant {
                        tags: &[],
                        schema: "/components/schemas/Shape/oneOf/0",
                        read: |value| Deserialize::deserialize(value).map(Shape::Object2),
                    },
                ],
            );
            UNION.read(deserializer)
        }
    }
    "#);
}

#[test]
fn discriminator_decides_first() {
    let text = types(
        "Cat: {type: object, properties: {kind: {type: string}}}
Dog: {type: object, properties: {kind: {type: string}, bark: {type: string}}}
Pet:
  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: kind, mapping: {meow: '#/components/schemas/Cat', purr: Cat}}",
    );
    for part in [
        "Some(\"kind\")",
        "tags: &[\"meow\", \"purr\"],\n",
        "tags: &[\"Dog\"],\n",
        "schema: \"/components/schemas/Pet/oneOf/0\"",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn properties_beside_a_union_are_in_every_variant() {
    let text = types(
        "Shape:
  type: object
  required: [id]
  properties: {id: {type: integer}}
  oneOf:
    - {title: Circle, type: object, required: [radius], properties: {radius: {type: number}}}
    - {title: Square, type: object, required: [side], properties: {side: {type: number}}}",
    );
    insta::assert_snapshot!(text, @r#"
    /// `Shape`
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    pub enum Shape {
        /// `ShapeCircle`.
        Circle(ShapeCircle),
        /// `ShapeSquare`.
        Square(ShapeSquare),
    }

    /// Circle
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ShapeCircle {
        /// `id`
        pub id: i64,
        /// `radius`
        pub radius: f64,
    }

    impl ShapeCircle {
        /// Makes a value of all fields.
        pub fn new(id: i64, radius: f64) -> Self {
            Self { id, radius }
        }
    }

    /// Square
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ShapeSquare {
        /// `id`
        pub id: i64,
        /// `side`
        pub side: f64,
    }

    impl ShapeSquare {
        /// Makes a value of all fields.
        pub fn new(id: i64, side: f64) -> Self {
            Self { id, side }
        }
    }
    "#);
}

#[test]
fn alternatives_of_required_properties_are_one_struct() {
    let text = types(
        "Contact:
  type: object
  properties: {email: {type: string}, phone: {type: string}}
  anyOf: [{required: [email]}, {required: [phone]}]",
    );
    assert!(text.contains("pub struct Contact {"), "{text}");
    assert!(text.contains("pub phone: Option<String>,"), "{text}");
}

#[test]
fn redeclared_properties_have_the_merged_type() {
    let text = types(
        "Base: {type: object, properties: {kind: {type: string}, data: {type: object, properties: {x: {type: integer}}}}}
Narrow:
  allOf:
    - {$ref: '#/components/schemas/Base'}
    - {required: [kind], properties: {kind: {enum: [narrow]}, data: {properties: {y: {type: string}}}}}",
    );
    let (_, text) = text.split_once("/// `Narrow`").unwrap();
    for part in [
        "pub kind: NarrowKind,",
        "pub x: Option<i64>,",
        "pub y: Option<String>,",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
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

#[test]
fn schemas_that_extend_a_base_do_not_contain_its_union() {
    let text = types(
        "Pet:
  type: object
  required: [kind]
  properties: {kind: {type: string}}
  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: kind}
Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [meow], properties: {meow: {type: string}}}]}
Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, required: [bark], properties: {bark: {type: string}}}]}",
    );
    for part in [
        "Cat(Cat),",
        "Dog(Dog),",
        "pub struct Cat {",
        "pub meow: String,",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}
