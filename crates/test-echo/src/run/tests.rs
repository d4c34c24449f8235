//! An interface and a client by hand: right ones have no failures, and each wrong one is found.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use dropshot::{HttpError, HttpResponseOk, RequestContext};
use dropspec_runtime::security::Permit;
use dropspec_runtime::{
    DecodedRequest, DispatchError, Document, ErrorCodeInfo, Method, OperationInfo, PlanInfo,
    SchemeUse, SecurityScheme, SecuritySchemeInfo, to_response,
};
use http::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use test_network::{Server, response};

use super::*;
use crate::{Arrived, Called, Calling, Content, Variant, VariantKind};

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    Document::from_json(
        r#"{ "components": { "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "x-key" } } },
        "paths": { "/books/{isbn}": { "get": {
            "security": [{ "key": [] }],
            "parameters": [
                { "name": "isbn", "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } },
                { "name": "size", "in": "query", "schema": { "type": "integer", "minimum": 1, "maximum": 9 } }
            ],
            "responses": { "200": { "description": "A book.", "content": { "application/json": { "schema": {
                "type": "object", "required": ["pages"], "properties": { "pages": { "type": "integer" } }
            } } } } }
        } } } }"#,
    )
});

static SCHEMES: [SecuritySchemeInfo; 1] = [SecuritySchemeInfo {
    name: "key",
    kind: SecurityScheme::Header("x-key"),
}];

static OPERATIONS: [OperationInfo; 1] = [OperationInfo {
    security: &[&[SchemeUse::new(0, &[])]],
    ..OPEN_OPERATIONS[0]
}];

/// The operation without the security of the document.
static OPEN_OPERATIONS: [OperationInfo; 1] =
    [OperationInfo::new("getBook", Method::Get, "/books/{isbn}")];

/// What is wrong with an interface.
const NOTHING: u8 = 0;
const ADDS_PAGE: u8 = 1;
const FORGETS_SIZE: u8 = 2;
const LETS_ALL_IN: u8 = 3;

#[derive(Deserialize)]
struct IsbnPath {
    isbn: String,
}

#[derive(Deserialize)]
struct SizeQuery {
    size: Option<i64>,
}

#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct Book {
    pages: i64,
}

/// Records and answers as generated code does, with a fault.
struct Shelf<const FAULT: u8>;

impl<const FAULT: u8> Interface for Shelf<FAULT> {
    type Context = Arc<Echo>;

    fn operations() -> &'static [OperationInfo] {
        match FAULT {
            LETS_ALL_IN => &OPEN_OPERATIONS,
            _ => &OPERATIONS,
        }
    }

    fn security_schemes() -> &'static [SecuritySchemeInfo] {
        &SCHEMES
    }

    fn document() -> &'static Document {
        &DOCUMENT
    }

    fn document_source() -> &'static str {
        ""
    }

    fn plans() -> &'static [PlanInfo] {
        &[]
    }

    fn error_codes() -> &'static [ErrorCodeInfo] {
        &[]
    }

    async fn dispatch(
        _: Permit<Self>,
        rqctx: RequestContext<Arc<Echo>>,
        request: DecodedRequest,
    ) -> Result<Response<dropshot::Body>, DispatchError> {
        let (path, query): (IsbnPath, SizeQuery) = (request.path()?, request.query()?);
        let mut arrived = Arrived::default();
        arrived.parameter("path", "isbn", &path.isbn);
        if FAULT != FORGETS_SIZE {
            arrived.parameter("query", "size", &query.size);
        }
        let result: Result<_, HttpError> = rqctx.context().answer(arrived, |answer| {
            let mut book: Book = answer.body.json()?;
            book.pages = book.pages.wrapping_add(i64::from(FAULT == ADDS_PAGE));
            Ok(Ok(HttpResponseOk(book)))
        });
        to_response(result)
    }
}

/// The URL of the server, and a key.
type Client = (String, Option<&'static str>);

fn call<'a>(client: &'a Client, given: &'a Given) -> Calling<'a> {
    Box::pin(async move { send(client, given, given.parameter("query", "size")?).await })
}

fn call_without_size<'a>(client: &'a Client, given: &'a Given) -> Calling<'a> {
    Box::pin(send(client, given, None))
}

async fn send(
    (base_url, key): &Client,
    given: &Given,
    size: Option<i64>,
) -> Result<Called, String> {
    let isbn: String = given.parameter("path", "isbn")?.unwrap_or_default();
    let parameters = BTreeMap::from([("isbn", Value::from(isbn))]);
    let isbn = dropspec_client::Parameter::path("isbn");
    let parts = dropspec_client::encode_parameters("/books/{isbn}", [(&isbn, &parameters["isbn"])]);
    let path = parts.map_err(|error| format!("{REFUSED}{error}"))?.path;
    let query = size.map(|size| format!("?size={size}")).unwrap_or_default();
    let request = reqwest::Client::new().get(format!("{base_url}{path}{query}"));
    let request = match key {
        Some(key) => request.header("x-key", *key),
        None => request,
    };
    let response = request.send().await.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let bytes = response.bytes().await.map_err(|error| error.to_string())?;
    let value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    Ok(Called {
        status,
        is_error: false,
        body: Body::Value(value),
    })
}

fn report<I: Interface<Context = Arc<Echo>>>(
    call: for<'a> fn(&'a Client, &'a Given) -> Calling<'a>,
    mock: Option<&str>,
) -> Report {
    let operations = [Operation {
        method: "GET",
        path: "/books/{isbn}",
        variants: &[Variant {
            kind: VariantKind::One,
            is_error: false,
            status: Some(200),
            media_type: Some("application/json"),
            content: Content::Json,
        }],
        call,
    }];
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let calls = call_all::<I, Client>(
        &operations,
        |url| (url.to_owned(), Some("sample")),
        |url| (url.to_owned(), None),
        mock,
    );
    runtime.unwrap().block_on(calls).unwrap()
}

#[test]
fn right_interface_and_client_have_no_failures() {
    let report = report::<Shelf<NOTHING>>(call, None);
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(report.called, 1);
    assert_eq!((report.responses, report.covered), (1, 1));
    assert!(
        report.refused >= 3,
        "sizes 0 and 10, and a text: {}",
        report.refused
    );
    assert_eq!(report.denied, 1);
}

#[test]
fn each_wrong_interface_and_client_has_its_failure() {
    for (report, expected, denied) in [
        (
            report::<Shelf<FORGETS_SIZE>>(call, None),
            "the query parameter `size` reaches no argument of the method",
            1,
        ),
        (
            report::<Shelf<LETS_ALL_IN>>(call, None),
            "a call without credentials gets",
            0,
        ),
        (
            report::<Shelf<NOTHING>>(call_without_size, None),
            "the query parameter `size` was sent as",
            1,
        ),
        (
            report::<Shelf<ADDS_PAGE>>(call, None),
            "the server sends/pages",
            1,
        ),
    ] {
        let reason = &report.failures[0].reason;
        assert!(reason.starts_with(expected), "{reason}");
        assert_eq!(report.denied, denied, "{expected}");
    }
}

/// Answers each connection with a book, and returns the URL.
fn mock(pages: &'static str) -> String {
    let body = format!("{{\"pages\":{pages}}}");
    let answer = response("200 OK\r\ncontent-type: application/json", body);
    Server::start(move |_| answer.clone()).url()
}

#[test]
fn mock_that_gives_each_response_has_no_failures() {
    let report = report::<Shelf<NOTHING>>(call, Some(&mock("7")));
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(report.mocked, 1);
}

#[test]
fn answer_of_a_mock_that_is_not_as_declared_is_found() {
    let report = report::<Shelf<NOTHING>>(call, Some(&mock("\"many\"")));
    let reason = &report.failures[0].reason;
    assert!(
        reason.starts_with("the mock: the response is not as declared"),
        "{reason}"
    );
    assert_eq!(report.mocked, 0);
}
