//! What generated code cannot express is reported: everything at once, each with its location and help.

use dropspec_codegen::{Settings, generate};
use dropspec_model::Spec;

use crate::{diagnose, formatted, generate_files, settings};

/// A document with one operation.
fn operation(yaml: &str) -> String {
    let indented: String = yaml.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    post:\n{indented}"
    )
}

#[test]
fn reports_invalid_values_of_extensions() {
    let document = operation(
        "operationId: a
deprecated: true
x-stability: gamma
x-deprecated-sunset: '2027-02-30'
x-successor: nobody
x-rate-limit-cost: -1
x-required-access: wirte
x-max-body-bytes: 1 MB
responses: {'204': {description: ok}}",
    );
    insta::assert_snapshot!(diagnose(&document), @r#"
    api.yaml:8:7: `gamma` is not a stability (/paths/~1a/post/x-stability)
      help: write `beta` or `experimental`, or leave it out
    api.yaml:9:7: `2027-02-30` is not a date (YYYY-MM-DD) (/paths/~1a/post/x-deprecated-sunset)
      help: write it as "2027-06-30"
    api.yaml:10:7: there is no operation `nobody` (/paths/~1a/post/x-successor)
      help: name an operationId
    api.yaml:11:7: the cost is not a number of requests (/paths/~1a/post/x-rate-limit-cost)
      help: write 0, 1, 2, …
    api.yaml:12:7: `x-required-access` is `wirte`, not an access (/paths/~1a/post/x-required-access)
      help: write `read` or `write`
    api.yaml:13:7: the largest body is not a number of bytes (/paths/~1a/post/x-max-body-bytes)
      help: write 1, 2, 3, …
    "#);
}

#[test]
fn second_object_of_any_names_in_a_query_is_reported() {
    let parameters = "operationId: a
parameters: [{name: a, in: query, schema: {type: object}}, {name: b, in: query, schema: {type: object}},
  {name: c, in: query, style: deepObject, explode: true, schema: {type: object}}, {name: d, in: query, schema: {}}]
responses: {'204': {description: ok}}";
    insta::assert_snapshot!(diagnose(&operation(parameters)), @r"
    api.yaml:7:66: no request has members of `b`, since `a` takes parameters of any names as its own (/paths/~1a/post/parameters/1)
      help: declare it with `style: deepObject`, or name its properties
    ");
}

#[test]
fn base_path_of_a_server_is_reported_once() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
servers:
  - {url: https://api.example.com}
  - {url: 'https://api.example.com/{version}/', variables: {version: {default: v1}}}
  - {url: /v1}
  - {url: 'https://{host}/v2?a=/b', variables: {host: {default: example.com}}}
  - {url: '{base_url}', variables: {base_url: {default: 'http://localhost:8080/'}}}
  - {url: //localhost/v3}
paths:
  /a:
    get: {operationId: a, responses: {'204': {description: ok}}}
";
    insta::assert_snapshot!(diagnose(document), @r"
    api.yaml:5:11: the generated server serves the paths without the base path `/v1` of this URL (/servers/1/url)
      help: start it by `serve --base-path /v1`, or let a proxy in front of it remove `/v1`
    api.yaml:7:11: the generated server serves the paths without the base path `/v2` of this URL (/servers/3/url)
      help: start it by `serve --base-path /v2`, or let a proxy in front of it remove `/v2`
    api.yaml:9:11: the generated server serves the paths without the base path `/v3` of this URL (/servers/5/url)
      help: start it by `serve --base-path /v3`, or let a proxy in front of it remove `/v3`
    ");
}

#[test]
fn operation_without_security_among_protected_ones_is_reported_as_public() {
    let document = |root: &str, own: &str| {
        format!(
            "openapi: 3.0.3
info: {{title: T, version: '1'}}
{root}paths:
  /a:
    get: {{operationId: a, security: [{{key: []}}], responses: {{'204': {{description: ok}}}}}}
    put: {{operationId: b, {own}responses: {{'204': {{description: ok}}}}}}
components: {{securitySchemes: {{key: {{type: apiKey, in: header, name: X-Key}}}}}}
"
        )
    };
    insta::assert_snapshot!(diagnose(&document("", "")), @r##"
    api.yaml:6:5: the operation is public, since it has no `security`, while others of the document need credentials (/paths/~1a/put)
      help: add its `security`, or `security: []` if everybody may call it
    "##);
    for (root, own) in [
        ("security: []\n", ""),
        ("security: [{key: []}]\n", ""),
        ("", "security: [], "),
        ("", "security: [{}], "),
    ] {
        assert_eq!(diagnose(&document(root, own)), "", "{root}{own}");
    }
    let unprotected =
        document("", "").replace("security: [{key: []}], ", "security: [{}, {key: []}], ");
    assert_eq!(diagnose(&unprotected), "");
}

#[test]
fn header_that_is_no_part_of_an_interface_is_reported_and_left_out() {
    let document = operation(
        "operationId: a
parameters:
  - {name: Authorization, in: header, required: true, schema: {type: string}}
  - {name: 'Authorization: Bearer 1', in: header, required: true, schema: {type: string}}
  - {name: Content-Length, in: header, required: true, schema: {type: integer}}
  - {name: X-Trace, in: header, schema: {type: string}}
responses:
  '204':
    description: ok
    headers:
      Connection: {schema: {type: string}}
      X-Rest: {schema: {type: integer}}",
    );
    insta::assert_snapshot!(diagnose(&document), @r##"
    api.yaml:8:11: OpenAPI ignores the header parameter `Authorization` (/paths/~1a/post/parameters/0)
      help: remove it: media types and `security` describe it
    api.yaml:9:11: no header can be called `Authorization: Bearer 1`, so that the header parameter is ignored (/paths/~1a/post/parameters/1)
      help: write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)
    api.yaml:10:11: clients and servers write `Content-Length` themselves, so that the header parameter is ignored (/paths/~1a/post/parameters/2)
      help: remove it: it belongs to the connection, not to the interface
    api.yaml:16:13: clients and servers write `Connection` themselves, so that the response header is ignored (/paths/~1a/post/responses/204/headers/Connection)
      help: remove it: it belongs to the connection, not to the interface
    "##);
    let api = formatted(&generate_files(&document), "parameters.rs");
    for name in ["x_trace", "x_rest"] {
        assert!(api.contains(name), "{api}");
    }
    for name in ["authorization", "content_length", "connection"] {
        assert!(!api.to_lowercase().contains(name), "{name} in {api}");
    }
}

#[test]
fn comment_of_an_operation_begins_with_its_first_text() {
    for (texts, expected) in [
        ("summary: S, description: D", "/// S\n    ///\n    /// D\n"),
        ("summary: S", "/// S\n"),
        ("description: D", "/// D\n"),
    ] {
        let document = operation(&format!(
            "operationId: a\n{}\nresponses: {{'204': {{description: ok}}}}",
            texts.replace(", ", "\n")
        ));
        let api = formatted(&generate_files(&document), "api.rs");
        let expected = format!("type Context;\n\n    {expected}    #[endpoint");
        assert!(api.contains(&expected), "{api}");
    }
}

#[test]
fn operations_that_no_request_reaches_are_left_out() {
    let document = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /pets?sold=true: {get: {operationId: a, responses: {'204': {description: ok}}}}
  '/pets#top': {get: {operationId: b, responses: {'204': {description: ok}}}}
  /pets: {get: {operationId: c, responses: {'204': {description: ok}}}}
";
    let generated = generate(&Spec::parse("api.yaml", document).unwrap(), &settings()).unwrap();
    let left_out = generated.unsupported.iter();
    let left_out = left_out.map(|it| format!("{}: {}", it.operation, it.problems[0]));
    insta::assert_snapshot!(left_out.collect::<Vec<_>>().join("\n"), @r#"
    a: api.yaml:4:3: the path `/pets?sold=true` holds a `?`, which no path of a request does (/paths/~1pets?sold=true)
      help: declare what follows as parameters in the query
    b: api.yaml:5:3: the path `/pets#top` holds a `#`, which no path of a request does (/paths/~1pets#top)
      help: remove what follows; a client keeps it to itself
    "#);
}

#[test]
fn what_a_function_of_a_webhook_cannot_send_is_reported() {
    let document = "openapi: 3.1.0
info: {title: T, version: '1'}
webhooks:
  sent:
    post:
      parameters:
        - {name: Webhook-Id, in: header, schema: {type: string}}
        - {name: X-Event, in: header, schema: {type: string}}
      requestBody: {content: {image/*: {}, text/plain: {}, application/json: {}}}
  broken:
    post: {requestBody: {content: {application/json: {schema: {type: strin}}}}}
";
    let error = "`strin` is not a type";
    assert!(diagnose(document).contains(error));
    let partial = Settings {
        partial: true,
        ..settings()
    };
    let spec = Spec::parse_with_errors("api.yaml", document).unwrap();
    let generated = generate(&spec, &partial).unwrap();
    let warnings: Vec<&str> = generated.warnings.iter().map(|it| &*it.message).collect();
    let expected = [
        "parameters and security of a webhook are no arguments of its function",
        "the webhook is sent as `application/json`, never as another media type",
        error,
    ];
    assert_eq!(warnings, expected);
    let functions = formatted(&generated.files, "webhooks.rs");
    assert_eq!(functions.matches("pub fn ").count(), 1, "{functions}");
}

#[test]
fn xml_with_a_structure_is_reported_where_it_is_neither_read_nor_written() {
    let document = operation(
        "operationId: a
security: []
requestBody:
  content:
    application/xml: {schema: {type: object, properties: {a: {type: string, xml: {attribute: true}}}}}
    text/xml: {schema: {type: string}}
    multipart/form-data:
      schema: {type: object, properties: {p: {type: object, properties: {a: {type: string}}}}}
      encoding: {p: {contentType: text/xml}}
responses:
  '200': {description: ok, content: {application/atom+xml: {schema: {type: array, items: {type: string}}}}}",
    );
    insta::assert_snapshot!(diagnose(&document), @r"
    api.yaml:10:29: XML is not read or written by its schema: the body is a text (/paths/~1a/post/requestBody/content/application~1xml/schema)
      help: parse and write it in your code, or describe it as JSON
    api.yaml:13:49: XML is not read or written by its schema: the part is JSON (/paths/~1a/post/requestBody/content/multipart~1form-data/schema/properties/p)
      help: parse and write it in your code, or describe it as JSON
    api.yaml:16:67: XML is not read or written by its schema: the body is a text (/paths/~1a/post/responses/200/content/application~1atom+xml/schema)
      help: parse and write it in your code, or describe it as JSON
    ");
}

#[test]
fn parts_with_positions_are_reported_and_items_that_are_no_json_are_bytes() {
    let document = operation(
        "operationId: a
security: []
requestBody:
  content:
    multipart/mixed: {schema: {type: array, prefixItems: [{type: string}]}, prefixEncoding: [{contentType: image/png}]}
responses:
  '200': {description: ok, content: {multipart/mixed: {itemSchema: {type: object}, itemEncoding: {contentType: application/json}}}}
  '201': {description: ok, content: {multipart/mixed: {itemSchema: {}, itemEncoding: {contentType: image/png}}}}",
    );
    insta::assert_snapshot!(diagnose(&document.replace("3.0.3", "3.2.0")), @r"
    api.yaml:10:11: the parts are not read or written by their positions, nor with headers (/paths/~1a/post/requestBody/content/multipart~1mixed)
      help: the body is a stream of bytes, or of items that are JSON; name the parts for types: `multipart/form-data` with `properties` and `encoding`
    api.yaml:13:62: the parts are no JSON, so that no type is made of the schema of its items (/paths/~1a/post/responses/201/content/multipart~1mixed/itemSchema)
      help: the body is a stream of bytes
    ");
}

#[test]
fn query_that_is_json_as_a_whole_has_nothing_beside_it() {
    let document = "openapi: 3.2.0
info: {title: T, version: '1'}
security: [{key: []}]
paths:
  /a:
    get:
      operationId: a
      parameters:
        - {name: b, in: query, schema: {type: string}}
        - {name: q, in: querystring, content: {application/json: {schema: {type: object}}}}
        - {name: x, in: querystring, content: {text/plain: {schema: {type: string}}}}
      responses: {'204': {description: ok}}
components: {securitySchemes: {key: {type: apiKey, in: query, name: k}}}
";
    insta::assert_snapshot!(diagnose(document), @r"
    api.yaml:6:5: the key of the scheme `key` is in the query, which is JSON as a whole (/paths/~1a/get)
      help: demand another scheme, or describe the query by parameters in `query`
    api.yaml:10:11: the parameter `q` is the whole query (/paths/~1a/get/parameters/1)
      help: remove the other parameters in the query, or make them properties of it
    api.yaml:11:25: a parameter cannot be in `querystring` (/paths/~1a/get/parameters/2/in)
      help: describe it by `content: {application/x-www-form-urlencoded: {schema: …}}` without `encoding`, by `content: {application/json: {schema: …}}`, or as parameters in `query`
    ");
}

/// Both did not end, or overflowed the stack, when each way to a schema was walked by itself.
#[test]
fn schemas_that_refer_to_each_other_twice_or_in_a_long_chain_are_generated() {
    let document = |count: usize, schema: &dyn Fn(String) -> String| {
        let next = |number: usize| schema(format!("{{$ref: '#/components/schemas/S{number}'}}"));
        let schemas = (0..count).map(|it| format!("    S{it}: {}\n", next(it + 1)));
        let schemas: String = schemas.collect();
        format!(
            "{}components:\n  schemas:\n{schemas}    S{count}: {{type: object, properties: {{a: {{type: string}}}}}}\n",
            operation(
                "operationId: a\nresponses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}"
            )
        )
    };
    for document in [
        document(40, &|next| format!("{{allOf: [{next}, {next}]}}")),
        document(16_000, &|next| next),
    ] {
        let files = generate_files(&document);
        assert!(formatted(&files, "types.rs").contains("pub struct S0"));
    }
}
