//! What OpenAPI forbids although it can mean only one thing.
#![allow(clippy::unwrap_used)]

use dropspec_model::{Parameter, ParameterLocation, Spec};
use serde_json::json;

const DOCUMENT: &str = r##"openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{petId}/{page}:
    parameters:
      - {$ref: '#/components/parameters/Page'}
    get:
      operationId: pet
      responses: {'204': {description: none}}
    put:
      parameters:
        - {name: petId, in: path, required: false, schema: {type: integer}}
      operationId: pet
      responses: {'204': {description: none}}
components:
  parameters:
    Page: {name: page, in: path, schema: {type: integer}}
"##;

#[test]
fn violations_with_one_meaning_are_mended_and_said() {
    let spec = Spec::parse("pets.yaml", DOCUMENT).unwrap();
    let said: Vec<String> = spec.mended.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    pets.yaml:7:5: the path parameter `{petId}` is not declared, so that it is a string (/paths/~1pets~1{petId}~1{page}/get)
      help: add `{name: petId, in: path, required: true, schema: …}` to `parameters`
    pets.yaml:12:11: the path parameter `petId` is not required (/paths/~1pets~1{petId}~1{page}/put/parameters/0)
      help: add `required: true`: path parameters are always required
    pets.yaml:13:20: the operationId `pet` is not unique, so that the operation is called `putPetsPetIdPage` (/paths/~1pets~1{petId}~1{page}/put/operationId)
      help: choose another: line 8 has the same
    pets.yaml:17:5: the path parameter `page` is not required (/components/parameters/Page)
      help: add `required: true`: path parameters are always required
    ");
    let ids = spec
        .operations
        .iter()
        .map(|it| &it.id.as_ref().unwrap().value);
    assert_eq!(ids.collect::<Vec<_>>(), ["pet", "putPetsPetIdPage"]);
    for operation in &spec.operations {
        let is_given = |it: &&Parameter| it.required && it.location == ParameterLocation::Path;
        let parameters = operation.parameters.iter().filter(is_given);
        let mut names: Vec<&str> = parameters.map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["page", "petId"]);
    }
    // Those who read the document instead see the same.
    let item = "/paths/~1pets~1{petId}~1{page}";
    let declared =
        json!({ "name": "petId", "in": "path", "required": true, "schema": { "type": "string" } });
    for (pointer, value) in [
        (format!("{item}/get/parameters/0"), declared),
        (
            "/components/parameters/Page/required".to_owned(),
            json!(true),
        ),
        (format!("{item}/put/parameters/0/required"), json!(true)),
        (format!("{item}/put/operationId"), json!("putPetsPetIdPage")),
    ] {
        let found = spec.document.pointer(&pointer).map(|node| node.to_json());
        assert_eq!(found, Some(value), "{pointer}");
    }
}

#[test]
fn document_without_violations_stays_as_it_is() {
    let text = DOCUMENT
        .replace("Page: {name", "Page: {required: true, name")
        .replace("required: false", "required: true")
        .replace("    get:\n      operationId: pet\n", "    get:\n      parameters: [{name: petId, in: path, required: true, schema: {type: string}}]\n");
    let spec = Spec::parse("pets.yaml", &text).unwrap();
    assert_eq!(spec.mended, []);
    let document = dropspec_model::Document::parse("pets.yaml", &text).unwrap();
    assert_eq!(*spec.document, document);
}

#[test]
fn parameter_that_cannot_be_read_is_not_declared_a_second_time() {
    let text = DOCUMENT.replace(
        "    get:\n",
        "    get:\n      parameters: [{name: petId, in: path, required: 'yes', schema: {type: integer}}]\n",
    );
    let spec = Spec::parse_with_errors("pets.yaml", &text).unwrap();
    assert_eq!(spec.errors.len(), 1, "{:?}", spec.errors);
    let message = &spec.errors[0].message;
    assert!(
        message.contains("`required` must be a boolean"),
        "{message}"
    );
    let mut mended = spec.mended.iter();
    assert!(!mended.any(|it| it.message.contains("is not declared")));
}

#[test]
fn equal_texts_of_definitions_that_mean_other_schemas_stay_apart() {
    let schema = |item: &str| {
        format!(
            "{{properties: {{list: {{$ref: '#/$defs/List'}}}}, $defs: {{Item: {{type: {item}}}, List: {{type: array, items: {{$ref: '#/$defs/Item'}}}}}}}}"
        )
    };
    let text = format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n    A: {}\n    B: {}\n",
        schema("string"),
        schema("integer")
    );
    let spec = Spec::parse("pets.yaml", &text).unwrap();
    let type_of_items = |name: &str| {
        let follow = |pointer: &str| {
            let reference = spec.document.pointer(&format!("{pointer}/$ref")).unwrap();
            let reference = reference.as_str().unwrap().trim_start_matches('#');
            reference.to_owned()
        };
        let list = follow(&format!("/components/schemas/{name}/properties/list"));
        let item = follow(&format!("{list}/items"));
        let kind = spec.document.pointer(&format!("{item}/type")).unwrap();
        kind.as_str().unwrap().to_owned()
    };
    assert_eq!(type_of_items("A"), "string");
    assert_eq!(type_of_items("B"), "integer");
}

#[test]
fn what_could_mean_something_else_is_an_error() {
    let head = "openapi: 3.0.3\npaths: {}\n";
    for (text, expected) in [
        ("info: {title: T, version: 1.10}", "/info/version"),
        (
            "info: {title: T, version: '1'}\ncomponents: {schemas: {A: {properties: {id: {type: string}, title: }}}}",
            "/components/schemas/A/properties/title",
        ),
    ] {
        let errors = Spec::parse("pets.yaml", &format!("{head}{text}\n")).unwrap_err();
        let pointers: Vec<&str> = errors.iter().map(|it| it.pointer.as_str()).collect();
        assert_eq!(pointers, [expected]);
    }
}
