//! Commands whose responses are streams of items.

use super::run;
use super::server::Server;

const DOCUMENT: &str = "
openapi: 3.0.3
info: {title: Ticks, version: 1.0.0}
paths:
  /ticks:
    get:
      operationId: watchTicks
      responses:
        '200':
          description: Ticks
          content:
            text/event-stream: {x-item-schema: {type: object, properties: {data: {type: integer}}}}
            application/jsonl: {x-item-schema: {type: integer}}
";

const EVENTS: &str = "200 OK\r\ncontent-type: text/event-stream";
const BROKEN: &str = "200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked";

#[test]
fn events_go_on_where_they_broke() {
    let begin = "18\r\nretry: 0\nid: 7\ndata: 1\n\n\r\n";
    let server = Server::start_all(&[(BROKEN, begin), (EVENTS, "id: 8\ndata: 2\n\n")]);
    run(DOCUMENT, "watch-ticks", &server.url).unwrap();
    let requests = server.requests();
    let has_id = |id: &str| {
        requests
            .iter()
            .position(|it| it.contains(&format!("last-event-id: {id}")))
    };
    assert_eq!(has_id("7"), Some(1), "{requests:?}");
}

#[test]
fn what_is_no_item_is_an_error_and_another_response_is_printed() {
    for (media_type, body, expected) in [
        ("application/jsonl", "1\n2\n", None),
        (
            "application/jsonl",
            "1\n{\n",
            Some("the response is not what is declared: "),
        ),
        ("application/json", "[1]", None),
    ] {
        let server = Server::start("200 OK", media_type, body);
        let failure = run(DOCUMENT, "watch-ticks", &server.url).err();
        let failure = failure.map(|it| (it.exit_code(), it.to_string()));
        match (&failure, expected) {
            (None, None) => {}
            (Some((3, found)), Some(expected)) if found.starts_with(expected) => {}
            _ => panic!("{body}: {failure:?}"),
        }
        server.request();
    }
}

#[test]
fn refusal_to_go_on_is_an_error_of_the_service() {
    let begin = "18\r\nretry: 0\nid: 7\ndata: 1\n\n\r\n";
    let refusal = "403 Forbidden\r\ncontent-type: application/json";
    let server = Server::start_all(&[(BROKEN, begin), (refusal, "{}")]);
    let failure = run(DOCUMENT, "watch-ticks", &server.url).unwrap_err();
    assert_eq!(failure.exit_code(), 1, "{failure}");
}

#[test]
fn stream_ends_at_an_event_that_says_done_and_is_no_item() {
    // The connection breaks after it, and would be made again.
    let body = "17\r\ndata: 1\n\ndata: [DONE]\n\n\r\n";
    let server = Server::start_all(&[(BROKEN, body)]);
    run(DOCUMENT, "watch-ticks", &server.url).unwrap();
    server.request();
}
