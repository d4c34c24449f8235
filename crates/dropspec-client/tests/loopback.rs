//! Calls over a connection: what a server receives, and what the caller gets for each response.
#![allow(clippy::unwrap_used)]

use std::convert::Infallible;
use std::net::TcpListener;

use dropspec_client::{
    Call, Credentials, DeclaredResponse, Error, File, Operation, Outgoing, Parameter,
    ResponseValue, SecurityScheme, Status, Style, Transport, bytes, empty, file_part, json_body,
    json_part, multipart_body, same_origin_redirects, stream, text_part,
};
use futures::TryStreamExt;
use serde_json::json;
use test_network::Server;

#[derive(Clone)]
struct Client {
    base_url: String,
    http: reqwest::Client,
    credentials: Credentials,
}

impl Transport for Client {
    const VERSION: &'static str = "1.2.0";
    const CREDENTIAL_METHODS: &'static [&'static str] = &["with_key", "with_k"];

    fn base_url(&self) -> &str {
        &self.base_url
    }

    fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    fn retries(&self) -> bool {
        true
    }

    async fn execute(
        &self,
        request: reqwest::Request,
        _: &Outgoing,
    ) -> Result<reqwest::Response, Error> {
        Ok(self.http.execute(request).await?)
    }
}

impl Client {
    fn set_key(&mut self) {
        let scheme = SecurityScheme::Header("X-Key");
        self.credentials.set(0, scheme, "secret");
    }
}

/// Starts a server that gives these responses to one request each.
fn serve(responses: &[&str]) -> (Client, Server) {
    let server = Server::start_all(responses.iter().map(|text| text.as_bytes().to_vec()));
    let client = connect(server.url());
    (client, server)
}

fn connect(url: String) -> Client {
    Client {
        base_url: url + "/v1/",
        http: reqwest::Client::builder()
            .redirect(same_origin_redirects())
            .build()
            .unwrap(),
        credentials: Credentials::default(),
    }
}

/// The only request that came.
fn request(server: &Server) -> String {
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    requests[0].text()
}

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";

fn response(status: &str, media_type: &str, body: &str) -> String {
    let head = format!("{status}\r\ncontent-type: {media_type}");
    String::from_utf8(test_network::response(&head, body)).unwrap()
}

fn ok<T>(value: T) -> Result<T, Infallible> {
    Ok(value)
}

static PUT: Operation = Operation {
    id: "put_book",
    method: "PUT",
    path: "/books/{isbn}",
    parameters: &[
        Parameter::path("isbn"),
        Parameter::query("filter").style(Style::DeepObject, true),
        Parameter::header("X-Trace"),
        Parameter::cookie("theme"),
    ],
    body_required: true,
    success: &[DeclaredResponse::json(
        Status::Exact(200),
        "application/json",
    )],
    errors: &[DeclaredResponse::text(Status::Class(4), "text/plain")],
    security: &[&[0, 1]],
    ..Operation::EMPTY
};

fn put(client: &Client) -> Call<'_, Client> {
    let mut call = Call::new(client, &PUT);
    call.set(0, ok("a/b"));
    call.set_body(json_body("application/json", ok(json!({"title": "Emma"}))));
    call
}

/// Sends a call whose success is a number.
async fn send(call: Call<'_, Client>) -> Result<ResponseValue<u8>, Error<String>> {
    call.send(dropspec_client::json, dropspec_client::text)
        .await
}

#[tokio::test]
async fn parameter_takes_the_place_of_the_clients_version() {
    static PLAIN: Operation = Operation {
        id: "plain",
        method: "GET",
        path: "/plain",
        ..Operation::EMPTY
    };
    static OWN: Operation = Operation {
        id: "own",
        method: "GET",
        path: "/own",
        parameters: &[Parameter::header("Api-Version")],
        ..Operation::EMPTY
    };
    let (client, server) = serve(&[NO_CONTENT; 3]);
    let mut with_value = Call::new(&client, &OWN);
    with_value.set(0, ok("2020"));
    for call in [
        Call::new(&client, &PLAIN),
        with_value,
        Call::new(&client, &OWN),
    ] {
        // The operation declares no response.
        let _ = send(call).await;
    }
    let versions = server.requests().into_iter().map(|request| {
        let lines = request.head.lines().map(str::to_ascii_lowercase);
        let versions =
            lines.filter_map(|line| Some(line.strip_prefix("api-version: ")?.to_owned()));
        versions.collect::<Vec<_>>()
    });
    let expected: [&[&str]; 3] = [&["1.2.0"], &["2020"], &[]];
    assert!(versions.eq(expected), "{expected:?}");
}

#[tokio::test]
async fn operation_that_requires_an_idempotency_key_gets_one() {
    static ADD: Operation = Operation {
        id: "add",
        method: "POST",
        path: "/things",
        parameters: &[Parameter::header("Idempotency-Key").required()],
        ..Operation::EMPTY
    };
    let (client, server) = serve(&["HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"]);
    // The operation declares no response.
    let _ = send(Call::new(&client, &ADD)).await;
    let request = request(&server);
    let mut lines = request.lines();
    let key = lines.find_map(|line| line.strip_prefix("idempotency-key: "));
    assert_eq!(key.map(str::len), Some(36), "{request}");
}

#[tokio::test]
async fn parameters_credentials_and_body_reach_the_server() {
    let (mut client, server) = serve(&[&response("200 OK", "application/json", "7")]);
    client.set_key();
    client.credentials.set(1, SecurityScheme::Query("k"), "a b");
    let mut call = put(&client);
    call.set(1, ok(json!({"a": 1})));
    call.set(2, ok([1, 2]));
    call.set(3, ok("dark"));
    let value = send(call).await.unwrap();
    assert_eq!((value.status().as_u16(), *value), (200, 7));
    let request = request(&server);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    assert_eq!(
        lines.next(),
        Some("PUT /v1/books/a%2Fb?filter[a]=1&k=a%20b HTTP/1.1")
    );
    let headers: Vec<&str> = lines.collect();
    for header in [
        "accept: application/json, text/plain",
        "api-version: 1.2.0",
        "content-type: application/json",
        "cookie: theme=dark",
        "x-key: secret",
        "x-trace: 1,2",
    ] {
        assert!(
            headers.contains(&header),
            "{header} is missing: {headers:?}"
        );
    }
    assert_eq!(body, r#"{"title":"Emma"}"#);
}

#[tokio::test]
async fn credentials_are_sent_in_place_of_parameters_of_the_same_name() {
    static GET: Operation = Operation {
        id: "get_books",
        method: "GET",
        path: "/books",
        parameters: &[
            Parameter::query("k").required(),
            Parameter::header("x-key"),
            Parameter::query("K"),
        ],
        success: &[DeclaredResponse::empty(Status::Exact(204))],
        security: &[&[0, 1]],
        ..Operation::EMPTY
    };
    let (mut client, server) = serve(&[NO_CONTENT]);
    client.set_key();
    client.credentials.set(1, SecurityScheme::Query("k"), "ab");
    let mut call = Call::new(&client, &GET);
    call.set(1, ok("public"));
    call.set(2, ok("other"));
    let sent = call.send::<(), String>(empty, dropspec_client::text).await;
    sent.unwrap();
    let request = request(&server);
    let line = request.lines().next();
    assert_eq!(line, Some("GET /v1/books?K=other&k=ab HTTP/1.1"));
    let keys = request.lines().filter(|line| line.starts_with("x-key"));
    assert_eq!(keys.collect::<Vec<_>>(), ["x-key: secret"]);
}

#[tokio::test]
async fn text_of_an_error_says_what_the_service_answered() {
    let with_id = |status: &str, media_type: &str, body: &str| {
        let response = response(status, media_type, body);
        let headers = "\r\nx-request-id: r7\r\nset-cookie: session=s3cret\r\n\r\n";
        response.replacen("\r\n\r\n", headers, 1)
    };
    let problem = r#"{"error_code": "no_book", "message": "There is no such book."}"#;
    let page = "<h1>Bad\ngateway</h1>".to_owned() + &"x".repeat(300);
    let invalid = "the response is not what is declared: invalid type: map, expected u8 at line 1 column 0: {}";
    for (status, media_type, body, expected) in [
        (
            "404 Not Found",
            "text/plain",
            problem,
            "404 no_book: There is no such book. (request r7)",
        ),
        (
            "500 Failed",
            "application/json",
            problem,
            "unexpected response 500 no_book: There is no such book. (request r7)",
        ),
        (
            "502 Bad Gateway",
            "text/html",
            &page,
            "unexpected response 502 Bad Gateway: <h1>Bad gateway</h1>",
        ),
        ("200 OK", "application/json", "{}", invalid),
    ] {
        let (client, server) = serve(&[&with_id(status, media_type, body)]);
        let error = send(put(&client)).await.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(expected), "{text}");
        assert!(text.len() < 300, "{text}");
        let debug = format!("{error:?}");
        assert!(debug.starts_with(&text), "{debug}");
        assert!(!debug.contains("s3cret"), "{debug}");
        if let Error::ErrorResponse(response) = error {
            assert_eq!(response.into_inner(), problem);
        }
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn request_without_what_is_required_is_not_sent() {
    let (mut client, _) = serve(&[]);
    let mut without_body = Call::new(&client, &PUT);
    without_body.set(0, ok("a"));
    let mut converted = put(&client);
    converted.set(0, u8::try_from(256));
    for (call, expected) in [
        (Call::new(&client, &PUT), "`isbn` is required"),
        (without_body, "the body is required"),
        (converted, "`isbn` cannot be converted to `u8`"),
    ] {
        match send(call).await.unwrap_err() {
            Error::InvalidRequest(text) => assert_eq!(text, expected),
            other => panic!("{other}"),
        }
    }
    client.set_key();
    let error = send(put(&client)).await.unwrap_err().to_string();
    assert!(error.ends_with("requires: set `with_k`"), "{error}");
}

#[tokio::test]
async fn bytes_are_streamed_and_errors_that_are_bytes_are_read() {
    static GET: Operation = Operation {
        id: "get_cover",
        method: "GET",
        path: "/cover",
        success: &[DeclaredResponse::bytes(Status::Class(2), "image/*")],
        errors: &[DeclaredResponse::bytes(Status::Default, "*/*")],
        ..Operation::EMPTY
    };
    let image = response("200 OK", "image/png", "pixels");
    let (client, server) = serve(&[&image, &response("500 Failed", "a/b", "why")]);
    let call = Call::new(&client, &GET);
    let value = call.send(stream, bytes).await.unwrap().into_inner();
    let chunks: Vec<bytes::Bytes> = value.into_inner().try_collect().await.unwrap();
    assert_eq!(chunks.concat(), b"pixels");
    let error = Call::new(&client, &GET).send(stream, bytes).await;
    let Err(Error::ErrorResponse(value)) = error else {
        panic!("an error of the document");
    };
    assert_eq!(&**value, b"why");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn parts_of_a_body_have_names_media_types_and_contents() {
    static POST: Operation = Operation {
        id: "post",
        method: "POST",
        path: "/",
        success: &[DeclaredResponse::empty(Status::Exact(204))],
        ..Operation::EMPTY
    };
    let (client, server) = serve(&[NO_CONTENT]);
    let parts = || {
        [
            text_part("count", &3),
            json_part("book", &json!({"title": "Emma"})),
        ]
    };
    let missing = multipart_body("multipart/form-data", &["file"], parts());
    assert_eq!(missing.unwrap_err(), "the part `file` is required");
    let file = File::from_bytes("a.png", "pixels").content_type("image/png");
    let plain = File::from_bytes("b.txt", "bytes");
    let parts = parts()
        .into_iter()
        .chain([file_part("file", file), file_part("plain", plain)]);
    let mut call = Call::new(&client, &POST);
    call.set_body(multipart_body("multipart/form-data", &["file"], parts));
    call.send(dropspec_client::empty, dropspec_client::empty)
        .await
        .unwrap();
    let request = request(&server).replace("\r\n", "\n");
    for text in [
        "content-type: multipart/form-data; boundary=",
        "Content-Disposition: form-data; name=\"count\"\r\n\r\n3\r\n",
        "Content-Disposition: form-data; name=\"book\"\r\nContent-Type: application/json\r\n\r\n{\"title\":\"Emma\"}\r\n",
        "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\npixels",
        "Content-Disposition: form-data; name=\"plain\"; filename=\"b.txt\"\r\nContent-Type: application/octet-stream\r\n\r\nbytes",
    ] {
        // A body that is sent in chunks has their lengths between its lines.
        let text = text.replace("\r\n", "\n");
        let found = text
            .split('\n')
            .filter(|line| !line.is_empty())
            .all(|line| request.contains(line));
        assert!(found, "{text:?} is missing:\n{request}");
    }
}

static GET_BOOK: Operation = Operation {
    id: "get_book",
    method: "GET",
    path: "/book",
    success: &[DeclaredResponse::empty(Status::Exact(204))],
    security: &[&[0]],
    ..Operation::EMPTY
};

#[tokio::test]
async fn credentials_follow_a_redirect_within_the_origin_only() {
    let redirect = |location: &str| {
        format!(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
    };
    let foreign = TcpListener::bind("127.0.0.1:0").unwrap();
    let elsewhere = redirect(&format!("http://{}/v1/book", foreign.local_addr().unwrap()));
    let (mut client, server) = serve(&[&redirect("/v2/book"), &elsewhere]);
    client.set_key();
    // A client that followed would wait for a response.
    foreign.set_nonblocking(true).unwrap();
    let call = Call::new(&client, &GET_BOOK).send(dropspec_client::empty, dropspec_client::empty);
    let stray = async {
        loop {
            match foreign.accept() {
                Ok(_) => break,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    let error = tokio::select! {
        result = call => result.unwrap_err(),
        () = stray => panic!("the client connects to a foreign host"),
    };
    let Error::UnexpectedResponse(response) = error else {
        panic!("{error}");
    };
    assert_eq!(response.status().as_u16(), 307);
    let requests = server.requests();
    let lines: Vec<_> = requests.iter().map(|request| request.line()).collect();
    assert_eq!(lines, ["GET /v1/book", "GET /v2/book"]);
    let keys = requests.iter().map(|request| request.header("x-key"));
    assert!(keys.eq([Some("secret"); 2]));
}

#[tokio::test]
async fn credentials_in_the_query_are_in_no_error() {
    let texts = async |mut client: Client| {
        client
            .credentials
            .set(0, SecurityScheme::Query("key"), "s3cret");
        let call = Call::new(&client, &GET_BOOK);
        let result = call
            .send(dropspec_client::empty, dropspec_client::empty)
            .await;
        let error = result.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(!text.contains("s3cret"), "{text}");
        text
    };
    let (client, server) = serve(&[&response("418 Teapot", "text/plain", "no")]);
    let url = format!("{}book", client.base_url);
    let text = texts(client).await;
    assert!(text.contains(&url) && text.contains("418"), "{text}");
    assert!(request(&server).starts_with("GET /v1/book?key=s3cret "));

    // Nobody listens any more.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = connect(format!("http://{}", listener.local_addr().unwrap()));
    drop(listener);
    let url = format!("{}book", client.base_url);
    let text = texts(client).await;
    assert!(text.contains(&url), "{text}");

    let (mut client, _) = serve(&[]);
    client.base_url = "nowhere".to_owned();
    let text = texts(client).await;
    assert!(text.contains(r#""nowhere/book" is no URL"#), "{text}");
}
