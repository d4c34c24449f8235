//! The stock through the generated client.

use petstore_client::types::{InventoryUpdate, NewPet, PetStatus};
use test_support::{TestApp, refusal};

#[tokio::test]
async fn stock_and_status_go_together() {
    use PetStatus::{Available, Pending, Sold};
    let app = TestApp::start().await;
    let pet = app.pet("Mittens").await;
    app.stock(pet, 0).await;
    assert_eq!(app.stock_of(pet).await, (0, Sold), "nothing left, no order");
    app.stock(pet, 12).await;
    assert_eq!(app.stock_of(pet).await, (12, Available), "restocked");

    let order = app.order(pet, 2).await;
    app.stock(pet, 0).await;
    assert_eq!(app.stock_of(pet).await, (0, Pending), "an order is open");
    app.stock(pet, 3).await;
    assert_eq!(app.stock_of(pet).await, (3, Available), "restocked");
    app.complete(order).await;
    assert_eq!(app.stock_of(pet).await, (3, Available), "stock is left");

    let body = NewPet::builder().name("Mittens").category_id(1);
    let body = body.status(Pending);
    let replace = app.client.replace_pet().pet_id(pet).body(body);
    replace.send().await.unwrap();
    app.stock(pet, 4).await;
    let reason = "taken off the shelf by hand, it stays off";
    assert_eq!(app.stock_of(pet).await, (4, Pending), "{reason}");
}

#[tokio::test]
async fn the_stock_has_bounds_but_a_return_may_pass_them() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 1_000_000).await;
    for units in [-1, 1_000_001] {
        let body = InventoryUpdate::builder().quantity(units);
        let set = app.client.set_inventory().pet_id(pet).body(body);
        assert_eq!(refusal(set.send().await), "422 validation_failed");
    }
    let order = app.order(pet, 5).await;
    app.stock(pet, 1_000_000).await;
    let cancel = app.client.cancel_order().order_id(order);
    cancel.send().await.unwrap();
    let seen = app.stock_of(pet).await;
    assert_eq!(seen, (1_000_005, PetStatus::Available));
}

#[tokio::test]
async fn a_pet_that_does_not_exist_has_no_stock() {
    let app = TestApp::start().await;
    let get = app.client.get_inventory().pet_id(7).send().await;
    assert_eq!(refusal(get), "404 pet_not_found");
    let body = InventoryUpdate::builder().quantity(1);
    let set = app.client.set_inventory().pet_id(7).body(body).send().await;
    assert_eq!(refusal(set), "404 pet_not_found");
}
