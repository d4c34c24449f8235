//! Variants of unions that a value is read as.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;

fn one() -> u32 {
    1
}

#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct WithDefaults {
    name: String,
    #[serde(default = "one")]
    size: u32,
    #[serde(default = "one")]
    weight: u32,
}

/// A tree, each node of which is read as a union of two equal variants that lose what they do not know.
#[derive(Serialize)]
struct Node {
    child: Option<Box<Node>>,
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read_node = |_: &()| {
            let child = value.get("child").map(Node::deserialize);
            let child = child.transpose().ok()?.map(Box::new);
            Some(Node { child })
        };
        read(
            "Node",
            &value,
            &[(), ()],
            |()| false,
            None,
            |_| false,
            read_node,
        )
    }
}

#[test]
fn variant_that_keeps_more_wins_over_one_that_fills_in_more() {
    type Other = BTreeMap<String, Value>;
    let value = json!({ "name": "a", "age": 3 });
    let variants: [fn(&Value) -> Option<Value>; 2] = [
        |value| serde_json::to_value(WithDefaults::deserialize(value).ok()?).ok(),
        |value| serde_json::to_value(Other::deserialize(value).ok()?).ok(),
    ];
    let found: Result<Value, serde_json::Error> = read(
        "Pet",
        &value,
        &variants,
        |_| false,
        None,
        |_| false,
        |variant| variant(&value),
    );
    assert_eq!(found.unwrap(), value);
}

#[test]
fn value_that_names_no_variant_is_of_the_default_if_that_can_be_read() {
    for (value, expected) in [
        (json!({ "kind": "cat" }), "cat"),
        (json!({ "kind": "dog" }), "dog"),
        (json!({ "kind": "cow" }), "dog"),
        (json!({}), "dog"),
        (json!({ "kind": 1 }), "cat"),
    ] {
        let found: Result<&str, serde_json::Error> = read(
            "Pet",
            &value,
            &["cat", "dog"],
            |tag| has_tag(&value, Some("kind"), &[tag]),
            Some(1),
            |index| index == 0,
            |tag| Some(*tag).filter(|tag| *tag == "cat" || value["kind"] != 1),
        );
        assert_eq!(found.unwrap(), expected, "{value}");
    }
}

#[test]
fn tag_is_a_text_a_number_or_a_boolean() {
    for (tag, found) in [
        (json!("a"), true),
        (json!(1), true),
        (json!(true), true),
        (json!("b"), false),
        (json!(1.5), false),
        (json!(false), false),
        (json!(null), false),
        (json!(["a"]), false),
    ] {
        let value = json!({ "kind": tag });
        let tags = &["a", "1", "true", ""];
        assert_eq!(has_tag(&value, Some("kind"), tags), found, "{value}");
        assert!(!has_tag(&value, None, tags), "{value}");
    }
}

#[test]
fn time_grows_with_the_depth_of_a_recursive_union_only_linearly() {
    let mut value = json!({ "lost": 1 });
    for _ in 0..60 {
        value = json!({ "child": value, "lost": 1 });
    }
    let mut node = &Node::deserialize(&value).unwrap();
    let mut depth = 0;
    while let Some(child) = &node.child {
        node = child;
        depth += 1;
    }
    assert_eq!(depth, 60);
}
