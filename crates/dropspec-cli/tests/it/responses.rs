//! How responses end a command.

use dropspec_cli::{Interface, command};

use crate::server::Server;
use crate::{run, run_words, settings};

const LIST: &str = "
openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get: {operationId: listPets, responses: {'200': {description: It.}}}
";

fn failure(status: &str, media_type: &str, body: &str) -> (u8, String) {
    let server = Server::start(status, media_type, body);
    let failure = run(LIST, "list-pets", &server.url).unwrap_err();
    server.request();
    (failure.exit_code(), failure.to_string())
}

#[test]
fn errors_of_the_service_are_told_with_their_text_and_code() {
    let json = "application/json";
    for (body, expected) in [
        (
            r#"{"code": "gone", "message": "it is gone"}"#,
            "it is gone (gone, request r-1)",
        ),
        (
            r#"{"reason": 1}"#,
            "{\"reason\": 1} (404 Not Found, request r-1)",
        ),
        ("plain\u{1b}[2J", "plain [2J (404 Not Found, request r-1)"),
        ("", "404 Not Found (request r-1)"),
    ] {
        let found = failure("404 Not Found\r\nX-Request-Id: r-1", json, body);
        assert_eq!(found, (1, expected.to_owned()));
    }
}

#[test]
fn no_response_has_an_exit_code_of_its_own() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = run(LIST, "list-pets --retries 0", &url).unwrap_err();
    assert_eq!(failure.exit_code(), 3, "{failure}");
    let expected =
        format!("no connection to {url} (connection refused); the base URL is from --url");
    assert_eq!(failure.to_string(), expected);
    let failure = run(LIST, "list-pets", "nowhere").unwrap_err();
    assert_eq!(failure.exit_code(), 2, "{failure}");
    let expected = "the base URL `nowhere` has no scheme: write `http://nowhere` or `https://nowhere` (it is from --url)";
    assert_eq!(failure.to_string(), expected);
    let failure = run_words(LIST, "pets list-pets").unwrap_err();
    let expected =
        "the base URL is missing: use --url, SPEC_CLI_TEST_URL, or `url` in a profile in ";
    assert!(failure.to_string().starts_with(expected), "{failure}");
}

#[test]
fn refused_request_is_sent_again_when_the_service_says() {
    let limited = ("429 Too Many Requests\r\nRetry-After: 0", "");
    let unavailable = ("503 Service Unavailable\r\nRetry-After: 0", "");
    let server = Server::start_all(&[limited, unavailable, ("200 OK", "")]);
    run(LIST, "list-pets", &server.url).unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0], requests[2]);

    let server = Server::start_all(&[limited, limited]);
    let failure = run(LIST, "list-pets --retries 1", &server.url).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "429 Too Many Requests (retry after 0 seconds)"
    );
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn credentials_are_in_no_message() {
    let document = LIST.replace(
        "paths:",
        "security: [{Key: []}]
components: {securitySchemes: {Key: {type: apiKey, in: query, name: key}}}
paths:",
    );
    let server = Server::start_all(&[("", "")]);
    let line = "list-pets --auth-key s3cret --retries 0";
    let failure = run(&document, line, &server.url).unwrap_err();
    assert!(!failure.to_string().contains("s3cret"), "{failure}");
    assert!(server.request().starts_with("GET /base/pets?key=s3cret "));
    let failure = run(&document, line, "nowhere").unwrap_err();
    assert!(!failure.to_string().contains("s3cret"), "{failure}");
}

#[test]
fn output_file_gets_the_bytes_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pets.json");
    let server = Server::start("200 OK", "application/json", "[ ]");
    let line = format!("list-pets --output-file {}", path.display());
    run(LIST, &line, &server.url).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "[ ]");
}

#[test]
fn message_of_the_service_names_the_option() {
    let document = LIST.replace(
        "operationId: listPets,",
        "operationId: listPets, parameters: [{name: maxAge, in: query, schema: {type: integer}}],",
    );
    let body = r#"{"code": "invalid", "message": "query parameter \"maxAge\" must be at most 9"}"#;
    let server = Server::start("400 Bad Request", "application/json", body);
    let failure = run(&document, "list-pets --max-age 10", &server.url).unwrap_err();
    assert_eq!(failure.exit_code(), 1);
    assert_eq!(
        failure.to_string(),
        "--max-age: must be at most 9 (invalid)"
    );
}

/// A list that says where its next page is, with an entity tag.
fn pages() -> String {
    let responses = "responses: {'200': {description: They., headers: {Link: {schema: {type: string}}, ETag: {schema: {type: string}}}, \
                     content: {application/json: {schema: {type: array, items: {type: integer}}}}}}";
    LIST.replace("responses: {'200': {description: It.}}", responses).replace(
        "operationId: listPets,",
        "operationId: listPets, parameters: [{name: limit, in: query, schema: {type: integer, maximum: 50}}],",
    )
}

const NEXT: &str =
    "200 OK\r\ncontent-type: application/json\r\nlink: </other/pets?after=2>; rel=next";

#[test]
fn all_reads_every_page_by_the_query_of_the_link() {
    let last = "200 OK\r\ncontent-type: application/json";
    let server = Server::start_all(&[(NEXT, "[1,2]"), (last, "[3]")]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pets.json");
    let line = format!("list-pets --all --output-file {}", path.display());
    run(&pages(), &line, &server.url).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "[1,2,3]");
    let requests = server.requests();
    let lines: Vec<&str> = requests.iter().filter_map(|it| it.lines().next()).collect();
    let expected = [
        "GET /base/pets?limit=50 HTTP/1.1",
        "GET /base/pets?after=2 HTTP/1.1",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn link_to_the_same_page_ends_the_list() {
    let server = Server::start_all(&[(NEXT, "[1,2]"), (NEXT, "[1,2]")]);
    let failure = run(&pages(), "list-pets --all", &server.url).unwrap_err();
    assert_eq!(failure.exit_code(), 3);
    assert!(failure.to_string().contains("same page again"), "{failure}");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn only_lists_with_pages_and_responses_with_tags_have_their_options() {
    let interface = Interface::read(LIST, settings()).unwrap();
    let plain = command(&interface);
    let interface = Interface::read(&pages(), settings()).unwrap();
    let paged = command(&interface);
    let has = |command: &clap::Command, option: &str| {
        let command = command.find_subcommand("list-pets").unwrap();
        command.get_arguments().any(|it| it.get_id() == option)
    };
    for option in ["all", "show-etag"] {
        assert_eq!((has(&plain, option), has(&paged, option)), (false, true));
    }
}
