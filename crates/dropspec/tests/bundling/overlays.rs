//! OpenAPI Overlays.

use serde_json::{Value, json};

use crate::common::{bundle, errors, json, warnings};

const HEAD: &str = "overlay: 1.1.0\ninfo: {title: a, version: '1'}\nactions:\n";

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get: {tags: [a, b], parameters: [{name: x}, {name: y}]}
    post: {tags: [a], x-write: true}
";

fn apply(actions: &str) -> Value {
    let overlay = format!("{HEAD}{actions}");
    let files = [("api.yaml", DOCUMENT), ("a.overlay.yaml", &overlay)];
    json(
        &bundle(&files)
            .map_err(|e| crate::common::lines(&e))
            .unwrap(),
    )
}

fn apply_errors(actions: &str) -> String {
    let overlay = format!("{HEAD}{actions}");
    errors(&[("api.yaml", DOCUMENT), ("a.overlay.yaml", &overlay)])
}

#[test]
fn update_merges_objects_appends_to_arrays_and_replaces_primitives() {
    let document = apply(
        "- target: $.paths.*.*
  update: {tags: [c], x-new: {a: 1}}
- target: $.paths.*.*
  update: {x-new: {a: 2, b: 3}}
- target: $.paths.*.get.parameters
  update: {name: z}
- target: $.paths.*.get.tags
  update: [d, e]
- target: $.info.title
  update: Animals
",
    );
    assert_eq!(document["info"]["title"], "Animals");
    assert_eq!(
        document["paths"]["/pets"],
        json!({
            "get": {"tags": ["a", "b", "c", "d", "e"], "parameters": [{"name": "x"}, {"name": "y"}, {"name": "z"}], "x-new": {"a": 2, "b": 3}},
            "post": {"tags": ["a", "c"], "x-write": true, "x-new": {"a": 2, "b": 3}}
        })
    );
}

#[test]
fn array_is_one_item_in_overlay_1_0() {
    let overlay = "overlay: 1.0.0\ninfo: {title: a, version: '1'}\nactions: [{target: $.paths.*.get.tags, update: [c]}]\n";
    let files = [("api.yaml", DOCUMENT), ("a.overlay.yaml", overlay)];
    let document = json(&bundle(&files).unwrap());
    assert_eq!(
        document["paths"]["/pets"]["get"]["tags"],
        json!(["a", "b", ["c"]])
    );
}

#[test]
fn remove_removes_members_and_items() {
    let document = apply(
        "- target: $.paths.*.get.tags[*]
  remove: true
- target: $.paths.*.get.parameters[?@.name == 'x']
  remove: true
  update: {ignored: true}
- target: $.paths.*[?@['x-write']]
  remove: false
- target: $.paths.*[?@['x-write'] == true]
  remove: true
",
    );
    assert_eq!(
        document["paths"]["/pets"],
        json!({"get": {"tags": [], "parameters": [{"name": "y"}]}})
    );
}

#[test]
fn copy_takes_the_value_as_it_was_before() {
    let document = apply(
        "- target: $.paths
  update: {/animals: {}}
- target: $.paths['/animals']
  copy: $.paths['/pets']
- target: $.paths['/pets']
  remove: true
",
    );
    let written: Value = json(&bundle(&[("api.yaml", DOCUMENT)]).unwrap());
    assert_eq!(
        document["paths"],
        json!({"/animals": written["paths"]["/pets"]})
    );
}

#[test]
fn overlays_apply_in_order_and_their_values_have_their_positions() {
    let first = format!("{HEAD}- target: $.info\n  update: {{title: First, x-a: 1}}\n");
    let second = format!(
        "{HEAD}- target: $.info\n  update: {{title: Second}}\n- target: $.info['x-a']\n  update: 2\n"
    );
    let files = [
        ("api.yaml", DOCUMENT),
        ("1.overlay.yaml", &first[..]),
        ("2.overlay.json", &second[..]),
    ];
    let bundled = bundle(&files).unwrap();
    let document = &bundled.document;
    let title = document.pointer("/info/title").unwrap();
    assert_eq!(title.as_str(), Some("Second"));
    assert_eq!(
        document.location(title.position).to_string(),
        "2.overlay.json:5:19"
    );
    assert_eq!(json(&bundled)["info"]["x-a"], 2);
}

#[test]
fn references_of_overlays_are_to_the_document_or_to_files_beside_the_overlay() {
    let overlay = format!(
        "{HEAD}- target: $.paths.*.get\n  update: {{responses: {{'200': {{$ref: '#/components/responses/Ok'}}, '400': {{$ref: 'more.yaml#/Bad'}}}}}}\n"
    );
    let files = [
        ("api.yaml", DOCUMENT),
        ("overlays/overlay.yaml", &overlay[..]),
        (
            "overlays/more.yaml",
            "Bad: {description: '', content: {a/b: {schema: {$ref: '#/Error'}}}}\nError: {type: object}\n",
        ),
    ];
    let document = json(&bundle(&files).unwrap());
    assert_eq!(
        document["paths"]["/pets"]["get"]["responses"],
        json!({"200": {"$ref": "#/components/responses/Ok"}, "400": {"$ref": "#/components/responses/Bad"}})
    );
    assert_eq!(
        document["components"]["schemas"]["Error"],
        json!({"type": "object"})
    );
}

#[test]
fn overlay_sees_what_was_taken_in() {
    let overlay = format!("{HEAD}- target: $.paths.*.get\n  update: {{x-a: 1}}\n");
    let files = [
        ("api.yaml", "paths: {/a: {$ref: a.yaml}}\n"),
        (
            "a.yaml",
            "get: {responses: {'200': {$ref: 'a.yaml#/r'}}}\nr: {description: ''}\n",
        ),
        ("overlay.yaml", &overlay[..]),
    ];
    let document = json(&bundle(&files).unwrap());
    assert_eq!(document["paths"]["/a"]["get"]["x-a"], 1);
    assert_eq!(
        document["paths"]["/a"]["get"]["responses"]["200"]["$ref"],
        "#/components/responses/r"
    );
}

#[test]
fn document_that_is_an_overlay_is_applied_to_what_it_extends() {
    let overlay =
        format!("{HEAD}- target: $.info\n  update: {{title: New}}\nextends: ../api.yaml\n");
    let files = [("a/b.yaml", &overlay[..]), ("api.yaml", DOCUMENT)];
    let bundled = bundle(&files).unwrap();
    assert_eq!(json(&bundled)["info"]["title"], "New");
    assert_eq!(bundled.document.name(), "api.yaml");
}

#[test]
fn target_that_selects_nothing_is_a_warning() {
    let overlay = format!("{HEAD}- target: $.paths.*.put\n  update: {{a: 1}}\n");
    let files = [("api.yaml", DOCUMENT), ("overlay.yaml", &overlay[..])];
    insta::assert_snapshot!(warnings(&files), @r"
    overlay.yaml:4:11: the target `$.paths.*.put` selects nothing (/actions/0/target)
      help: correct the target, or remove the action
    ");
}

#[test]
fn changes_that_do_not_fit_are_errors_at_the_value() {
    insta::assert_snapshot!(apply_errors(
        "- target: $.paths.*.get
  update:
    tags: a
- target: $.paths.*.get.tags[0]
  update: {a: 1}
- target: $.paths.*.get.*
  update: {a: 1}
- target: $..*
  update: {a: 1}
- target: $
  remove: true
- target: $.info
  copy: $.paths.*.*
- target: $.info
  copy: $.info.title
"
    ), @r"
    a.overlay.yaml:6:11: a string cannot be merged into an array (/paths/~1pets/get/tags) (/actions/0)
      help: remove the value by an action before this one, or make two actions
    a.overlay.yaml:8:11: an object cannot be merged into a string (/paths/~1pets/get/tags/0) (/actions/1)
      help: remove the value by an action before this one, or make two actions
    a.overlay.yaml:11:11: the target `$..*` selects arrays and objects: a change needs values of one form (/actions/3)
      help: make an action for each form
    a.overlay.yaml:13:11: the document itself cannot be removed (/actions/4)
      help: select a value in it
    a.overlay.yaml:16:9: `copy` must select one value, but `$.paths.*.*` selects 2 (/actions/5/copy)
      help: name one value of the document
    a.overlay.yaml:17:11: a string cannot be merged into an object (/info) (/actions/6)
      help: remove the value by an action before this one, or make two actions
    ");
}

#[test]
fn invalid_overlays_are_errors() {
    insta::assert_snapshot!(apply_errors(
        "- target: paths
  update: 1
- target: $.info
- target: $.info
  update: 1
  copy: $.paths
- target: $.info
  remove: 1
- update: {}
- target: $.info
  delete: true
  update: {}
- 1
"
    ), @r"
    a.overlay.yaml:4:11: `paths` is not a JSONPath expression: parser error (/actions/0)
      help: write it as in RFC 9535, such as `$.paths['/pets'].get`; a key like `x-a` needs brackets: `['x-a']`
    a.overlay.yaml:6:3: the action says no change (/actions/1)
      help: add `update`, `copy` or `remove: true`
    a.overlay.yaml:9:9: an action has either `update` or `copy` (/actions/2)
      help: make two actions of them
    a.overlay.yaml:11:11: `remove` must be `true` or `false` (/actions/3)
      help: write `remove: true`
    a.overlay.yaml:12:3: the action has no `target` (/actions/4)
      help: add `target`, a JSONPath expression such as `$.paths.*.get`
    a.overlay.yaml:14:3: an action has no field `delete` (/actions/5/delete)
      help: write one of target, description, update, copy, remove
    a.overlay.yaml:16:3: an action must be an object (/actions/6)
      help: write `target` and one of `update`, `copy` and `remove`
    ");
    for (overlay, error) in [
        (
            "overlay: 2.0.0\n",
            "overlay.yaml:1:10: the overlay version \"2.0.0\" is not supported",
        ),
        (
            "openapi: 3.0.3\n",
            "overlay.yaml:1:1: this is not an overlay",
        ),
        (
            "overlay: 1.0.0\nactions: []\n",
            "overlay.yaml:2:10: an overlay needs at least one action",
        ),
        (
            "overlay: 1.0.0\ninfo: {title: a, version: b}\nactions: [{target: $, copy: $.info}]\n",
            "`copy` is of Overlay 1.1",
        ),
    ] {
        let found = errors(&[("api.yaml", DOCUMENT), ("overlay.yaml", overlay)]);
        assert!(found.contains(error), "{found}");
    }
}

#[test]
fn responses_with_some_of_an_overlay_are_sorted_by_status() {
    let overlay = format!(
        "{HEAD}- target: $.paths['/a'].get.responses\n  update: {{'400': {{}}, '304': {{}}, default: {{}}, 5XX: {{}}}}\n"
    );
    let document = "paths: {/a: {get: {responses: {'409': {}, '200': {}}}}, /b: {get: {responses: {'409': {}, '200': {}}}}}\n";
    let files = [("api.yaml", document), ("overlay.yaml", &overlay[..])];
    let document = json(&bundle(&files).unwrap());
    let statuses = |path: &str| -> Vec<String> {
        let responses = document["paths"][path]["get"]["responses"].as_object();
        responses.unwrap().keys().cloned().collect()
    };
    assert_eq!(
        statuses("/a"),
        ["200", "304", "400", "409", "5XX", "default"]
    );
    assert_eq!(statuses("/b"), ["409", "200"], "as written");
}
