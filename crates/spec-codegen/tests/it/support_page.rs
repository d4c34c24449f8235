//! docs/generator.md: what an operation of a document becomes. Each row is a document that is generated here;
//! `UPDATE_DOCS=1 cargo test -p spec-codegen` writes the page.

use std::fmt::Write;
use std::path::Path;

use crate::{formatted, generate_files, schema_table};

/// A form of a document, and the fields of an operation under `/a` that has it.
struct Row {
    form: &'static str,
    /// YAML of an operation, without `responses` if it has none of its own.
    operation: &'static str,
}

/// The rows of one part of the page.
struct Part {
    title: &'static str,
    rows: &'static [Row],
}

const fn row(form: &'static str, operation: &'static str) -> Row {
    Row { form, operation }
}

const PARTS: &[Part] = &[
    Part {
        title: "Parameters",
        rows: &[
            row(
                "query, a scalar",
                "parameters: [{name: q, in: query, schema: {type: integer, format: int32}}]",
            ),
            row(
                "query, an array",
                "parameters: [{name: q, in: query, schema: {type: array, items: {type: string}}}]",
            ),
            row(
                "query, an object (`deepObject`)",
                "parameters: [{name: q, in: query, style: deepObject, schema: {type: object, properties: {a: {type: string}}}}]",
            ),
            row(
                "query, JSON text (`content`)",
                "parameters: [{name: q, in: query, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}]",
            ),
            row(
                "header",
                "parameters: [{name: X-A, in: header, schema: {type: string}}]",
            ),
            row(
                "cookie",
                "parameters: [{name: a, in: cookie, schema: {type: string}}]",
            ),
        ],
    },
    Part {
        title: "Bodies of requests",
        rows: &[
            row(
                "JSON, required",
                "requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}",
            ),
            row(
                "JSON, optional",
                "requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}",
            ),
            row(
                "a form",
                "requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {$ref: '#/components/schemas/Book'}}}}",
            ),
            row(
                "multipart, files as streams",
                "requestBody: {required: true, content: {multipart/form-data: {schema: {type: object, properties: {title: {type: string}, cover: {type: string, format: binary}}}}}}",
            ),
            row(
                "text",
                "requestBody: {required: true, content: {text/plain: {schema: {type: string}}}}",
            ),
            row(
                "bytes, as a stream",
                "requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}",
            ),
            row(
                "several media types",
                "requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}, text/plain: {schema: {type: string}}}}",
            ),
        ],
    },
    Part {
        title: "Responses",
        rows: &[
            row(
                "200 with JSON",
                "responses: {'200': {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}}",
            ),
            row("204", "responses: {'204': {description: a}}"),
            row("202 without a body", "responses: {'202': {description: a}}"),
            row(
                "several success statuses",
                "responses: {'200': {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}, '204': {description: b}}",
            ),
            row(
                "several media types",
                "responses: {'200': {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}, text/csv: {schema: {type: string}}}}}",
            ),
            row(
                "bytes",
                "responses: {'200': {description: a, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}",
            ),
            row(
                "headers",
                "responses: {'204': {description: a, headers: {ETag: {schema: {type: string}}}}}",
            ),
            row("only a `default`", "responses: {default: {description: a}}"),
        ],
    },
    Part {
        title: "Errors",
        rows: &[
            row("none declared", "responses: {'204': {description: a}}"),
            row(
                "one schema",
                "responses: {'204': {description: a}, '404': {description: b, content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}}",
            ),
            row(
                "without a body",
                "responses: {'204': {description: a}, '404': {description: b}}",
            ),
            row(
                "`application/problem+json`",
                "responses: {'204': {description: a}, '404': {description: b, content: {application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}}}}",
            ),
            row(
                "several schemas",
                "responses: {'204': {description: a}, '404': {description: b, content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}, '409': {description: c, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}}",
            ),
        ],
    },
];

/// The security schemes of the page, and an operation that uses each.
const SECURITY: &[(&str, &str, &str)] = &[
    (
        "key in a header",
        "type: apiKey, in: header, name: X-Key",
        "{s: []}",
    ),
    (
        "key in the query",
        "type: apiKey, in: query, name: key",
        "{s: []}",
    ),
    (
        "key in a cookie",
        "type: apiKey, in: cookie, name: sid",
        "{s: []}",
    ),
    ("HTTP Basic", "type: http, scheme: basic", "{s: []}"),
    ("bearer token", "type: http, scheme: bearer", "{s: []}"),
    (
        "another scheme of HTTP",
        "type: http, scheme: Token",
        "{s: []}",
    ),
    (
        "OAuth 2 with scopes",
        "type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {read: Reads.}}}",
        "{s: [read]}",
    ),
    (
        "OpenID Connect",
        "type: openIdConnect, openIdConnectUrl: https://a.example",
        "{s: [read]}",
    ),
    ("optional", "type: http, scheme: bearer", "{s: []}, {}"),
];

/// The entries of a scheme and of its operation in the generated tables.
fn security_tables(scheme: &str, alternatives: &str) -> (String, String) {
    let document = document(&format!("security: [{alternatives}]"))
        + &format!("  securitySchemes: {{s: {{{scheme}}}}}\n");
    let files = generate_files(&document);
    let between = |file: &str, start: &str, end: &str| {
        let text = formatted(&files, file);
        let rest = text.split_once(start).unwrap().1;
        let found = rest.split_once(end).unwrap().0;
        let words = found.split_whitespace().collect::<Vec<_>>().join(" ");
        words.trim_end_matches(',').to_owned()
    };
    (
        between("interface.rs", "kind: SecuritySchemeKind::", "}];"),
        between("operations.rs", "security: &", "generated:"),
    )
}

fn render_security(page: &mut String) {
    page.push_str(
        "\n## Security\n\nA method has no argument for credentials: the gate calls it only if the hook of the service (`Authenticate`) \
         returned the\nidentities that one of the operation's alternatives demands, with all scopes. Handlers get them by `rqctx.context().call()`.\n\n\
         | form | scheme | `security` of the operation |\n| --- | --- | --- |\n",
    );
    for (form, scheme, alternatives) in SECURITY {
        let (kind, uses) = security_tables(scheme, alternatives);
        let _ = writeln!(page, "| {form} | `{kind}` | `{uses}` |");
    }
}

/// The document of a row.
fn document(operation: &str) -> String {
    let responses = if operation.contains("responses:") {
        ""
    } else {
        "\n      responses: {'204': {description: none}}"
    };
    format!(
        "openapi: 3.0.3
info: {{title: Books, version: 1.0.0}}
paths:
  /a:
    post:
      operationId: send
      {operation}{responses}
components:
  schemas:
    Book: {{type: object, required: [title], properties: {{title: {{type: string}}}}}}
    Problem: {{type: object, properties: {{reason: {{type: string}}}}}}
"
    )
}

/// The arguments and the result of the method that an operation becomes.
fn signature(operation: &str) -> String {
    let api = formatted(&generate_files(&document(operation)), "api.rs");
    let method = api.split("fn send(").nth(1);
    let method = method.unwrap_or_else(|| panic!("{operation} has no method in\n{api}"));
    let method = method.split(';').next().unwrap();
    let method = method.split_whitespace().collect::<Vec<_>>().join(" ");
    let (arguments, full) = method.split_once(") -> ").unwrap();
    // What dropshot cannot register is written without its `async`.
    let result = full.strip_prefix("impl Future<Output = ");
    let result = result.map_or(full, |inner| inner.trim_end_matches("> + Send"));
    let arguments = arguments.replace("rqctx: RequestContext<Self::Context>", "");
    let arguments = arguments.trim_matches([',', ' ']);
    format!("`({arguments}) -> {result}`")
}

/// The properties of an object, and how a value of its type is made.
const CONSTRUCTORS: &[(&str, &str, &str)] = &[
    (
        "all optional",
        "properties: {title: {type: string}, pages: {type: integer}}",
        "Object { pages: Some(9), ..Object::default() }",
    ),
    (
        "some required",
        "required: [title], properties: {title: {type: string}, pages: {type: integer}}",
        "Object { pages: Some(9), ..Object::new(\"Emma\") }",
    ),
    (
        "all required",
        "required: [title, pages], properties: {title: {type: string}, pages: {type: integer}}",
        "Object::new(\"Emma\", 9)",
    ),
    (
        "with defaults",
        "properties: {title: {type: string, default: untitled}}",
        "Object::default()",
    ),
];

/// The constructor of the type of an object with these properties.
fn constructor(properties: &str) -> String {
    let operation = "requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Object'}}}}";
    let document = document(operation) + &format!("    Object: {{type: object, {properties}}}\n");
    let types = formatted(&generate_files(&document), "types.rs");
    let (before, after) = types.split_once("pub struct Object {").unwrap();
    let derive = before
        .lines()
        .rev()
        .find(|line| line.starts_with("#[derive"));
    if derive.unwrap().contains("Default") {
        return "`#[derive(Default)]`".to_owned();
    }
    if after.contains("impl Default for Object") {
        return "`impl Default`".to_owned();
    }
    let new = after.split_once("pub fn new(").unwrap().1;
    let arguments = new.split_once(") -> Self").unwrap().0;
    format!("`new({arguments})`")
}

fn render_constructors(page: &mut String) {
    page.push_str(
        "\n## Values\n\nA struct whose properties are all optional implements `Default`; another one has a function `new`, which takes the required\n\
         properties in the order of the document. Code that uses them still compiles when the document gets another optional property,\n\
         which a struct expression with every field does not. The structs of response headers have them, too.\n\
         A variant of a union that has fields of its own is made by `new_` with its name, such as `Shape::new_circle(1.0)`.\n\n\
         | properties | generated | for example |\n| --- | --- | --- |\n",
    );
    for (form, properties, example) in CONSTRUCTORS {
        let _ = writeln!(
            page,
            "| {form} | {} | `{example}` |",
            constructor(properties)
        );
    }
}

fn render_page() -> String {
    let mut page = "<!-- Generated by `UPDATE_DOCS=1 cargo test -p spec-codegen` from tests/it/support_page.rs; do not edit. -->\n\n\
         # What the generator supports\n\n\
         Every valid document of OpenAPI 3.0, 3.1 and 3.2 is generated. The tables show what becomes the arguments and the result of an operation's\n\
         method in the API trait, without its context; the client has the same types. Types that begin with `Send` are generated.\n"
        .to_owned();
    for part in PARTS {
        let _ = write!(
            page,
            "\n## {}\n\n| form | method |\n| --- | --- |\n",
            part.title
        );
        for row in part.rows {
            let signature = signature(row.operation).replace('|', "\\|");
            let _ = writeln!(page, "| {} | {signature} |", row.form);
        }
    }
    render_constructors(&mut page);
    schema_table::render(&mut page);
    render_security(&mut page);
    page
}

#[test]
fn page_shows_what_is_generated() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generator.md");
    let page = render_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        found, page,
        "run `UPDATE_DOCS=1 cargo test -p spec-codegen` to update docs/generator.md"
    );
}
