//! `mock`: a document is served without code.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use reqwest::Method;
use reqwest::blocking::{Client, Response};
use serde_json::{Value, json};

use crate::checkout::Checkout;

mod answers;
mod records;

const BOOKS: &str = "openapi: 3.1.0
info: {title: Books, version: 1.0.0}
security: [{key: []}]
paths:
  /shops/{shopId}/books:
    parameters: [{name: shopId, in: path, required: true, schema: {type: string}}]
    get:
      operationId: listBooks
      parameters:
      - {name: limit, in: query, schema: {type: integer}}
      - {name: after, in: query, schema: {type: integer}}
      - {name: title, in: query, schema: {type: string}}
      - {name: pages, in: query, schema: {type: integer}}
      responses:
        '200':
          description: A page.
          content:
            application/json:
              schema:
                type: object
                required: [books, total, more]
                properties:
                  books: {type: array, items: {$ref: '#/components/schemas/Book'}}
                  total: {type: integer}
                  more: {type: boolean}
                  next: {type: string}
    post:
      operationId: addBook
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
      responses:
        '201': {description: Added., content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
        default: {$ref: '#/components/responses/Refused'}
  /shops/{shopId}/books/{bookId}:
    parameters:
    - {name: shopId, in: path, required: true, schema: {type: string}}
    - {name: bookId, in: path, required: true, schema: {type: integer}}
    get:
      operationId: getBook
      responses:
        '200':
          description: A book.
          headers: {ETag: {required: true, schema: {type: string}}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Book'}
              examples:
                wrong: {value: {title: 1}}
                old: {value: {id: 7, title: Emma, pages: 1}}
                new: {value: {id: 8, title: Ulysses}}
            text/plain: {schema: {type: string}, example: Emma}
        '404': {$ref: '#/components/responses/Refused'}
    put:
      operationId: replaceBook
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
      responses: {'200': {description: Replaced., content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}}
    patch:
      operationId: changeBook
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {'200': {description: Changed., content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}}
    delete:
      operationId: removeBook
      responses: {'204': {description: Removed.}}
  /events:
    get:
      operationId: listen
      security: []
      responses:
        '200': {description: Events., content: {text/event-stream: {itemSchema: {type: object, properties: {data: {type: string, examples: [tick]}}}}}}
  /channel:
    get:
      operationId: openChannel
      security: []
      x-dropshot-websocket: {}
      responses: {default: {description: Anything., content: {'*/*': {schema: {type: string, example: said}}}}}
  /covers:
    post:
      operationId: addCover
      security: []
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              oneOf:
              - {required: [page], properties: {page: {type: integer, minimum: 5}, cover: {type: string, format: binary}}}
              - {required: [page], properties: {page: {type: integer, maximum: 2}, sizes: {type: [array, 'null'], items: {type: integer}}}}
      responses: {'204': {description: Added.}}
  /people/{name}:
    get:
      operationId: getPerson
      responses: {'200': {description: Somebody., content: {application/json: {schema: {type: object}}}}}
components:
  securitySchemes: {key: {type: http, scheme: bearer}}
  schemas:
    Book:
      type: object
      required: [title]
      additionalProperties: false
      properties:
        id: {type: integer, readOnly: true}
        title: {type: string, maxLength: 20, examples: [Persuasion]}
        pages: {type: [integer, 'null'], minimum: 1}
        note: {type: string, writeOnly: true}
  responses:
    Refused:
      description: Refused.
      content:
        application/problem+json:
          schema: {type: object, required: [title], properties: {title: {type: string}, detail: {type: string}}}
";

/// A mock that runs until it is dropped.
struct Mock {
    process: Child,
    url: String,
    /// What it printed before its address.
    notes: Vec<String>,
}

impl Mock {
    fn start(document: &str, arguments: &[&str]) -> Mock {
        let checkout = Checkout::empty();
        checkout.write("api.yaml", document);
        let file = checkout.path("api.yaml");
        let mut process = Command::new(env!("CARGO_BIN_EXE_dropspec"))
            .args(["mock", file.to_str().unwrap(), "--listen", "localhost:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut notes: Vec<String> = Vec::new();
        let url = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, url)) = line.split_once(" operations at ") {
                break url.to_owned();
            }
            notes.push(line);
        };
        Mock {
            process,
            url,
            notes,
        }
    }

    fn send(&self, method: Method, path: &str, body: &Value, headers: &[(&str, &str)]) -> Response {
        let request = Client::new().request(method, format!("{}{path}", self.url));
        let request = request.bearer_auth("anything");
        let request = headers
            .iter()
            .fold(request, |it, (name, value)| it.header(*name, *value));
        let request = match body {
            Value::Null => request,
            body => request.json(body),
        };
        request.send().unwrap()
    }

    fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
        read(self.send(Method::GET, path, &Value::Null, headers))
    }

    fn call(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        read(self.send(method, path, &body, &[]))
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The status, and the body as JSON or as text.
fn read(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().unwrap();
    (
        status,
        serde_json::from_str(&text).unwrap_or(Value::from(text)),
    )
}

#[test]
fn answers_are_the_examples_that_fit_or_samples_with_those_of_their_parts() {
    let mock = Mock::start(BOOKS, &[]);
    let emma = json!({"id": 7, "title": "Emma", "pages": 1});
    assert_eq!(
        mock.get("/shops/a/books/7", &[]),
        (200, emma),
        "the first fits no schema"
    );
    let (status, list) = mock.get("/shops/a/books", &[]);
    assert_eq!(
        (status, &list["books"][0]["title"]),
        (200, &json!("Persuasion"))
    );
    assert_eq!(
        mock.call(Method::DELETE, "/shops/a/books/7", Value::Null),
        (204, json!(""))
    );
    let events = mock.get("/events", &[]);
    assert_eq!(events, (200, json!("data: tick\n\n")));
}

#[test]
fn request_chooses_status_example_and_media_type() {
    let mock = Mock::start(BOOKS, &[]);
    let path = "/shops/a/books/7";
    let ulysses = json!({"id": 8, "title": "Ulysses"});
    assert_eq!(mock.get(path, &[("prefer", "example=new")]), (200, ulysses));
    let (status, problem) = mock.get(path, &[("prefer", "code=404")]);
    assert!(status == 404 && problem["title"].is_string(), "{problem}");
    assert_eq!(
        mock.get(path, &[("accept", "text/plain, */*;q=0.1")]),
        (200, json!("Emma"))
    );
    let excluded = [("accept", "application/json;q=0, */*")];
    assert_eq!(mock.get(path, &excluded), (200, json!("Emma")));
    let (status, problem) = mock.call(Method::POST, "/shops/a/books", json!({"title": "A"}));
    assert_eq!(
        (status, problem["title"].as_str()),
        (201, Some("Persuasion"))
    );
    for (prefer, expected) in [
        (
            "code=402",
            "header \"Prefer\" has the code 402, which the operation does not declare; it declares 200, 404",
        ),
        (
            "example=x",
            "header \"Prefer\" names an example that the response 200 OK does not have; it has wrong, old, new",
        ),
    ] {
        let (status, problem) = mock.get(path, &[("prefer", prefer)]);
        assert_eq!((status, problem["detail"].as_str()), (400, Some(expected)));
    }
}

#[test]
fn media_type_of_a_range_is_the_one_that_the_request_accepts() {
    let mock = Mock::start(BOOKS, &[]);
    for (accept, expected, body) in [
        ("application/pdf", "application/pdf", "said"),
        ("text/*", "application/json", "\"said\""),
        ("*/*;q=0.5, text/plain", "text/plain", "said"),
        (
            "*/*, application/json;q=0, text/html;q=0.9",
            "text/html",
            "said",
        ),
    ] {
        let headers = [("prefer", "code=200"), ("accept", accept)];
        let response = mock.send(Method::GET, "/channel", &Value::Null, &headers);
        assert_eq!(response.headers()["content-type"], expected, "{accept}");
        assert_eq!(response.text().unwrap(), body);
    }
}

#[test]
fn websocket_opens_and_is_closed() {
    let mock = Mock::start(BOOKS, &[]);
    let address = mock.url.trim_start_matches("http://").trim_end_matches('/');
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET /channel HTTP/1.1\r\nhost: {address}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    connection.write_all(request.as_bytes()).unwrap();
    let mut got = Vec::new();
    connection.read_to_end(&mut got).unwrap();
    let text = String::from_utf8_lossy(&got);
    assert!(text.starts_with("HTTP/1.1 101"), "{text}");
    assert!(got.ends_with(&[0x88, 2, 0x03, 0xe8]), "{text}");
}

#[test]
fn request_that_the_document_does_not_allow_is_refused_in_its_format() {
    let mock = Mock::start(BOOKS, &[]);
    let (status, problem) = mock.call(Method::POST, "/shops/a/books", json!({"title": 1}));
    assert_eq!(
        (status, &problem["title"]),
        (422, &json!("Unprocessable Entity"))
    );
    assert_eq!(
        problem["errors"],
        json!([{"pointer": "#/title", "detail": "must be a string"}])
    );
    assert_eq!(mock.get("/shops/a/books/x", &[]).0, 400);
    assert_eq!(mock.get("/nothing", &[]).0, 404);
    let anonymous = reqwest::blocking::get(format!("{}/shops/a/books", mock.url)).unwrap();
    assert_eq!(anonymous.status(), 401);
    let page = reqwest::blocking::get(format!("{}/docs", mock.url)).unwrap();
    assert_eq!(page.status(), 200);
}

#[test]
fn parts_of_a_form_fit_one_of_the_members_of_its_union() {
    let mock = Mock::start(BOOKS, &[]);
    let send = |parts: &[(&str, &str)]| {
        let part = |(name, text): &(&str, &str)| {
            format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
        };
        let body = parts.iter().map(part).collect::<String>() + "--X--\r\n";
        let request = Client::new().post(format!("{}/covers", mock.url));
        let request = request.header("content-type", "multipart/form-data; boundary=X");
        read(request.body(body).send().unwrap())
    };
    for parts in [
        &[("page", "7"), ("cover", "any text")][..],
        &[("page", "1"), ("sizes", "3"), ("sizes", "4")],
    ] {
        assert_eq!(send(parts), (204, json!("")), "{parts:?}");
    }
    for (parts, pointer) in [
        (&[("page", "3")][..], "#/page"),
        (&[("page", "x")], "#/page"),
        (&[("page", "7"), ("page", "7")], "#/page"),
        (&[("page", "1"), ("sizes", "x")], "#/sizes"),
    ] {
        let (status, problem) = send(parts);
        let found = &problem["errors"][0]["pointer"];
        assert_eq!((status, found), (422, &json!(pointer)), "{parts:?}");
    }
}

#[test]
fn what_was_created_is_read_listed_replaced_changed_and_deleted() {
    let mock = Mock::start(BOOKS, &["--stateful", "--base-path", "/v1"]);
    assert_eq!(
        mock.notes,
        [
            "kept: /shops/{shopId}/books by `id` in /shops/{shopId}/books/{bookId}",
            "not kept: /people/{name}: no operation creates them",
            "not kept: /covers: no path of one record is below it, so that it answers with the sample",
        ]
    );
    let books = "/shops/a/books";
    let add = |title: &str| mock.send(Method::POST, books, &json!({"title": title}), &[]);
    let added = add("Emma");
    assert_eq!(added.headers()["location"], "/v1/shops/a/books/1");
    let first = json!({"id": 1, "title": "Emma"});
    assert_eq!(read(added), (201, first.clone()));
    let second = json!({"id": 2, "title": "Ulysses"});
    assert_eq!(read(add("Ulysses")), (201, second.clone()));
    let page =
        |books: Value, total: u8| (200, json!({"books": books, "total": total, "more": false}));
    let first_page = json!({"books": [first], "total": 2, "more": true, "next": "1"});
    assert_eq!(mock.get(books, &[]), page(json!([first, second]), 2));
    assert_eq!(mock.get("/shops/a/books?limit=1", &[]), (200, first_page));
    assert_eq!(
        mock.get("/shops/a/books?limit=1&after=1", &[]),
        page(json!([second]), 2)
    );
    assert_eq!(
        mock.get("/shops/a/books?title=Ulysses", &[]),
        page(json!([second]), 1)
    );
    assert_eq!(mock.get("/shops/b/books", &[]), page(json!([]), 0));
    let unknown_pages = mock.get("/shops/a/books?pages=3", &[]);
    assert_eq!(unknown_pages, page(json!([]), 0));

    let book = "/shops/a/books/1";
    let replaced = json!({"id": 1, "title": "Persuasion", "pages": 3});
    let body = json!({"title": "Persuasion", "pages": 3, "note": "mine"});
    assert_eq!(mock.call(Method::PUT, book, body), (200, replaced.clone()));
    assert_eq!(mock.get(book, &[]), (200, replaced));
    let unknown = json!({"id": 1, "title": "Persuasion", "pages": null});
    let body = json!({"title": "Persuasion", "pages": null});
    assert_eq!(mock.call(Method::PUT, book, body), (200, unknown));
    let changed = json!({"id": 1, "title": "Persuasion", "pages": 4});
    assert_eq!(
        mock.call(Method::PATCH, book, json!({"pages": 4})),
        (200, changed)
    );
    // The schema of the change allows it, and that of a book does not.
    let (status, problem) = mock.call(Method::PATCH, book, json!({"pages": 0}));
    assert_eq!(
        (status, &problem["detail"]),
        (
            422,
            &json!("the property `pages` would make the record invalid")
        )
    );
    let changed = json!({"id": 1, "title": "Persuasion"});
    assert_eq!(
        mock.call(Method::PATCH, book, json!({"pages": null})),
        (200, changed)
    );
    assert_eq!(mock.call(Method::DELETE, book, Value::Null).0, 204);
    for (method, body) in [
        (Method::GET, Value::Null),
        (Method::DELETE, Value::Null),
        (Method::PUT, json!({"title": "A"})),
    ] {
        let (status, problem) = mock.call(method, book, body);
        assert_eq!(
            (status, &problem["detail"]),
            (404, &json!("there is no `1`"))
        );
    }
    let (status, problem) = mock.get("/shops/a/books/2", &[("prefer", "code=404")]);
    assert_eq!(status, 404, "{problem}");
}

#[test]
fn pages_of_other_sites_may_call_and_bodies_may_be_large() {
    let mock = Mock::start(BOOKS, &[]);
    let origin = ("origin", "https://shop.example");
    let preflight = mock.send(
        Method::OPTIONS,
        "/shops/a/books/7",
        &Value::Null,
        &[origin, ("access-control-request-method", "PATCH")],
    );
    assert_eq!(preflight.status(), 204);
    let large = "a".repeat(1 << 20);
    let sent = mock.send(
        Method::PATCH,
        "/shops/a/books/7",
        &json!({"note": large}),
        &[origin],
    );
    assert_eq!(sent.status(), 200);
    for response in [preflight, sent] {
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
    }
}

#[test]
fn answers_that_cannot_be_made_are_found() {
    let checkout = Checkout::empty();
    let check = |document: &str| {
        checkout.write("api.yaml", document);
        let file = checkout.path("api.yaml");
        let output = Command::new(env!("CARGO_BIN_EXE_dropspec"))
            .args(["mock", file.to_str().unwrap(), "--check"])
            .output()
            .unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(check(BOOKS), (0, String::new()));
    let impossible = BOOKS
        .replace(
            "{type: integer, readOnly: true}",
            "{type: integer, minimum: 2, maximum: 1}",
        )
        .replace(
            "required: [title]\n      additional",
            "required: [title, id]\n      additional",
        );
    let (code, errors) = check(&impossible);
    let expected = "no value was found for the response 201 of addBook, as application/json: give it an example";
    assert!(code == 1 && errors.contains(expected), "{code}: {errors}");
    let refused = "openapi: 3.0.3
info: {title: A, version: 1.0.0}
paths: {/a: {get: {operationId: getA, responses: {'200': {description: A, content: {application/json: {schema: {type: strin}}}}}}}, '/b?c': {get: {operationId: getB, responses: {}}}, '/files/{*}': {get: {responses: {}}}}
";
    let (code, errors) = check(refused);
    assert_eq!(code, 2, "{errors}");
    for expected in [
        "so `getA` is answered with 501",
        "so `getB` is not served, as if it were not declared",
        "so `GET /files/{*}` is not served, as if it were not declared",
        " repair /",
        "no operation can be served",
    ] {
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
}
