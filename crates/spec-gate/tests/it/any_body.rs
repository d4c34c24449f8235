//! The gate before operations with bodies that the handler reads, a WebSocket, and errors of dropshot.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use dropshot::{Body, ClientErrorStatusCode, HttpError, RequestContext, WebsocketUpgrade};
use futures::TryStreamExt;
use http::Response;
use spec_gate::clock::SystemClock;
use spec_gate::logging::LogSettings;
use spec_gate::{Gate, Server, Service, Settings, Setup};
use spec_runtime::{
    DecodedRequest, DispatchError, Document, ErrorCodeInfo, File, FromPart, Interface, Method,
    OperationInfo, Part, PlanInfo, Rejection, respond, to_response,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::tiny_service::Notes;

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
    operation("bytes", Method::Post, "/bytes"),
    operation("stream", Method::Put, "/stream"),
    operation("text", Method::Post, "/text"),
    operation("form", Method::Post, "/form"),
    operation("socket", Method::Get, "/socket"),
    OperationInfo {
        generated: false,
        ..operation("later", Method::Get, "/later")
    },
    operation("error", Method::Get, "/error/{status}"),
    operation("trace", Method::Trace, "/later"),
];

const fn operation(id: &'static str, method: Method, path: &'static str) -> OperationInfo {
    OperationInfo {
        public: true,
        ..OperationInfo::new(id, method, path)
    }
}

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
    type Ledger = Notes;
    type ErrorBody = Notes;
}

impl Interface for Files {
    type Context = Arc<Gate<Files>>;

    fn operations() -> &'static [OperationInfo] {
        &OPERATIONS
    }

    fn document() -> &'static Document {
        &DOCUMENT
    }

    fn document_source() -> &'static str {
        SOURCE
    }

    fn plans() -> &'static [PlanInfo] {
        &[]
    }

    fn error_codes() -> &'static [ErrorCodeInfo] {
        &[]
    }

    async fn dispatch(
        operation: usize,
        rqctx: RequestContext<Self::Context>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        match operation {
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
                let upgrade: WebsocketUpgrade = request.extract(&rqctx).await?;
                to_response(upgrade.handle(|connection| async move {
                    let mut connection = connection.into_inner();
                    let mut bytes = [0; 4];
                    connection.read_exact(&mut bytes).await?;
                    connection.write_all(&bytes).await?;
                    Ok(())
                }))
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
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let setup = Setup::new(Settings {
        listen: any,
        tls: None,
        admin_listen: any,
        limits: None,
        trusted_proxies: Vec::new(),
        body_timeout,
        max_raw_body: 300_000,
        clock: Arc::new(SystemClock),
        log: LogSettings::SILENT,
    });
    let notes = || Arc::new(Notes::default());
    setup.unwrap().start(Files, notes(), notes()).unwrap()
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
    format!("{status} {}", response.text().await.unwrap())
}

fn error(status: u16, code: &str, message: &str) -> String {
    let body = serde_json::json!({ "title": code, "detail": message });
    format!("{status} {body}")
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
    let chunked = reqwest::Body::wrap(http_body_util::StreamBody::new(futures::stream::iter(
        (0..3).map(|_| {
            Ok::<_, std::io::Error>(hyper::body::Frame::data(bytes::Bytes::from(vec![
                b'x';
                80_000
            ])))
        }),
    )));
    let found = send(&server, "POST", "/bytes", bytes, chunked).await;
    assert_eq!(found, large, "not declared");
    let found = send(&server, "PUT", "/stream", image, sent(300_000)).await;
    assert_eq!(found, "200 300000", "an argument of dropshot");
    let found = send(&server, "PUT", "/stream", image, sent(300_001)).await;
    assert!(found.starts_with("413 "), "{found}");
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
    assert_eq!(found, error(422, "validation_failed", "/file: is required"));
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
        "the service does not implement this operation",
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
async fn websocket_passes_the_gate() {
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
    server.stop().await.unwrap();
}
