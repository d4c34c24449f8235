//! The command `tail` of a service that needs credentials.

use super::run;
use super::server::Server;

const DOCUMENT: &str = r#"{
    "openapi": "3.0.3", "info": {"title": "Pets", "version": "1"},
    "security": [{"apiKey": []}],
    "components": {"securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "All"}}}}}
}"#;

const STREAM: &str = "200 OK\r\ncontent-type: text/event-stream";
const EVENTS: &str =
    "event: server\ndata: {\"server\":\"web-1\"}\n\nevent: request\ndata: {\"status\":200}\n\n";
const REVOKED: &str = "event: end\ndata: {\"code\":\"invalid_credentials\",\"message\":\"the key is no longer valid\"}\n\n";

fn tail(server: &Server) -> Option<(u8, String)> {
    let line = "tail --auth-api-key secret --output jsonl";
    let failure = run(DOCUMENT, line, &server.url).err()?;
    Some((failure.exit_code(), failure.to_string()))
}

#[test]
fn connects_again_until_the_credentials_are_refused() {
    let unavailable = ("503 Service Unavailable", "{}");
    let server = Server::start_all(&[(STREAM, EVENTS), unavailable, (STREAM, REVOKED)]);
    let ended = tail(&server);
    assert_eq!(ended, Some((1, "the key is no longer valid".to_owned())));
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        let request = request.to_ascii_lowercase();
        assert!(
            request.starts_with("get /base/tail http/1.1\r\n"),
            "{request}"
        );
        assert!(request.contains("x-key: secret\r\n"), "{request}");
    }
}

#[test]
fn first_connection_is_not_tried_again() {
    for (status, body, expected) in [
        (
            "404 Not Found",
            "{}",
            "the service has no stream of requests",
        ),
        (
            "429 Too Many Requests",
            r#"{"code":"rate_limit_exceeded","message":"close one"}"#,
            "close one (rate_limit_exceeded)",
        ),
    ] {
        let server = Server::start(status, "application/json", body);
        let (code, message) = tail(&server).unwrap();
        assert_eq!(code, 1);
        assert!(message.contains(expected), "{message}");
        server.request();
    }
}

#[test]
fn command_needs_credentials_and_leaves_its_name_to_an_operation() {
    let missing = run(DOCUMENT, "tail", "http://127.0.0.1:1").unwrap_err();
    assert_eq!(missing.exit_code(), 2);
    assert!(missing.to_string().contains("--auth-api-key"), "{missing}");

    let own = DOCUMENT.replace("listPets", "tail");
    let server = Server::start("200 OK", "application/json", "[]");
    run(&own, "tail --auth-api-key a", &server.url).unwrap();
    assert!(server.request().starts_with("GET /base/pets HTTP/1.1\r\n"));
}
