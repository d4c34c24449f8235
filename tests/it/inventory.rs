//! The stock through the generated client.

use petstore_client::types::{InventoryUpdate, PetStatus};
use test_support::{TestApp, error_code};

#[tokio::test]
async fn stock_changes_the_status_of_a_pet() {
    use PetStatus::{Available, Pending, Sold};
    let app = TestApp::start().await;
    let pet = app.create_pet("Mittens").await;
    app.set_stock(pet, 0).await;
    assert_eq!(
        app.get_stock(pet).await,
        (0, Sold),
        "no units, no open order"
    );
    app.set_stock(pet, 12).await;
    assert_eq!(app.get_stock(pet).await, (12, Available), "restocked");

    app.place_order(pet, 2).await;
    app.set_stock(pet, 0).await;
    assert_eq!(
        app.get_stock(pet).await,
        (0, Pending),
        "no units, an open order"
    );
}

#[tokio::test]
async fn stock_is_at_most_1_000_000_except_by_cancelled_orders() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 1_000_000).await;
    for units in [-1, 1_000_001] {
        let body = InventoryUpdate::builder().quantity(units);
        let set = app.client.set_inventory().pet_id(pet).body(body);
        assert_eq!(error_code(set.send().await), "422 validation_failed");
    }
    let order = app.place_order(pet, 5).await;
    app.set_stock(pet, 1_000_000).await;
    let cancel = app.client.cancel_order().order_id(order);
    cancel.send().await.unwrap();
    let seen = app.get_stock(pet).await;
    assert_eq!(seen, (1_000_005, PetStatus::Available));
}
