//! The values of options: optional ones, tuples, those with a pattern, and changes without any.

use clap::Command;
use dropspec_cli::{Interface, command};

use crate::server::Server;
use crate::{run, settings};

const TOYS: &str = r##"
openapi: 3.1.0
info: {title: Toys, version: 1.0.0}
paths:
  /toys/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    post:
      operationId: addToy
      parameters:
        - {name: Key, in: header, schema: {type: string, pattern: '^[!-~]+$', description: Visible characters.}}
        - {name: Plain, in: header, schema: {type: string, pattern: '^[!-~]+$'}}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Toy'}}}}
      responses: {'200': {description: It.}}
    patch:
      operationId: changeToy
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Toy'}}}}
      responses: {'200': {description: It.}}
    put:
      operationId: replaceToy
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Toy'}}}}
      responses: {'200': {description: It.}}
components:
  schemas:
    Toy:
      type: object
      properties:
        age: {anyOf: [{type: integer, maximum: 9}, {type: 'null'}], description: In years.}
        colour: {oneOf: [{type: 'null'}, {enum: [red, blue]}]}
        tags: {anyOf: [{type: array, items: {type: string}}, {type: 'null'}]}
        size: {type: array, prefixItems: [{type: integer}, {type: string}], items: false, minItems: 2}
        code: {type: string, pattern: '^[A-Z]{3}$', description: Three capital letters}
"##;

/// The body that a command sends.
fn sent(line: &str) -> String {
    let server = Server::start("200 OK", "text/plain", "");
    run(TOYS, line, &server.url).unwrap();
    let request = server.request();
    request.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn refused(line: &str) -> String {
    let failure = run(TOYS, line, "http://127.0.0.1:9").unwrap_err();
    assert_eq!(failure.exit_code(), 2, "{line}: {failure}");
    failure.to_string()
}

#[test]
fn optional_values_have_the_help_and_the_form_of_values_that_are_not() {
    let interface = Interface::read(TOYS, settings()).unwrap();
    let mut program: Command = command(&interface);
    program.build();
    let add = program.find_subcommand_mut("add-toy").unwrap();
    let help = add.render_help().to_string();
    for expected in [
        "--age <INTEGER>",
        "In years. [at most 9]",
        "[possible values: red, blue, null]",
        "--tags <TEXT>",
        "[can be repeated]",
        "--size <VALUE>",
        "[given 2 times, in order]",
    ] {
        assert!(help.contains(expected), "{expected}: {help}");
    }
    for (line, body) in [
        (
            "add-toy 1 --age 3 --tags a --tags b",
            r#"{"age":3,"tags":["a","b"]}"#,
        ),
        (
            "add-toy 1 --age null --colour null",
            r#"{"age":null,"colour":null}"#,
        ),
        ("add-toy 1 --colour red", r#"{"colour":"red"}"#),
    ] {
        assert_eq!(sent(line), body, "{line}");
    }
    assert_eq!(
        refused("add-toy 1 --age old"),
        "--age: \"old\" is not a whole number"
    );
}

#[test]
fn tuple_is_given_item_by_item() {
    let body = r#"{"size":[4,"cm"]}"#;
    assert_eq!(sent("add-toy 1 --size 4 --size cm"), body);
    assert_eq!(
        refused("add-toy 1 --size cm --size 4"),
        "--size: \"cm\" is not a whole number"
    );
    assert_eq!(
        refused("add-toy 1 --size 4"),
        "--size: [4] has less than 2 items"
    );
}

#[test]
fn message_about_a_pattern_has_what_the_document_says_of_it_and_no_pattern() {
    const FORM: &str = "does not have the form that the service demands";
    for (line, expected) in [
        (
            "add-toy 1 --key 'a b'",
            format!("--key: \"a b\" {FORM}: Visible characters."),
        ),
        (
            "add-toy 1 --plain 'a b'",
            format!("--plain: \"a b\" {FORM}"),
        ),
        (
            "add-toy 1 --code ab",
            format!("--code: \"ab\" {FORM}: Three capital letters"),
        ),
        (
            r#"add-toy 1 --body '{"code": "ab"}'"#,
            format!("the body is not valid: /code: \"ab\" {FORM}"),
        ),
    ] {
        assert_eq!(refused(line), expected);
    }
}

#[test]
fn change_without_a_field_is_refused_unless_its_body_is_given() {
    let nothing = "nothing would change: give at least one of --age, --colour, --tags, --size, --code, or an empty body by --body '{}'";
    assert_eq!(refused("change-toy 1"), nothing);
    assert_eq!(refused("replace-toy 1"), nothing);
    assert_eq!(sent("change-toy 1 --body {}"), "{}");
    assert_eq!(sent("change-toy 1 --age 3"), r#"{"age":3}"#);
    assert_eq!(sent("add-toy 1"), "");
}
