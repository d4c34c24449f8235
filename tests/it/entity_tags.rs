//! Entity tags and conditional requests over HTTP (RFC 9110, sections 8.8.3 and 13).

use futures::future::join_all;
use http::{Method, Request};
use petstore_client::types::NewPet;
use petstore_client::{CallResultExt, ErrorCode, ErrorCodeExt, ResponseMetadata};
use test_support::{Response, TestApp, raw_http};

/// The paths of the records and lists that have entity tags.
const PATHS: [&str; 8] = [
    "/pets",
    "/pets/1",
    "/categories",
    "/categories/1",
    "/store/orders",
    "/store/orders/1",
    "/store/inventory",
    "/store/inventory/1",
];

/// A server with a category, a pet with stock and an order.
async fn start() -> TestApp {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 5).await;
    app.place_order(pet, 1).await;
    app
}

/// Sends a request with one more header.
async fn send(
    app: &TestApp,
    method: Method,
    target: &str,
    header: (&str, &str),
    body: &str,
) -> Response {
    let request = Request::builder()
        .method(method)
        .uri(target)
        .header("content-type", "application/json")
        .header(header.0, header.1);
    let body = raw_http::full_body(body.to_owned());
    app.send(request.body(body).unwrap()).await
}

async fn put(app: &TestApp, target: &str, if_match: &str, body: &str) -> Response {
    send(app, Method::PUT, target, ("if-match", if_match), body).await
}

/// The entity tag of a record or list.
async fn tag_of(app: &TestApp, target: &str) -> String {
    app.get(target).await.header("ETag").unwrap().to_owned()
}

fn renamed(name: &str) -> NewPet {
    NewPet {
        name: name.to_owned(),
        category_id: 1,
        status: None,
    }
}

#[tokio::test]
async fn unchanged_record_or_list_is_answered_with_304_and_the_headers_of_the_200() {
    let app = start().await;
    app.create_category("Dog").await;
    app.create_pet("Rex").await;
    app.place_order(1, 1).await;
    for path in PATHS {
        // A list of one record, so that it has a link to the next page.
        let target = format!("{path}?limit=1");
        let target = if path.ends_with('1') { path } else { &target };
        let full = app.get(target).await;
        let tag = full.header("ETag").unwrap();
        for method in [Method::GET, Method::HEAD] {
            let tags = format!("\"other\", W/{tag}");
            let unchanged = send(&app, method, target, ("if-none-match", &tags), "").await;
            assert_eq!((unchanged.status, unchanged.text()), (304, ""), "{target}");
            for name in ["ETag", "Link", "Cache-Control", "Vary", "Deprecation"] {
                assert_eq!(
                    unchanged.header(name),
                    full.header(name),
                    "{target}: {name}"
                );
            }
            assert_eq!(unchanged.header("Content-Type"), None, "{target}");
        }
        assert_eq!(
            full.header("Cache-Control"),
            Some("private, no-cache"),
            "{target}"
        );
        // A list with empty elements is valid; what is no tag equals none.
        for other in ["\"other\"", ",, \"other\"", "no tag"] {
            let header = ("if-none-match", other);
            let changed = send(&app, Method::GET, target, header, "").await;
            assert_eq!(
                (changed.status, &changed.body),
                (200, &full.body),
                "{target} {other}"
            );
        }
    }
}

#[tokio::test]
async fn write_with_an_old_tag_is_refused_and_changes_nothing() {
    let app = start().await;
    let writes = [
        (
            Method::PUT,
            "/pets/1",
            r#"{"name": "Rex", "categoryId": 1}"#,
        ),
        (Method::PUT, "/categories/1", r#"{"name": "Dog"}"#),
        (Method::PATCH, "/store/orders/1", r#"{"quantity": 2}"#),
        (Method::PUT, "/store/inventory/1", r#"{"quantity": 9}"#),
    ];
    for (method, target, body) in writes {
        let tag = tag_of(&app, target).await;
        let written = send(&app, method.clone(), target, ("if-match", &tag), body).await;
        assert_eq!(written.status, 200, "{target}");
        let new_tag = tag_of(&app, target).await;
        assert_ne!(new_tag, tag, "{target}");
        assert_eq!(written.header("ETag"), Some(new_tag.as_str()), "{target}");

        for refused in [method, Method::DELETE] {
            if (&refused, target) == (&Method::DELETE, "/store/inventory/1") {
                continue;
            }
            let refused = send(&app, refused, target, ("if-match", &tag), body).await;
            assert_eq!(refused.outcome(), "412 precondition_failed", "{target}");
        }
        assert_eq!(tag_of(&app, target).await, new_tag, "{target}");
    }
}

#[tokio::test]
async fn precondition_decides_after_the_record_is_found_and_before_the_rules() {
    let app = start().await;
    let body = r#"{"name": "Rex", "categoryId": 1}"#;
    let tag = tag_of(&app, "/pets/1").await;
    let sold = r#"{"name": "Rex", "categoryId": 1, "status": "sold"}"#;
    let several = format!("\"other\", {tag}");
    let weak = format!("W/{tag}");
    let cases = [
        ("/pets/9", "\"other\"", body, "404 pet_not_found"),
        ("/pets/1", "\"other\"", sold, "412 precondition_failed"),
        ("/pets/1", &tag, sold, "409 pet_has_open_orders"),
        ("/pets/1", &weak, body, "412 precondition_failed"),
        ("/pets/1", "other", body, "400 invalid_parameter"),
        ("/pets/1", "", body, "400 invalid_parameter"),
        ("/pets/1", "*", sold, "409 pet_has_open_orders"),
        ("/pets/1", &several, body, "200"),
        ("/pets/1", "*", body, "200"),
    ];
    for (target, if_match, body, expected) in cases {
        let response = put(&app, target, if_match, body).await;
        assert_eq!(response.outcome(), expected, "{target} {if_match} {body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_concurrent_writes_with_the_same_tag_exactly_one_wins() {
    let app = start().await;
    for round in 0..10 {
        let pet = app.client.get_pet().pet_id(1).send().await.unwrap();
        let writers = (0..8).map(|writer| {
            let (client, tag) = (app.client.clone(), pet.etag().unwrap().to_owned());
            let body = renamed(&format!("{round} by {writer}"));
            tokio::spawn(async move {
                let write = client.replace_pet().pet_id(1).if_match(tag).body(body);
                write.send().await
            })
        });
        let mut winners = Vec::new();
        for written in join_all(writers).await {
            match written.unwrap() {
                Ok(pet) => winners.push(pet.into_inner().name),
                Err(error) => assert_eq!(error.error_code(), Some(ErrorCode::PreconditionFailed)),
            }
        }
        let stored = app.client.get_pet().pet_id(1).send().await.unwrap();
        let tag = stored.etag().unwrap().to_owned();
        assert_eq!(winners, [stored.into_inner().name]);
        let read = app
            .client
            .get_pet()
            .pet_id(1)
            .if_none_match(tag)
            .send()
            .await;
        assert!(read.if_modified().unwrap().is_none(), "it did not change");
    }
}

#[tokio::test]
async fn tag_of_a_page_changes_when_another_page_follows() {
    let app = start().await;
    let first = tag_of(&app, "/pets?limit=1").await;
    assert_eq!(tag_of(&app, "/pets?limit=1").await, first);
    app.create_pet("Rex").await;
    assert_ne!(tag_of(&app, "/pets?limit=1").await, first);
}
