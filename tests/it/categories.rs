//! Categories through the generated client.

use petstore_client::types::NewCategory;
use test_support::{TestApp, error_code};

#[tokio::test]
async fn category_is_created_read_replaced_and_deleted() {
    let app = TestApp::start().await;
    let body = NewCategory::builder()
        .name("Cat")
        .description("Domestic".to_owned());
    let create = app.client.create_category().body(body);
    let created = create.send().await.unwrap();
    assert_eq!(created.status(), 201);
    let location = format!("/categories/{}", created.id);
    assert_eq!(created.headers()["location"], location);

    let get = || app.client.get_category().category_id(created.id).send();
    let read = get().await.unwrap();
    assert_eq!(
        (read.name.as_str(), read.description.as_deref()),
        ("Cat", Some("Domestic"))
    );

    let body = NewCategory::builder().name("CAT");
    let replace = app.client.replace_category().category_id(created.id);
    let replaced = replace.body(body).send().await.unwrap();
    assert_eq!(
        replaced.name, "CAT",
        "only the case of its own name differs"
    );
    assert_eq!(
        get().await.unwrap().description,
        None,
        "omitted, so removed"
    );

    let delete = || app.client.delete_category().category_id(created.id).send();
    assert_eq!(delete().await.unwrap().status(), 204);
    assert_eq!(error_code(get().await), "404 category_not_found");
    assert_eq!(error_code(delete().await), "404 category_not_found");
}

#[tokio::test]
async fn category_names_are_unique_without_regard_to_case() {
    let app = TestApp::start().await;
    let first = app.create_category("Straße").await;
    let second = app.create_category("Vögel").await;
    let create = |name: &str| {
        let body = NewCategory::builder().name(name);
        app.client.create_category().body(body).send()
    };
    assert_eq!(error_code(create("STRASSE").await), "409 category_exists");
    assert_eq!(error_code(create("VÖGEL").await), "409 category_exists");

    let body = NewCategory::builder().name("vögel");
    let rename = app.client.replace_category().category_id(first).body(body);
    assert_eq!(error_code(rename.send().await), "409 category_exists");

    let delete = app.client.delete_category().category_id(second);
    delete.send().await.unwrap();
    assert_eq!(
        create("vögel").await.unwrap().status(),
        201,
        "the name is free"
    );
}
