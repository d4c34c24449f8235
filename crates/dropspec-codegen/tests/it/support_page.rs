//! docs/generator.md: what an operation of a document becomes. Each row is a document that is generated here;
//! `UPDATE_DOCS=1 cargo test -p dropspec-codegen` writes the page.

use std::fmt::Write;
use std::path::Path;

use dropspec_schema::Direction;
use serde_json::Value;

use crate::{formatted, generate_files};

/// The rows of a table in `support.yaml`: the text of each form, and its other texts.
fn rows(table: &Value) -> Vec<(&str, Vec<&str>)> {
    let rows = table.as_object().unwrap().iter();
    let rows = rows.map(|(form, texts)| {
        let texts = match texts {
            Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
            text => vec![text.as_str().unwrap()],
        };
        (form.as_str(), texts)
    });
    rows.collect()
}

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
        between("interface.rs", "kind: SecurityScheme::", "}];"),
        between("operations.rs", "security: &", "generated:"),
    )
}

fn render_security(page: &mut String, table: &Value) {
    page.push_str(
        "\n## Security\n\nA method has no argument for credentials: the gate calls it only if the hook of the service (`Authenticate`) \
         returned the\nidentities that one of the operation's alternatives demands, with all scopes. Handlers get them by `rqctx.context().current_call()`.\n\n\
         | form | scheme | `security` of the operation |\n| --- | --- | --- |\n",
    );
    for (form, texts) in rows(table) {
        let (kind, uses) = security_tables(texts[0], texts[1]);
        let _ = writeln!(page, "| {form} | `{kind}` | `{uses}` |");
    }
}

/// The table of the functions of a webhook.
fn render_webhooks(page: &mut String, table: &Value) {
    page.push_str(
        "\n## Webhooks of OpenAPI 3.1 and 3.2\n\nEach operation of `webhooks` becomes a function of `webhooks.rs` that makes a signed request (`dropspec_runtime::webhook`), named\n\
         after the webhook, and after its method too where it has several. Its parameters and `security` are no arguments, and of\n\
         several media types it is sent as that of JSON: a warning says so.\n\n\
         | form of the body | function |\n| --- | --- |\n",
    );
    for (form, texts) in rows(table) {
        let whole = document("");
        let (_, components) = whole.split_once("components:").unwrap();
        let document = format!(
            "openapi: 3.1.0\ninfo: {{title: Books, version: 1.0.0}}\nwebhooks: {{newBook: {{{}}}}}\ncomponents:{components}",
            texts[0]
        );
        let text = formatted(&generate_files(&document), "webhooks.rs");
        let function = text.split_once("pub fn ").unwrap().1;
        let function = function.split_once(" {").unwrap().0;
        let function = function.split_whitespace().collect::<Vec<_>>().join(" ");
        let function = function.replace("( ", "(").replace(", )", ")");
        let _ = writeln!(page, "| {form} | `{function}` |");
    }
}

/// The table of streams: the content of each form, and what the method and the client return.
fn render_streams(page: &mut String, table: &Value) {
    page.push_str(
        "\n## Streams\n\nThe body of a successful response with `itemSchema` (OpenAPI 3.2), or with the extension `x-item-schema` in older documents, is a\n\
         stream of values. The method returns a variant of `SendResponse`. In documents before 3.2 a `schema` of events, lines or a sequence that\n\
         is no text is the schema of the items, of events that of their `data`; an array is one of all items.\n\n\
         | form | the method | `send` of the client |\n| --- | --- | --- |\n",
    );
    for (form, texts) in rows(table) {
        let operation = format!(
            "responses: {{'200': {{description: a, content: {{{}}}}}}}",
            texts[0]
        );
        let files = generate_files(&document(&operation));
        let responses = formatted(&files, "responses.rs");
        let variants = responses.split_once("pub enum SendResponse {").unwrap().1;
        let variants = variants.split_once("\n}").unwrap().0.lines().map(str::trim);
        let variants = variants.filter(|line| !line.starts_with("///") && !line.is_empty());
        let variants: Vec<_> = variants
            .map(|line| format!("`{}`", line.trim_end_matches(',')))
            .collect();
        let builder = formatted(&files, "client/builder.rs");
        let sent = builder.split_once("Result<ResponseValue<").unwrap().1;
        let sent = sent.split_once(">, Error").unwrap().0;
        let _ = writeln!(page, "| {form} | {} | `{sent}` |", variants.join(", "));
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
        "openapi: 3.2.0
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

fn render_constructors(page: &mut String, table: &Value) {
    page.push_str(
        "\n## Values\n\nA struct whose properties are all optional implements `Default`; another one has a function `new`, which takes the required\n\
         properties in the order of the document. Code that uses them still compiles when the document gets another optional property,\n\
         which a struct expression with every field does not. The structs of response headers have them, too.\n\
         \n\
         | properties | generated | for example |\n| --- | --- | --- |\n",
    );
    for (form, texts) in rows(table) {
        let made = constructor(texts[0]);
        let _ = writeln!(page, "| {form} | {made} | `{}` |", texts[1]);
    }
}

fn schema_document(schema: &str) -> String {
    format!(
        "openapi: 3.1.0
info: {{title: Books, version: 1.0.0}}
paths: {{}}
components:
  schemas:
    Object: {{type: object, required: [value], properties: {{value: {schema}}}}}
    Text: {{type: string}}
    Book:
      type: object
      properties: {{title: {{type: string}}}}
      $defs: {{Page: {{type: integer}}, Chapter: {{$anchor: chapter, type: string}}}}
    Shelf: {{$id: 'https://example.com/shelf', type: array, items: {{type: string}}}}
    Node: {{$dynamicAnchor: node, type: object, properties: {{next: {{$dynamicRef: '#node'}}}}}}
"
    )
}

/// The table of the types of schemas. The text of each schema, of the type of a property that has it, and of a value that is
/// refused.
fn render_schemas(page: &mut String, table: &Value) {
    page.push_str(
        "\n## Schemas of OpenAPI 3.1 and 3.2\n\nSchemas are those of JSON Schema 2020-12. Every keyword is checked in requests, and in responses if they are checked. What a\n\
         type cannot express, such as the length of a list, only the check does.\n\n\
         | schema of a property | type | refused, for example |\n| --- | --- | --- |\n",
    );
    for (schema, values) in rows(table) {
        let files = generate_files(&schema_document(schema));
        let types = formatted(&files, "types.rs");
        let object = types.split_once("pub struct Object {").unwrap().1;
        let field = object.split_once("pub value: ").unwrap().1;
        let field = field.split_once(",\n").unwrap().0;
        let json = files
            .iter()
            .find(|file| file.name == "openapi.json")
            .unwrap();
        let json: Value = serde_json::from_str(&json.content).unwrap();
        let property = dropspec_schema::find(&json, "/components/schemas/Object").unwrap();
        let property = &property["properties"]["value"];
        let validator = dropspec_schema::compile(&json, property, Direction::Request).unwrap();
        let read = |text: &str| {
            let value =
                dropspec_model::Document::parse("value", &format!("value: {text}")).unwrap();
            value.root().to_json()["value"].clone()
        };
        let valid = values[0];
        assert!(validator.is_valid(&read(valid)), "{schema} refuses {valid}");
        let refused = values.get(1).map_or(String::new(), |invalid| {
            assert!(
                !validator.is_valid(&read(invalid)),
                "{schema} accepts {invalid}"
            );
            format!("`{invalid}`")
        });
        let _ = writeln!(page, "| `{schema}` | `{field}` | {refused} |");
    }
}

const READINGS: &str = "
## How parameters are read

The client writes, and the server reads, a parameter by its `style`:

- An object with `explode: true` (the default of the query and of cookies) is spread: each member is a parameter of its own. A parameter that
  the operation does not declare is refused, unless an object may have members of any names: `additionalProperties`, or `type: object` without
  properties.
- A name that the operation declares is that parameter, also if an object may have a member of that name. Of the other names, those of properties
  come next. The rest belongs to the first object of any names; a second one gets nothing, of which the generator warns.
- A schema without a type, or with several, in the query or path: `q=a` is a text, `q=a&q=b` a list, and other names are members of an object. An
  object that has no other member than its own name, `q`, is read as a text. In headers and cookies, a schema without a type is a text.
- `{+name}` in a path takes one segment or more (RFC 6570): `/v1/{+name}` matches `/v1/a/b`. What is more exact comes first: a literal, `{name}`, then
  `/v1/{+parent}/items` before `/v1/{+name}`. Reserved characters are not encoded, except for `?`, `#`, `[` and `]`. `%2F` stays `%2F`,
  and differs from `/`. A value has no segment that is empty, `.` or `..`. A path has one such parameter at most, and it stands alone in
  its segment. The other operators of RFC 6570 are errors that say how OpenAPI writes them.

Statuses from 100 to 199 come before the response of an operation, so that no method returns them. `101` is the response of an operation with
`x-dropshot-websocket`.
";

fn render_page() -> String {
    let mut page = "<!-- Generated by `UPDATE_DOCS=1 cargo test -p dropspec-codegen` from tests/it/support_page.rs; do not edit. -->\n\n\
         # What the generator supports\n\n\
         Every valid document of OpenAPI 3.0, 3.1 and 3.2 is generated. The tables show what becomes the arguments and the result of an operation's\n\
         method in the API trait, without its context; the client has the same types. Types that begin with `Send` are generated.\n"
        .to_owned();
    let forms = include_str!("../documents/support.yaml");
    let forms = dropspec_model::Document::parse("support.yaml", forms).unwrap();
    let forms = forms.root().to_json();
    for (title, table) in forms["operations"].as_object().unwrap() {
        let _ = write!(page, "\n## {title}\n\n| form | method |\n| --- | --- |\n");
        for (form, texts) in rows(table) {
            let signature = signature(texts[0]).replace('|', "\\|");
            let _ = writeln!(page, "| {form} | {signature} |");
        }
    }
    page.push_str(READINGS);
    render_streams(&mut page, &forms["streams"]);
    render_constructors(&mut page, &forms["values"]);
    render_schemas(&mut page, &forms["schemas"]);
    render_security(&mut page, &forms["security"]);
    render_webhooks(&mut page, &forms["webhooks"]);
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
        "run `UPDATE_DOCS=1 cargo test -p dropspec-codegen` to update docs/generator.md"
    );
}
