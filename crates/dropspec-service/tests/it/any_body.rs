//! The gate before operations with bodies that the handler reads, a WebSocket, and errors of dropshot.

use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use dropshot::{Body, ClientErrorStatusCode, HttpError, RequestContext};
use dropspec_gate::rate_limit::MemoryLedger;
use dropspec_gate::{Gate, RequestPolicy, Service};
use dropspec_runtime::{
    DecodedRequest, DispatchError, Document, File, FromPart, Interface, Method, OperationInfo,
    Part, Permit, Rejection, respond, to_response,
};
use dropspec_service::Server;
use futures::TryStreamExt;
use http::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::tables::tables;
use super::tiny_service::{Notes, serve, settings_with};

/// A close frame with the code 1001 (RFC 6455, section 7.4.1).
const GOING_AWAY: [u8; 4] = [0x88, 2, 0x03, 0xe9];

/// A service without state; what it does not do itself, [`Notes`] does.
struct Files;

const SOURCE: &str = r#"{
    "openapi": "3.0.3",
    "info": {"title": "Files", "version": "1"},
    "paths": {
        "/bytes": {"post": {
            "x-max-body-bytes": 200000,
            "requestBody": {"required": true, "content": {"application/octet-stream": {}}},
            "responses": {"200": {"description": "The number of bytes"}}
        }},
        "/stream": {"put": {
            "parameters": [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}],
            "requestBody": {"content": {"image/*": {}}},
            "responses": {"200": {"description": "The number of bytes"}}
        }},
        "/text": {"post": {
            "requestBody": {"content": {"text/plain": {}}},
            "responses": {"200": {"description": "The text"}}
        }},
        "/form": {"post": {
            "requestBody": {"content": {"multipart/form-data": {"schema": {
                "type": "object", "required": ["file"],
                "properties": {
                    "title": {"type": "string", "maxLength": 5},
                    "file": {"type": "string", "format": "binary"}
                }
            }}}},
            "responses": {"200": {"description": "The parts"}}
        }},
        "/socket": {"get": {"x-dropshot-websocket": {}, "responses": {"default": {"description": "An echo"}}}},
        "/later": {"get": {"responses": {}}, "trace": {"responses": {}}},
        "/error/{status}": {"get": {
            "parameters": [{"name": "status", "in": "path", "required": true, "schema": {"type": "integer"}}],
            "responses": {}
        }}
    }
}"#;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json(SOURCE));
static OPERATIONS: [OperationInfo; 8] = [
    OperationInfo::new("bytes", Method::Post, "/bytes"),
    OperationInfo::new("stream", Method::Put, "/stream"),
    OperationInfo::new("text", Method::Post, "/text"),
    OperationInfo::new("form", Method::Post, "/form"),
    OperationInfo::new("socket", Method::Get, "/socket"),
    OperationInfo {
        generated: false,
        ..OperationInfo::new("later", Method::Get, "/later")
    },
    OperationInfo::new("error", Method::Get, "/error/{status}"),
    OperationInfo::new("trace", Method::Trace, "/later"),
];

enum FormPart {
    Title(String),
    File(File),
}

impl FromPart for FormPart {
    fn from_part(part: Part) -> Result<Self, Rejection> {
        match part.name() {
            "title" => part.value().map(Self::Title),
            "file" => part.file().map(Self::File),
            _ => Err(part.unknown()),
        }
    }
}

impl Service for Files {
    const NAME: &'static str = "files";
    type Interface = Files;
    type Authenticator = Notes;
    type Ledger = MemoryLedger;
    type ErrorBody = Notes;
}

impl Interface for Files {
    type Context = Arc<Gate<Files>>;

    tables!(&OPERATIONS, &[], &DOCUMENT, SOURCE);

    async fn dispatch(
        permit: Permit<Files>,
        rqctx: RequestContext<Self::Context>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        match permit.operation() {
            0 => {
                let body = request.raw();
                let counted = body
                    .into_stream()
                    .try_fold(0, |count, chunk| async move { Ok(count + chunk.len()) });
                let counted = counted.await;
                to_response(
                    counted
                        .map_err(HttpError::from)
                        .and_then(|count| respond::json(200, &count)),
                )
            }
            1 => {
                let body: dropshot::StreamingBody = request.extract(&rqctx).await?;
                let counted = body
                    .into_stream()
                    .try_fold(0, |count, chunk| async move { Ok(count + chunk.len()) });
                to_response(counted.await.and_then(|count| respond::json(200, &count)))
            }
            2 => to_response(respond::text(200, "text/plain", request.text())),
            3 => {
                let mut parts = request.multipart::<FormPart>()?;
                let mut seen = String::new();
                while let Some(part) = parts.next().await? {
                    match part {
                        FormPart::Title(title) => seen += &format!("title {title};"),
                        FormPart::File(file) => {
                            let name = file.name.clone().unwrap_or_default();
                            let size = file.collect(1_000_000).await?.len();
                            seen += &format!("{name} {size};");
                        }
                    }
                }
                to_response(respond::text(200, "text/plain", seen))
            }
            4 => {
                let channel = request.channel(&rqctx).await?;
                channel.run(move |connection| async move {
                    let mut connection = connection.into_inner();
                    let mut bytes = [0; 4];
                    connection.read_exact(&mut bytes).await?;
                    rqctx.context().current_call().ok_or("the call is lost")?;
                    connection.write_all(&bytes).await?;
                    rqctx.context().stopping().await;
                    connection.write_all(&GOING_AWAY).await?;
                    connection.read_exact(&mut bytes).await?;
                    Ok(())
                })
            }
            6 => {
                let path: serde_json::Value = request.path()?;
                let status = path["status"]
                    .as_u64()
                    .and_then(|status| u16::try_from(status).ok());
                let status = status.unwrap_or_default();
                let message = "the message".to_owned();
                let error = match ClientErrorStatusCode::from_u16(status) {
                    Ok(status) => HttpError::for_client_error(None, status, message),
                    Err(_) => {
                        let mut error = HttpError::for_internal_error(message);
                        error.status_code = dropshot::ErrorStatusCode::from_u16(status).unwrap();
                        error
                    }
                };
                to_response::<Response<Body>, _>(Err(error))
            }
            7 => to_response(respond::empty(200)),
            _ => Err(DispatchError::NotImplemented),
        }
    }
}

fn start(body_timeout: Duration) -> Server<Files> {
    let settings = settings_with(RequestPolicy {
        body_timeout,
        max_raw_body: 300_000,
        ..RequestPolicy::default()
    });
    let ledger = Arc::new(MemoryLedger::default());
    serve(settings, Files, Arc::new(Notes::default()), ledger)
}

const LONG: Duration = Duration::from_secs(10);

/// The status and the body of the response to a request.
async fn send(
    server: &Server<Files>,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<reqwest::Body>,
) -> String {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = reqwest::Client::new()
        .request(method, server.base_url() + path)
        .body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let mut body: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    // The instance of an error differs with each request.
    let members = body.as_object_mut();
    match members.and_then(|members| members.shift_remove("instance")) {
        Some(_) => format!("{status} {body}"),
        None => format!("{status} {text}"),
    }
}

fn error(status: u16, code: &str, message: &str) -> String {
    let body = serde_json::json!({ "title": code, "detail": message });
    format!("{status} {body}")
}

/// A body of so many chunks of 80,000 bytes, whose length is not declared.
fn chunked(chunks: usize) -> reqwest::Body {
    let chunk = bytes::Bytes::from(vec![b'x'; 80_000]);
    let frames =
        (0..chunks).map(move |_| Ok::<_, std::io::Error>(hyper::body::Frame::data(chunk.clone())));
    let frames: Vec<_> = frames.collect();
    reqwest::Body::wrap(http_body_util::StreamBody::new(futures::stream::iter(
        frames,
    )))
}

#[tokio::test]
async fn bodies_that_the_handler_reads_have_limits_of_their_own() {
    let server = start(LONG);
    let bytes = &[("content-type", "application/octet-stream")];
    let image = &[("content-type", "image/png")];
    let sent = |length: usize| vec![b'x'; length];
    let found = send(&server, "POST", "/bytes", bytes, sent(200_000)).await;
    assert_eq!(found, "200 200000", "beyond the 64 KiB of decoded bodies");
    let large = error(
        413,
        "body_too_large",
        "the body is larger than 200000 bytes",
    );
    let found = send(&server, "POST", "/bytes", bytes, sent(200_001)).await;
    assert_eq!(found, large, "declared");
    let found = send(&server, "POST", "/bytes", bytes, chunked(3)).await;
    assert_eq!(found, large, "not declared");
    let found = send(&server, "PUT", "/stream", image, sent(300_000)).await;
    assert_eq!(found, "200 300000", "an argument of dropshot");
    let found = send(&server, "PUT", "/stream", image, sent(300_001)).await;
    assert!(found.starts_with("413 "), "{found}");
    let found = send(&server, "PUT", "/stream", image, chunked(4)).await;
    let large = error(
        413,
        "body_too_large",
        "the body is larger than 300000 bytes",
    );
    assert_eq!(found, large, "dropshot makes a 400 of it");
    let found = send(&server, "PUT", "/stream", bytes, sent(1)).await;
    assert!(found.starts_with("415 "), "{found}");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn text_and_multipart_bodies_reach_the_handler() {
    let server = start(LONG);
    let text = &[("content-type", "text/plain; charset=utf-8")];
    assert_eq!(send(&server, "POST", "/text", text, "añb").await, "200 añb");
    assert_eq!(send(&server, "POST", "/text", &[], "").await, "200 ");

    let form = &[("content-type", "multipart/form-data; boundary=XX")];
    let file = "x".repeat(100_000);
    let part = |name: &str, content: &str| {
        format!("--XX\r\nContent-Disposition: form-data; name={name}\r\n\r\n{content}\r\n")
    };
    let file = part("\"file\"; filename=\"a.bin\"", &file);
    let body = format!("{}{file}--XX--\r\n", part("\"title\"", "cat"));
    let found = send(&server, "POST", "/form", form, body).await;
    assert_eq!(found, "200 title cat;a.bin 100000;");
    let body = format!("{}--XX--\r\n", part("\"title\"", "cat"));
    let found = send(&server, "POST", "/form", form, body).await;
    let problem = r##"422 {"title":"validation_failed","detail":"/file: is required","errors":[{"pointer":"#/file","detail":"is required"}]}"##;
    assert_eq!(found, problem);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn idempotency_key_is_refused_for_a_body_that_the_handler_reads() {
    let server = start(LONG);
    let headers = [("content-type", "image/png"), ("idempotency-key", "k")];
    let found = send(&server, "PUT", "/stream", &headers, "x").await;
    let message =
        "header \"Idempotency-Key\" cannot be used with a body that is not read as a whole";
    assert_eq!(found, error(400, "invalid_parameter", message));
    let headers = [
        ("content-type", "application/octet-stream"),
        ("idempotency-key", "k"),
    ];
    let found = send(&server, "POST", "/bytes", &headers, "x").await;
    assert_eq!(found, "200 1", "the operation does not declare the header");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn slow_part_of_a_body_ends_it() {
    let server = start(Duration::from_millis(50));
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    let head = "POST /bytes HTTP/1.1\r\nhost: files\r\ncontent-type: application/octet-stream\r\n\
        content-length: 9\r\nconnection: close\r\n\r\nabc";
    client.write_all(head.as_bytes()).await.unwrap();
    let mut response = String::new();
    client.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
    assert!(response.contains("request_timeout"), "{response}");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn errors_of_dropshot_keep_what_is_meant_for_the_client() {
    let server = start(LONG);
    let not_implemented = error(
        501,
        "not_implemented",
        "this operation is not implemented yet",
    );
    let found = send(&server, "GET", "/later", &[], "").await;
    assert_eq!(found, not_implemented, "not in the trait");
    let found = send(&server, "GET", "/error/501", &[], "").await;
    assert_eq!(found, not_implemented, "from the handler");
    let found = send(&server, "GET", "/error/404", &[], "").await;
    assert_eq!(found, error(404, "not_found", "the message"));
    let found = send(&server, "GET", "/error/418", &[], "").await;
    assert_eq!(found, error(418, "request_refused", "the message"));
    for status in [500, 503] {
        let found = send(&server, "GET", &format!("/error/{status}"), &[], "").await;
        assert!(found.starts_with(&format!("{status} ")), "{found}");
        assert!(!found.contains("the message"), "{found}");
    }
    let found = send(&server, "TRACE", "/later", &[], "").await;
    assert_eq!(found, "200 ", "TRACE");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn websocket_passes_the_gate_and_ends_before_the_server_stops() {
    let server = start(LONG);
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    let request = "GET /socket HTTP/1.1\r\nhost: files\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    client.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    client.write_all(b"ping").await.unwrap();
    let mut echo = [0; 4];
    client.read_exact(&mut echo).await.unwrap();
    assert_eq!(&echo, b"ping");

    let refused = send(&server, "GET", "/socket", &[], "").await;
    assert_eq!(
        refused,
        error(400, "malformed_request", "expected connection upgrade")
    );

    let mut stop = pin!(server.stop());
    let mut goodbye = [0; 4];
    tokio::select! {
        stopped = &mut stop => panic!("the stop did not wait for the WebSocket: {stopped:?}"),
        read = client.read_exact(&mut goodbye) => read.unwrap(),
    };
    assert_eq!(goodbye, GOING_AWAY);
    client.write_all(b"done").await.unwrap();
    stop.await.unwrap();
}
