//! What is sent for the arguments of a command.

use crate::run;
use crate::server::Server;

const PETS: &str = r##"
openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{petId}/photos:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: integer, minimum: 1}}
    post:
      operationId: addPhoto
      security: [{ApiKey: []}, {}]
      parameters:
        - {name: tag, in: query, schema: {type: array, maxItems: 2, items: {type: string}}}
        - {name: filter, in: query, style: deepObject, explode: true, schema: {type: object, properties: {a: {type: integer}}}}
        - {name: X-Any, in: header, schema: {oneOf: [{type: integer}, {type: string, maxLength: 3}]}}
        - {name: theme, in: cookie, schema: {type: string, enum: [dark, light]}}
        - {name: Authorization, in: header, schema: {type: string}}
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                file: {type: string, format: binary}
                size: {type: integer}
      responses: {'200': {description: It.}}
    put:
      operationId: labelPhoto
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer}}
        - {name: Idempotency-Key, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                labels: {type: array, items: {type: string}}
                names: {type: array, items: {type: string}}
                title: {type: string}
                image: {anyOf: [{type: string, format: binary}, {type: array, items: {type: string, format: binary}}]}
                sound: {type: string}
            encoding:
              sound: {contentType: audio/ogg}
              names: {contentType: "application/json, text/plain"}
              title: {contentType: application/json}
      responses: {'200': {description: It.}}
  /pets:
    post:
      operationId: createPet
      security: [{Login: [read]}, {Login: [write]}, {Token: []}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Pet'}
      responses: {'201': {description: It.}}
    put:
      requestBody:
        required: true
        content: {text/csv: {schema: {type: string}}}
      responses: {'204': {description: Done.}}
    patch:
      operationId: search
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {q: {type: string}, in: {type: array, items: {type: string}}}}
      responses: {'204': {description: Done.}}
  /find:
    get:
      operationId: find
      parameters: [{name: q, in: querystring, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}]
      responses: {'204': {description: Done.}}
components:
  securitySchemes:
    ApiKey: {type: apiKey, in: header, name: X-API-Key}
    Login: {type: http, scheme: basic}
    Token: {type: oauth2, flows: {}}
  schemas:
    Pet:
      type: object
      required: [name]
      additionalProperties: false
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, minLength: 1}
        tags: {type: array, items: {type: string}}
        owner: {type: object, properties: {name: {type: string}}}
"##;

/// The request that a command sends.
fn sent(line: &str) -> String {
    let server = Server::start("200 OK", "text/plain", "");
    run(PETS, line, &server.url).unwrap();
    server.request()
}

fn refused(line: &str) -> String {
    let failure = run(PETS, line, "http://127.0.0.1:9").unwrap_err();
    assert_eq!(failure.exit_code(), 2, "{failure}");
    failure.to_string()
}

#[test]
fn parameters_go_into_path_query_headers_and_cookies_by_their_styles() {
    let request = sent(
        r#"add-photo 7 --tag 'a b' --tag c --filter '{"a": 1}' --x-any 12 --theme dark --auth-api-key secret"#,
    );
    let line = "POST /base/pets/7/photos?tag=a%20b&tag=c&filter%5Ba%5D=1 HTTP/1.1";
    let brackets = line.replace("%5B", "[").replace("%5D", "]");
    let first = request.lines().next().unwrap();
    assert!(first == line || first == brackets, "{first}");
    for header in ["x-any: 12", "cookie: theme=dark", "x-api-key: secret"] {
        assert!(request.contains(header), "{header}: {request}");
    }
}

#[test]
fn body_is_made_of_flags_and_of_json_that_they_override() {
    for (line, authorization, body) in [
        (
            r#"create-pet --name Bo --tags a --tags b --owner '{"name": "Ada"}' --auth-login ada:pw"#,
            "authorization: Basic YWRhOnB3",
            r#"{"name":"Bo","tags":["a","b"],"owner":{"name":"Ada"}}"#,
        ),
        (
            r#"create-pet --body '{"name": "Al", "tags": []}' --name Bo --auth-token t"#,
            "authorization: Bearer t",
            r#"{"name":"Bo","tags":[]}"#,
        ),
    ] {
        let request = sent(line);
        assert!(request.ends_with(body), "{request}");
        for header in ["content-type: application/json", authorization] {
            assert!(request.contains(header), "{header}: {request}");
        }
    }
}

#[test]
fn files_forms_and_raw_bodies_are_sent_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cat.csv");
    std::fs::write(&path, "a,b\n1,2\n").unwrap();
    let path = path.display();
    let request = sent(&format!("add-photo --pet-id 7 --file @{path} --size 3"));
    for text in [
        "multipart/form-data; boundary=",
        "name=\"file\"; filename=\"cat.csv\"\r\nContent-Type: application/octet-stream\r\n\r\na,b\n1,2\n\r\n",
        "name=\"size\"\r\n\r\n3\r\n",
    ] {
        assert!(request.contains(text), "{text}: {request}");
    }
    let request = sent(&format!("label-photo 7 --image @{path} --sound @{path}"));
    for text in [
        "name=\"image\"; filename=\"cat.csv\"\r\nContent-Type: application/octet-stream\r\n\r\na,b\n1,2\n\r\n",
        "name=\"sound\"; filename=\"cat.csv\"\r\nContent-Type: audio/ogg\r\n\r\na,b\n1,2\n\r\n",
    ] {
        assert!(request.contains(text), "{text}: {request}");
    }
    let request = sent(&format!("put-pets --body-file {path}"));
    assert!(request.contains("content-type: text/csv"), "{request}");
    assert!(request.ends_with("\r\n\r\na,b\n1,2\n"), "{request}");
    let request = sent(r#"find --q '{"a": "b&c"}'"#);
    let whole = "GET /base/find?%7B%22a%22%3A%22b%26c%22%7D ";
    assert!(request.starts_with(whole), "{request}");
    let request = sent("search --q 'a&b' --in x --in y");
    assert!(request.ends_with("\r\n\r\nq=a%26b&in=x&in=y"), "{request}");
}

#[test]
fn parts_are_written_in_their_declared_media_type_and_a_body_without_parts_has_its_end() {
    let request =
        sent("label-photo --pet-id=7 --labels=a --labels=b --names=c --names=d --title=e");
    for text in [
        "name=\"labels\"\r\n\r\na\r\n",
        "name=\"labels\"\r\n\r\nb\r\n",
        "name=\"names\"\r\nContent-Type: application/json\r\n\r\n[\"c\",\"d\"]\r\n",
        "name=\"title\"\r\nContent-Type: application/json\r\n\r\n\"e\"\r\n",
    ] {
        assert!(request.contains(text), "{text}: {request}");
    }
    let request = sent("label-photo --pet-id=7");
    let (_, boundary) = request.split_once("boundary=").unwrap();
    let boundary = boundary.lines().next().unwrap();
    let end = format!("\r\n\r\n--{boundary}--\r\n");
    assert!(request.ends_with(&end), "{request}");
}

#[test]
fn wrong_values_are_refused_with_their_flag_before_anything_is_sent() {
    const TABLE: &str = r#"
        add-photo --pet-id x                          -> --pet-id: "x" is not a whole number
        add-photo --pet-id 0                          -> --pet-id: 0 is less than the minimum of 1
        add-photo --pet-id 1 --x-any long             -> --x-any: 
        add-photo --pet-id 1 --tag a --tag b --tag c  -> --tag: ["a","b","c"] has more than 2 items
        add-photo --pet-id 1 --filter {               -> --filter: "{" is not JSON
        add-photo --pet-id 1 --file @/no/such         -> cannot read /no/such:
        create-pet --name ''                          -> --name: "" is shorter than 1 character
        create-pet --body '{"name": "a", "age": 1}'   -> the body is not valid: /age: is not a known property
        create-pet --body {                           -> the body is not JSON
        create-pet --name a                           -> the command needs credentials: use --auth-login, SPEC_CLI_TEST_LOGIN, or --auth-token, SPEC_CLI_TEST_TOKEN, or `auth-login` in a profile in
    "#;
    for (line, reason) in TABLE.lines().filter_map(|row| row.split_once("->")) {
        let (line, reason) = (line.trim(), reason.trim());
        let text = refused(line);
        assert!(text.contains(reason), "{line}: {text}");
    }
}

#[test]
fn path_parameters_have_a_position_or_a_flag() {
    for (line, start) in [
        ("label-photo 7", "PUT /base/pets/7/photos "),
        ("label-photo -7", "PUT /base/pets/-7/photos "),
        ("label-photo --pet-id 7", "PUT /base/pets/7/photos "),
    ] {
        assert!(sent(line).starts_with(start), "{line}");
    }
}

#[test]
fn idempotency_key_is_made_unless_it_is_given_or_nothing_is_repeated() {
    for (line, is_sent) in [
        ("label-photo 7", true),
        ("label-photo 7 --idempotency-key mine", true),
        ("label-photo 7 --retries 0", false),
    ] {
        let request = sent(line);
        assert_eq!(request.contains("idempotency-key: "), is_sent, "{request}");
        let is_own = request.contains("idempotency-key: mine\r\n");
        assert_eq!(is_own, line.contains("mine"), "{request}");
    }
}
