//! Pets through the generated client. The rules of status and stock are tested beside their functions.

use petstore_client::types::{NewPet, PetStatus};
use test_support::{TestApp, error_code};

#[tokio::test]
async fn pet_is_created_read_replaced_and_deleted() {
    let app = TestApp::start().await;
    let category = app.create_category("Cat").await;
    let body = NewPet::builder().name("Mittens").category_id(category);
    let created = app.client.create_pet().body(body).send().await.unwrap();
    assert_eq!(created.status(), 201);
    let location = format!("/pets/{}", created.id);
    assert_eq!(created.headers()["location"], location);
    assert!(!created.headers().contains_key("idempotency-replayed"));
    assert_eq!(created.name, "Mittens");
    assert_eq!(created.category_id, category);
    assert_eq!(created.status, Some(PetStatus::Available));
    assert_eq!(app.get_stock(created.id).await, (1, PetStatus::Available));

    let read = app.client.get_pet().pet_id(created.id).send().await;
    assert_eq!(read.unwrap().name, "Mittens");

    let other = app.create_category("Dog").await;
    let body = NewPet::builder().name("Rex").category_id(other);
    let replace = app.client.replace_pet().pet_id(created.id).body(body);
    let replaced = replace.send().await.unwrap();
    assert_eq!(
        (replaced.name.as_str(), replaced.category_id),
        ("Rex", other)
    );
    assert_eq!(
        replaced.status,
        Some(PetStatus::Available),
        "an omitted status stays"
    );

    let deleted = app.client.delete_pet().pet_id(created.id).send().await;
    assert_eq!(deleted.unwrap().status(), 204);
    let read = app.client.get_pet().pet_id(created.id).send().await;
    assert_eq!(error_code(read), "404 pet_not_found");
    let again = app.client.delete_pet().pet_id(created.id).send().await;
    assert_eq!(error_code(again), "404 pet_not_found");
}

#[tokio::test]
async fn pet_with_open_orders_cannot_be_sold_or_deleted() {
    use PetStatus::{Available, Pending, Sold};
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 5).await;
    let order = app.place_order(pet, 2).await;
    let replace = |status| {
        let body = NewPet::builder().name("Mittens").category_id(1);
        let replace = app.client.replace_pet().pet_id(pet);
        replace.body(body.status(status)).send()
    };
    let delete = || app.client.delete_pet().pet_id(pet).send();
    assert_eq!(error_code(replace(Sold).await), "409 pet_has_open_orders");
    assert_eq!(error_code(delete().await), "409 pet_has_open_orders");
    assert_eq!(app.get_stock(pet).await, (3, Available));

    assert_eq!(replace(Pending).await.unwrap().status, Some(Pending));
    assert_eq!(app.get_stock(pet).await, (3, Pending));
    app.complete_order(order).await;
    assert_eq!(replace(Sold).await.unwrap().status, Some(Sold));
    assert_eq!(app.get_stock(pet).await, (0, Sold));
    assert_eq!(delete().await.unwrap().status(), 204);
    let kept = app.client.get_order().order_id(order).send().await;
    assert_eq!(kept.unwrap().pet_id, Some(pet), "the order stays");
}
