//! `dropspec repair`: faults of documents, and the overlays that mend them.
#![allow(clippy::unwrap_used)]

use crate::checkout::{Checkout, SPEC};

const RESPONSES: &str = "responses: {'200': {description: It.}}";

/// A document with what is wrong, which is a schema, a parameter of `GET /a`, fields of that, or entries of `paths`.
fn document(version: &str, place: &str, wrong: &str) -> String {
    let (mut schema, mut fields, mut paths) = ("{}", String::new(), String::new());
    match place {
        "schema" => schema = wrong,
        "parameter" => fields = format!("parameters: [{wrong}], "),
        "fields" => fields = format!("{wrong}, "),
        _ => paths = wrong.replace("RESPONSES", RESPONSES),
    }
    format!(
        "openapi: {version}
info: {{title: a, version: 1.0.0}}
paths:
  /a: {{get: {{{fields}{RESPONSES}}}}}
{paths}
components:
  securitySchemes: {{apiKey: {{type: apiKey, in: header, name: K}}}}
  schemas:
    Known: {{type: string}}
    S: {{type: object, properties: {{p: {schema}}}}}
"
    )
}

/// What is wrong, where, and what the overlay has.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "schema",
        "{type: int}",
        "\"int\" is not a type|type: integer",
    ),
    ("schema", "{type: Integer}", "type: integer"),
    ("schema", "{type: long}", "type: integer|format: int64"),
    ("schema", "{type: double}", "type: number|format: double"),
    ("schema", "{type: bool}", "type: boolean"),
    (
        "schema",
        "{type: datetime}",
        "type: string|format: date-time",
    ),
    ("schema", "{type: file}", "type: string|format: binary"),
    ("schema", "{type: any}", "S.properties.p.type|remove: true"),
    ("schema", "{type: [int, 'null']}", "type"),
    ("schema", "{type: date, format: custom}", "type: string"),
    (
        "schema",
        "{type: string, required: true}",
        "S.properties.p.required|If the property is required|  # - target: $.components.schemas.S\n",
    ),
    ("schema", "{type: string, required: false}", "remove: true"),
    (
        "schema",
        "{type: string, required: 'true'}",
        "If the property is required",
    ),
    (
        "schema",
        "{type: object, required: q, properties: {q: {}}}",
        "- q",
    ),
    ("schema", "{type: string, required: 'yes'}", "is required"),
    (
        "schema",
        "{type: object, required: 'q, r', properties: {q: {}, r: {}}}",
        "- q\n      - r",
    ),
    (
        "schema",
        "{type: object, required: [1, ~], properties: {1: {}}}",
        "      - \"1\"\n",
    ),
    ("schema", "{type: guid}", "format: uuid"),
    ("schema", "{type: 'string|null'}", "type"),
    ("schema", "{type: wobble, enum: [a]}", "Its values are listed"),
    ("schema", "{type: integer, minimum: '1'}", "minimum: 1"),
    ("schema", "{type: object, properties: }", "remove: true"),
    (
        "schema",
        r#"{type: object, properties: {"a'b\"/~]\n- target": {type: int}}}"#,
        "type: integer",
    ),
    (
        "schema",
        "{$ref: '#/components/schemas/known'}",
        "#/components/schemas/Known",
    ),
    (
        "schema",
        "{$ref: '#/definitions/Known'}",
        "#/components/schemas/Known",
    ),
    ("parameter", "{name: q, in: query}", "type: string"),
    (
        "parameter",
        "{name: q, in: query, type: integer}",
        "schema:|type: integer",
    ),
    (
        "parameter",
        "{name: q, in: Query, schema: {type: string}}",
        "in: query",
    ),
    (
        "parameter",
        "{name: q, in: query, required: 'true', schema: {type: string}}",
        "required: true",
    ),
    (
        "parameter",
        "{name: q, in: query, schema: {type: string, required: true}}",
        "parameters[0].schema.required",
    ),
    (
        "parameter",
        "{name: q, in: query, schema: {}}, {name: q, in: query, schema: {}}, {name: r, in: path, required: true, schema: {type: int}}",
        "Both say the same|parameters[1]|no `{r}`",
    ),
    ("fields", "requestBody: {description: It.}", "*/*"),
    (
        "parameter",
        "{name: q, in: query, required: 'yes', style: Form, schema: {type: string}}",
        "required: true|style: form",
    ),
    (
        "parameter",
        "{name: q, in: query, type: array, items: {type: string}, collectionFormat: csv}",
        "explode: false",
    ),
    ("fields", "tags: pets", "- pets"),
    ("schema", "{type: object, properties: []}", "properties: {}"),
    (
        "parameter",
        "{name: q, in: query, schema: {type: integer}, examples: [1, 2]}",
        "\"1\":|value: 1|value: 2",
    ),
    (
        "fields",
        "x-a: {responses: {2xx: {}}}, requestBody: {content: {a/b: {}}, description: It.}, callbacks: {c: {'{$url}': {post: {responses: {2xx: {description: It.}}}}}}",
        "It can only mean `2XX`",
    ),
    (
        "paths",
        "  '/b/{rest+}': {get: {parameters: [{name: rest, in: path, required: true, schema: {type: string}}], RESPONSES}}",
        "the path `/b/{+rest}`",
    ),
    ("fields", "tags: [1, ~]", "- \"1\""),
    ("fields", "security: [{api_key: []}]", "apiKey: []"),
    (
        "fields",
        "security: [{'#/components/securitySchemes/apiKey': []}]",
        "apiKey: []",
    ),
    ("fields", "security: {apiKey: []}", "- apiKey: []"),
    ("fields", "security: [apiKey]", "- apiKey: []"),
    ("fields", "security: apiKey", "- apiKey: []"),
    ("fields", "security: ~", "security\n    remove: true"),
    ("fields", "security: [{apiKey: }]", "apiKey: []"),
    (
        "paths",
        "  b/c: {get: {RESPONSES}}",
        r#"copy: $.paths["b/c"]"#,
    ),
    (
        "paths",
        "  '/b#c': {get: {RESPONSES}}",
        r#"copy: $.paths["/b#c"]"#,
    ),
    (
        "paths",
        "  '/b?c=1&d': {get: {RESPONSES}}",
        "name: c|name: d|required: true",
    ),
    (
        "paths",
        "  '/b?c={d}': {get: {parameters: [{name: d, in: path, required: true, schema: {type: integer}}], RESPONSES}}",
        "in: query|name: c",
    ),
    (
        "paths",
        "  '/b/{d}?c={d}': {get: {parameters: [{name: d, in: path, required: true, schema: {type: integer}}], RESPONSES}}",
        "in: path|in: query|name: c",
    ),
    (
        "paths",
        "  '/b?c=%20d': {get: {RESPONSES}}",
        "- \" d\"",
    ),
    (
        "paths",
        "  '/b{?c,d*}': {get: {parameters: [{name: c, in: query, schema: {type: integer}}], RESPONSES}}",
        "name: d|required: false",
    ),
    ("paths", "  ./b: {get: {RESPONSES}}", "the path `/b`"),
    (
        "paths",
        "  '/b?c=1': {x-kept: 5, summary: It., get: {RESPONSES}}",
        "x-kept: 5|summary: It.",
    ),
    (
        "paths",
        "  /b: {get: {RESPONSES}}\n  '/c?d=1': {$ref: '#/paths/~1b'}",
        "name: d",
    ),
    (
        "paths",
        "  /b: {get: {RESPONSES}}\n  /c: {$ref: '#/paths/~1b'}\n  '/c#d': {put: {RESPONSES}}",
        "takes in|copy: $.paths[\"/c#d\"].put",
    ),
    (
        "paths",
        "  b: {get: {responses: {'200': {description: It., links: {l: {operationRef: '#/paths/b/get'}}}}}}",
        "operationRef: \"#/paths/~1b/get\"",
    ),
    (
        "paths",
        "  b: {get: {RESPONSES}}\n  /c: {$ref: '#/paths/b'}",
        "#/paths/~1b",
    ),
    (
        "paths",
        "  '/a#c': {post: {RESPONSES}}",
        r#"copy: $.paths["/a#c"].post"#,
    ),
    (
        "paths",
        "  '/b/{id}': {get: {parameters: [{name: ID, in: path, required: true, schema: {type: integer}}], RESPONSES}}",
        "name: id",
    ),
    (
        "paths",
        "  /b/{x}/{y}:
    parameters: [{name: x, in: path, required: true, schema: {type: string}}, {name: y, in: path, required: true, schema: {type: string}}]
    get: {RESPONSES}
  /b/{y}/{z}:
    parameters: [{name: y, in: path, required: true, schema: {type: integer}}]
    put: {parameters: [{name: z, in: path, required: true, schema: {type: string}}], RESPONSES}",
        "the same requests as `/b/{x}/{y}`|name: x|name: \"y\"",
    ),
];

/// What can mean several things, where, and what the first choice has.
const CHOICES: &[(&str, &str, &str)] = &[
    ("fields", "security: [{token: []}]", "scheme: bearer"),
    ("fields", "security: [{X-Key: []}]", "name: X-Key"),
    (
        "fields",
        "security: [{myBasic: [], other: []}]",
        "scheme: basic",
    ),
    ("fields", "security: [{apiKeys: []}]", "apiKey: []"),
    (
        "paths",
        "  /b: {get: {security: ~, RESPONSES}}\nsecurity: [{apiKey: []}]",
        "security\n    remove: true",
    ),
    ("schema", "{type: wobble}", "S.properties.p.type"),
    ("schema", "{type: interger}", "type: integer"),
    ("schema", "{type: boolaen, nullable: true}", "type: boolean"),
    (
        "schema",
        "{type: datetiem}",
        "type: string\n      format: date-time",
    ),
    ("schema", "{type: long, format: int32}", "type: integer"),
    (
        "schema",
        "{$ref: '#/components/schemas/Absent'}",
        "Absent: {}",
    ),
    (
        "parameter",
        "{name: q, in: query, schema: {type: string}}, {name: q, in: query, schema: {type: integer}}",
        "parameters[1]",
    ),
    (
        "paths",
        "  '/a#b': {get: {RESPONSES}, post: {RESPONSES}}",
        r#"$.paths["/a#b"].post"#,
    ),
    (
        "paths",
        "  '/a?b=1': {get: {RESPONSES}}",
        r#"$.paths["/a?b=1"]"#,
    ),
];

fn each_version(rows: &[(&str, &str, &str)], check: impl Fn(&Checkout, &str)) {
    for version in ["3.0.3", "3.1.0"] {
        for (place, wrong, said) in rows {
            let checkout = Checkout::empty();
            checkout.write("a.yaml", &document(version, place, wrong));
            check(&checkout, said);
        }
    }
}

/// The version of a document, the rest of it, and what the overlay has.
const DOCUMENTS: &[(&str, &str, &str)] = &[
    ("3.0.3", "", "paths: {}"),
    (
        "3.0.3",
        "paths: {}
security: [{a: []}, {b: []}, {c: []}]
securityDefinitions: {a: {type: basic}}
components: {securitySchemes: {b: {type: ApiKey, in: Header, name: K}, c: {type: Bearer}}}",
        "It is declared in `/securityDefinitions/a`|scheme: basic|type: apiKey|in: header|scheme: bearer",
    ),
    ("3.0.3", "paths: {}\ntags: [a, {name: b}]", "- name: a"),
    (
        "3.0.3",
        "paths: {}
components: {schemas: {S: {type: integer, exclusiveMinimum: 0, minimum: -1, exclusiveMaximum: 9, maximum: 8}}}",
        "exclusiveMinimum: true|minimum: 0|The `maximum` is narrower",
    ),
    (
        "3.0.3",
        "paths: {'/a/{x}': {get: {parameters: [{$ref: '#/components/parameters/Y'}], responses: {'200': {description: It.}}}}}
components: {parameters: {Y: {name: Y, in: path, required: true, schema: {type: integer}}}}",
        "It is the `{x}`|parameters[0][\"$ref\"]|name: x|type: integer",
    ),
    (
        "3.0.3",
        "paths:
  /a/{petId}:
    get:
      parameters:
      - {name: pet_id, in: path, required: true, schema: {type: integer}}
      - {name: y, in: path, required: true, schema: {type: integer}}
      responses: {'200': {description: It.}}",
        "name: petId|no `{y}`|No request has a place",
    ),
    (
        "3.0.3",
        "paths:
  /a/{id}:
    parameters: [{name: aid, in: path, required: true, schema: {type: integer}}]
    get: {responses: {'200': {description: It.}}}
    put:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: It.}}",
        "$.paths[\"/a/{id}\"].parameters[0]|name: id",
    ),
    (
        "3.2.0",
        "paths: {'/a/{x}': {additionalOperations: {COPY: {parameters: [{name: y, in: path, required: true, schema: {type: integer}}], responses: {'200': {description: It.}}}}}}",
        "additionalOperations.COPY.parameters[0]|name: x",
    ),
    (
        "3.2.0",
        "paths: {'/a?b=1': {additionalOperations: {COPY: {}}}}",
        "copy: $.paths[\"/a?b=1\"].additionalOperations.COPY",
    ),
];

/// Nothing is wrong in a document any more.
fn assert_mended(checkout: &Checkout, document: &str) {
    let text = checkout.read(document);
    let (code, said, error) = checkout.run(&["repair", document]);
    assert_eq!((code, said.as_str()), (0, ""), "{text}{error}");
    assert!(error.contains("there is nothing to mend"), "{error}");
    let (code, said, error) = checkout.run(&["lint", document, "--code"]);
    assert_eq!(code, 0, "{text}{said}{error}");
}

#[test]
fn faults_that_can_mean_one_thing_are_mended() {
    each_version(FAULTS, |checkout, expected| {
        let (code, overlay, error) = checkout.run(&["repair", "a.yaml"]);
        assert_eq!(code, 0, "{overlay}{error}");
        for expected in expected.split('|') {
            assert!(overlay.contains(expected), "{expected}\n{overlay}");
        }
        assert!(overlay.contains("  # a.yaml:"), "{overlay}");
        checkout.write("b.yaml", &overlay);
        assert_mended(checkout, "b.yaml");
    });
}

#[test]
fn documents_are_mended() {
    for (version, rest, expected) in DOCUMENTS {
        let checkout = Checkout::empty();
        let head = format!("openapi: {version}\ninfo: {{title: a, version: 1.0.0}}");
        checkout.write("a.yaml", &format!("{head}\n{rest}\n"));
        let (code, overlay, error) = checkout.run(&["repair", "a.yaml"]);
        assert_eq!(code, 0, "{overlay}{error}");
        for expected in expected.split('|') {
            assert!(overlay.contains(expected), "{expected}\n{overlay}");
        }
        checkout.write("b.yaml", &overlay);
        assert_mended(&checkout, "b.yaml");
    }
}

#[test]
fn choices_are_offered_and_taken_only_on_demand() {
    each_version(CHOICES, |checkout, expected| {
        let (code, overlay, error) = checkout.run(&["repair", "a.yaml"]);
        assert_eq!(code, 1, "{overlay}{error}");
        assert!(error.contains("--accept-guesses"), "{error}");
        let made = |overlay: &str| -> String {
            let lines = overlay.lines().filter(|line| !line.starts_with("  #"));
            lines.map(|line| format!("{line}\n")).collect()
        };
        assert_eq!(made(&overlay).matches("- target").count(), 1, "{overlay}");
        assert!(made(&overlay).contains("update: {}\n"), "{overlay}");
        let (code, taken, error) = checkout.run(&["repair", "a.yaml", "--accept-guesses"]);
        assert_eq!(code, 0, "{taken}{error}");
        assert!(made(&taken).contains(expected), "{expected}\n{taken}");
        checkout.write("b.yaml", &taken);
        assert_mended(checkout, "b.yaml");
        // The first choice is the same without its signs.
        let first = overlay.split("  # If ").nth(1).unwrap();
        let first = first.lines().skip(1).map(|line| line.replacen("# ", "", 1));
        let first: Vec<String> = first.collect();
        assert!(
            taken.contains(first.join("\n").trim_end()),
            "{overlay}{taken}"
        );
    });
}

#[test]
fn code_is_generated_from_the_repaired_document() {
    let checkout = Checkout::empty();
    let paths = "  b: {get: {security: [{token: []}], RESPONSES}}
  '/a?c=1': {post: {parameters: [{name: q, in: query, type: int}], requestBody: {}, RESPONSES}}";
    checkout.write("a.yaml", &document("3.0.3", "paths", paths));
    let generate = |file| checkout.run(&["generate", "--spec", file, "--out", "out"]);
    let help = "help: `dropspec repair a.yaml` writes an overlay";
    for refused in [
        generate("a.yaml"),
        checkout.run(&["new", "b", "--spec", "a.yaml"]),
    ] {
        assert_eq!(refused.0, 2);
        assert!(refused.2.contains(help), "{}", refused.2);
    }
    let (code, _, error) = checkout.run(&["lint", "a.yaml"]);
    assert_eq!((code, error.contains(help)), (1, true), "{error}");

    let repair = [
        "repair",
        "a.yaml",
        "--accept-guesses",
        "--out",
        "made/a b.yaml",
    ];
    checkout.write("made/x", "");
    let (code, said, error) = checkout.run(&repair);
    assert_eq!((code, said.as_str()), (0, ""), "{error}");
    assert!(
        error.contains("generate --spec made/a b.yaml --out DIR"),
        "{error}"
    );
    assert_eq!(generate("made/a b.yaml").0, 0);
    assert!(
        checkout
            .read("out/parameters.rs")
            .contains("pub q: Option<i")
    );
    checkout
        .assert_refused("repair a.yaml --out made/x => exists already: replace it with --force");
    assert_eq!(checkout.run(&[&repair[..], &["--force"]].concat()).0, 0);
    checkout.assert_refused("repair a.yaml --out made --force => made cannot be written");
    assert!(!checkout.path("made.unfinished").exists());
}

#[test]
fn operation_that_moves_does_not_inherit_what_the_other_path_says() {
    let checkout = Checkout::empty();
    let head = "openapi: 3.0.3\ninfo: {title: a, version: 1.0.0}\npaths:";
    let paths = "  /a:
    servers: [{url: /v2}]
    parameters: [{name: s, in: query, required: true, schema: {type: string}}]
    get: {RESPONSES}
  a: {put: {RESPONSES}}"
        .replace("RESPONSES", RESPONSES);
    checkout.write("a.yaml", &format!("{head}\n{paths}\n"));
    let (code, overlay, error) = checkout.run(&["repair", "a.yaml"]);
    assert_eq!(code, 0, "{overlay}{error}");
    checkout.write("b.yaml", &overlay);
    let (code, bundle, error) = checkout.run(&["bundle", "b.yaml"]);
    assert_eq!(code, 0, "{error}");
    let (get, put) = bundle.split_once("put:").unwrap();
    assert!(
        get.contains("name: s") && get.contains("url: /v2"),
        "{bundle}"
    );
    assert!(
        !put.contains("name: s") && !put.contains("url: /v2"),
        "{bundle}"
    );
    assert!(get.contains("/a:\n    get:"), "{bundle}");
}

#[test]
fn document_is_never_replaced_by_its_overlay() {
    const OWN: &str = "spec/petstore.yaml";
    let checkout = Checkout::new();
    let before = checkout.read(OWN);
    let (code, _, error) = checkout.run(&["repair", OWN, "--out", OWN, "--force"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("is the document itself"), "{error}");
    assert_eq!(checkout.read(OWN), before);
    let (code, _, error) = checkout.run(&["repair", OWN, "--out", "same.yaml"]);
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("there is nothing to mend\n"), "{error}");
    assert!(checkout.read("same.yaml").contains("This changes nothing"));
    let (code, _, error) = checkout.run(&["repair", OWN, "--out", "spec", "--force"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("it is no file"), "{error}");
}

#[test]
fn overlay_of_the_settings_applies_before_and_is_written_anew() {
    let checkout = Checkout::new();
    checkout.edit("/a:", "a:");
    checkout.write(
        "spec/own.yaml",
        "overlay: 1.0.0\nactions: [{target: $.paths.a.get, update: {security: [{K: []}]}}]",
    );
    let overlays = |list: &str| {
        let settings = format!("document = \"spec/petstore.yaml\"\noverlays = [{list}]\n");
        checkout.write("dropspec.toml", &settings);
    };
    overlays("\"spec/own.yaml\"");
    let repair = [
        "repair",
        "--out",
        "spec/repair.yaml",
        "--accept-guesses",
        "--force",
    ];
    let (code, _, error) = checkout.run(&repair);
    assert_eq!(code, 0, "{error}");
    assert!(
        error.contains("add \"spec/repair.yaml\" to the end of `overlays`"),
        "{error}"
    );
    overlays("\"spec/own.yaml\", \"spec/repair.yaml\"");
    let (first, fails) = (checkout.read("spec/repair.yaml"), checkout.run(&["lint"]));
    assert_eq!(fails.0, 0, "{}{}", fails.1, fails.2);
    assert!(first.contains("extends: ./petstore.yaml"), "{first}");
    assert_eq!(checkout.run(&repair).0, 0);
    assert_eq!(checkout.read("spec/repair.yaml"), first);
}

#[test]
fn faults_in_other_files_are_mended_in_the_bundle() {
    let checkout = Checkout::empty();
    let wrong = "{$ref: 'b.yaml#/S'}";
    checkout.write("a.yaml", &document("3.0.3", "schema", wrong));
    checkout.write("b.yaml", "\n\nS: {type: int}\n");
    let (code, overlay, error) = checkout.run(&["repair", "a.yaml"]);
    assert_eq!(code, 0, "{error}");
    assert!(overlay.contains("  # b.yaml:3:"), "{overlay}");
    checkout.write("c.yaml", &overlay);
    assert_mended(&checkout, "c.yaml");
}

#[test]
fn what_cannot_be_mended_stays_an_error() {
    let checkout = Checkout::empty();
    checkout.write("a.yaml", SPEC);
    let (code, said, error) = checkout.run(&["repair", "a.yaml"]);
    assert_eq!((code, said.as_str()), (0, ""), "{error}");
    checkout.write(
        "a.yaml",
        &document("3.0.3", "schema", "{type: int, items: 5}"),
    );
    let (code, overlay, error) = checkout.run(&["repair", "a.yaml"]);
    assert_eq!((code, overlay.contains("type: integer")), (1, true));
    assert!(
        error.contains("properties/p/items") && error.contains("1 error left"),
        "{error}"
    );
    checkout.write(
        "swagger.yaml",
        "swagger: '2.0'\ninfo: {title: a, version: 1}\npaths: {}\n",
    );
    checkout.assert_refused(
        "repair swagger.yaml => this is a Swagger 2.0 document\nrepair absent.yaml => absent.yaml",
    );
}
