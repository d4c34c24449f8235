//! `$ref`s to other files.

use serde_json::json;

use crate::common::{bundle, errors, json, warnings};

const ROOT: &str = "openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      parameters: [{$ref: 'parameters.yaml#/Limit'}]
      responses:
        '200': {$ref: 'responses/pets.yaml'}
components:
  schemas:
    Error: {type: object}
";

#[test]
fn targets_become_components_named_by_their_last_key_or_file() {
    let files = [
        ("api.yaml", ROOT),
        (
            "parameters.yaml",
            "Limit: {name: limit, in: query, schema: {$ref: '#/Count'}}\nCount: {type: integer}\n",
        ),
        (
            "responses/pets.yaml",
            "description: ''\ncontent: {application/json: {schema: {type: array, items: {$ref: '../schemas.json#/definitions/Pet'}}}}\n",
        ),
        (
            "schemas.json",
            r##"{"definitions": {"Pet": {"properties": {"owner": {"$ref": "#/definitions/Owner"}, "error": {"$ref": "api.yaml#/components/schemas/Error"}}}, "Owner": {"type": "string"}}}"##,
        ),
    ];
    let bundled = bundle(&files).unwrap();
    let document = json(&bundled);
    assert_eq!(
        document["paths"]["/pets"]["get"],
        json!({
            "parameters": [{"$ref": "#/components/parameters/Limit"}],
            "responses": {"200": {"$ref": "#/components/responses/pets"}}
        })
    );
    assert_eq!(
        document["components"],
        json!({
            "schemas": {
                "Error": {"type": "object"},
                "Count": {"type": "integer"},
                "Pet": {"properties": {"owner": {"$ref": "#/components/schemas/Owner"}, "error": {"$ref": "#/components/schemas/Error"}}},
                "Owner": {"type": "string"}
            },
            "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"$ref": "#/components/schemas/Count"}}},
            "responses": {"pets": {"description": "", "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}
        })
    );
    let read: Vec<String> = bundled
        .files
        .iter()
        .map(|f| f.display().to_string())
        .collect();
    assert_eq!(read.len(), 4, "{read:?}");
}

#[test]
fn values_that_are_no_components_are_taken_in_place() {
    let document = "openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
security: {$ref: security.yaml}
components: {schemas: {Pet: {dependentRequired: {$ref: required.yaml}}}}
";
    let files = [
        ("api.yaml", document),
        ("security.yaml", "- {Key: []}"),
        ("required.yaml", "name: [tag]"),
    ];
    let document = json(&bundle(&files).unwrap());
    assert_eq!(document["security"], json!([{ "Key": [] }]));
    let required = &document["components"]["schemas"]["Pet"]["dependentRequired"];
    assert_eq!(required, &json!({ "name": ["tag"] }));
}

#[test]
fn values_have_the_position_where_they_are_written() {
    let files = [
        ("api.yaml", ROOT),
        ("parameters.yaml", "\nLimit:\n  name: limit\n"),
        ("responses/pets.yaml", "description: ''\n"),
    ];
    let bundled = bundle(&files).unwrap();
    let document = &bundled.document;
    let at = |pointer| {
        document
            .location(document.pointer(pointer).unwrap().position)
            .to_string()
    };
    assert_eq!(
        at("/components/parameters/Limit/name"),
        "parameters.yaml:3:9"
    );
    assert_eq!(
        at("/components/responses/pets/description"),
        "responses/pets.yaml:1:14"
    );
    assert_eq!(at("/info/title"), "api.yaml:2:15");
}

#[test]
fn path_items_and_maps_are_put_in_place_and_siblings_stay() {
    let files = [
        (
            "api.yaml",
            "paths: {$ref: 'paths.yaml#/all'}\ncomponents: {schemas: {$ref: schemas.yaml}}\n",
        ),
        (
            "paths.yaml",
            "all:\n  /a: {$ref: '#/a', summary: own}\na:\n  summary: other\n  get: {responses: {'200': {content: {a/b: {schema: {$ref: 'schemas.yaml#/Pet'}}}}}}\n",
        ),
        ("schemas.yaml", "Pet: {type: string}\n"),
    ];
    assert_eq!(
        json(&bundle(&files).unwrap()),
        json!({
            "paths": {"/a": {
                "summary": "own",
                "get": {"responses": {"200": {"content": {"a/b": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}
            }},
            "components": {"schemas": {"Pet": {"type": "string"}}}
        })
    );
}

#[test]
fn recursive_schemas_of_several_files_stay_recursive() {
    let files = [
        (
            "api.yaml",
            "components: {schemas: {Tree: {$ref: tree.yaml}}}\n",
        ),
        (
            "tree.yaml",
            "properties: {left: {$ref: '#'}, leaves: {$ref: leaves.yaml}}\n",
        ),
        ("leaves.yaml", "items: {$ref: 'tree.yaml'}\n"),
    ];
    assert_eq!(
        json(&bundle(&files).unwrap())["components"]["schemas"],
        json!({
            "Tree": {"properties": {
                "left": {"$ref": "#/components/schemas/Tree"},
                "leaves": {"$ref": "#/components/schemas/leaves"}
            }},
            "leaves": {"items": {"$ref": "#/components/schemas/Tree"}}
        })
    );
}

#[test]
fn clashing_names_get_a_number_and_a_warning() {
    let files = [
        (
            "api.yaml",
            "components:\n  schemas:\n    Pet: {}\n    All: {oneOf: [{$ref: 'a.yaml#/Pet'}, {$ref: 'b.yaml#/Pet'}, {$ref: 'b.yaml#/Pet'}]}\n",
        ),
        ("a.yaml", "Pet: {type: string}\n"),
        ("b.yaml", "Pet: {$ref: 'c.yaml#/Pet'}\n"),
        ("c.yaml", "Pet: {type: integer}\n"),
    ];
    assert_eq!(
        json(&bundle(&files).unwrap())["components"]["schemas"],
        json!({
            "Pet": {},
            "All": {"oneOf": [{"$ref": "#/components/schemas/Pet2"}, {"$ref": "#/components/schemas/Pet3"}, {"$ref": "#/components/schemas/Pet3"}]},
            "Pet2": {"type": "string"},
            "Pet3": {"type": "integer"}
        })
    );
    insta::assert_snapshot!(warnings(&files), @r"
    api.yaml:4:26: the target is named `Pet2` in the bundle, because `components/schemas` has another `Pet` (/components/schemas/All/oneOf/0)
      help: rename one of the two, or refer to one of them in both places
    api.yaml:4:49: the target is named `Pet3` in the bundle, because `components/schemas` has another `Pet` (/components/schemas/All/oneOf/1)
      help: rename one of the two, or refer to one of them in both places
    ");
}

#[test]
fn mappings_of_discriminators_follow_their_schemas() {
    let files = [
        (
            "api.yaml",
            "components: {schemas: {Animal: {$ref: 'a.yaml#/components/schemas/Animal'}}}\n",
        ),
        (
            "a.yaml",
            "components: {schemas: {Animal: {discriminator: {propertyName: t, mapping: {a: Cat, b: '#/components/schemas/Dog', c: c.yaml, d: Other}, defaultMapping: Cat}}, Cat: {}, Dog: {}}}\n",
        ),
        ("c.yaml", "type: object\n"),
    ];
    let document = json(&bundle(&files).unwrap());
    assert_eq!(
        document["components"]["schemas"]["Animal"]["discriminator"],
        json!({
            "propertyName": "t",
            "mapping": {
                "a": "#/components/schemas/Cat",
                "b": "#/components/schemas/Dog",
                "c": "#/components/schemas/c",
                "d": "Other"
            },
            "defaultMapping": "#/components/schemas/Cat"
        })
    );
    assert_eq!(document["components"]["schemas"]["Dog"], json!({}));
}

#[test]
fn examples_are_data_not_references() {
    let files = [(
        "api.yaml",
        "components: {schemas: {A: {example: {$ref: nowhere.yaml}, enum: [{$ref: nowhere.yaml}], properties: {x-b: {default: {$ref: nowhere.yaml}}}}}}\n",
    )];
    let bundled = bundle(&files).unwrap();
    assert_eq!(bundled.text(), files[0].1);
}

#[test]
fn percent_encoded_and_file_urls_are_followed() {
    let files = [
        (
            "api.yaml",
            "components: {schemas: {A: {$ref: 'my%20file.yaml#/a%20b~1c'}, B: {$ref: 'file:///d/b.yaml'}}}\n",
        ),
        ("my file.yaml", "a b/c: {type: string}\n"),
        ("b.yaml", "type: integer\n"),
    ];
    assert_eq!(
        json(&bundle(&files).unwrap())["components"]["schemas"],
        json!({"A": {"type": "string"}, "B": {"type": "integer"}})
    );
}

#[test]
fn references_without_target_are_errors_at_the_reference() {
    let files = [
        (
            "api.yaml",
            "components:\n  schemas:\n    A: {$ref: 'https://example.com/a.yaml'}\n    B: {$ref: 'b.yaml#/x'}\n    C: {$ref: 'c.yaml#/x/y'}\n    D: {$ref: 'c.yaml#x'}\n    E: {$ref: 'c.yaml#/loop'}\n    F: {$ref: 'd.yaml'}\n  x-g: {$ref: 'b.yaml'}\n",
        ),
        ("c.yaml", "x: {z: 1}\nloop: {$ref: '#/loop'}\n"),
        ("d.yaml", "a: [\n"),
    ];
    insta::assert_snapshot!(errors(&files), @r"
    api.yaml:3:15: `https://example.com/a.yaml` is not a file: nothing is read from the network (/components/schemas/A)
      help: save it as a file beside the document, and refer to that
    api.yaml:4:15: b.yaml cannot be read: no such file (/components/schemas/B)
      help: correct the path; that of a `$ref` starts at the directory of its file
    api.yaml:5:15: the target of the `$ref` to `c.yaml#/x/y` does not exist: c.yaml has no `/x/y` (/components/schemas/C)
      help: correct the part after `#`, or add the target
    api.yaml:6:15: `#x` is not a JSON pointer (/components/schemas/D)
      help: write `#/` and the keys that lead to the target, with `/` between them
    c.yaml:2:14: the `$ref` refers to itself (/components/schemas/E)
      help: refer to a value
    d.yaml:2:1: the `[` of line 1, column 4 is not closed before this place, or a comma is missing (/a/0)
      help: write `]` behind its last part, and `,` between its items
    ");
}

#[test]
fn path_item_that_contains_itself_is_an_error() {
    let files = [
        ("api.yaml", "paths: {/a: {$ref: a.yaml}}\n"),
        (
            "a.yaml",
            "get:\n  callbacks: {c: {'{$url}': {$ref: a.yaml}}}\n",
        ),
    ];
    insta::assert_snapshot!(errors(&files), @r"
    a.yaml:2:36: the `$ref` contains itself (/paths/~1a/get/callbacks/c/{$url})
      help: only components can be recursive: refer to a schema or another component
    ");
}

#[test]
fn names_of_schemas_in_3_1_are_understood_in_every_file() {
    let files = [
        (
            "api.yaml",
            "openapi: 3.2.0
$self: https://example.com/api/pets
components:
  schemas:
    ByAnchor: {$ref: '#cat'}
    BySelf: {$ref: 'https://example.com/api/pets#/components/schemas/Cat'}
    BySelfAndAnchor: {$ref: 'pets#cat'}
    ById: {$ref: 'https://example.com/pet'}
    ByPath: {$ref: 'https://example.com/pet#/$defs/x'}
    InFile: {$ref: 'other.yaml#/Dog'}
    Cat: {$anchor: cat, type: string}
    Pet:
      $id: https://example.com/pet
      items: {$ref: '#/$defs/x'}
      not: {$ref: owner}
      anyOf: [{$ref: '#/components/schemas/Cat'}]
      $defs: {x: {type: integer}}
    Owner: {$id: 'https://example.com/owner'}
",
        ),
        (
            "other.yaml",
            "Dog: {$id: 'https://example.com/dog', items: {$ref: '#tail'}, contains: {$anchor: tail}}
",
        ),
    ];
    let document = json(&bundle(&files).unwrap());
    let schemas = &document["components"]["schemas"];
    for (pointer, expected) in [
        ("/ByAnchor", "#/components/schemas/Cat"),
        ("/BySelf", "#/components/schemas/Cat"),
        ("/BySelfAndAnchor", "#/components/schemas/Cat"),
        ("/ById", "#/components/schemas/Pet"),
        ("/ByPath", "#/components/schemas/Pet/$defs/x"),
        ("/Pet/items", "#/components/schemas/Pet/$defs/x"),
        ("/Pet/not", "#/components/schemas/Owner"),
        ("/Pet/anyOf/0", "#/components/schemas/Cat"),
        ("/InFile/items", "#/components/schemas/contains"),
    ] {
        assert_eq!(
            schemas.pointer(pointer).unwrap()["$ref"],
            expected,
            "{pointer}: {schemas}"
        );
    }
}

#[test]
fn names_that_no_schema_has_and_names_in_3_0_are_errors() {
    for (version, reference) in [
        ("3.1.0", "#dog"),
        ("3.1.0", "https://example.com/dog"),
        ("3.0.3", "#cat"),
    ] {
        let text = format!(
            "openapi: {version}\ncomponents: {{schemas: {{A: {{$ref: '{reference}'}}, Cat: {{$anchor: cat}}}}}}\n"
        );
        let errors = errors(&[("api.yaml", &text)]);
        assert!(errors.contains("api.yaml:2:"), "{errors:?}");
    }
}
