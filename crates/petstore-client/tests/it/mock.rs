//! An example to copy: how to test code that uses the client. `buy` is the code under test; the service is mocked with
//! its own types.
#![allow(clippy::unwrap_used)]

use httpmock::MockServer;
use petstore_client::{CallError, Client, ErrorCode, RetryPolicy, types};
use petstore_client_mock::MockServerExt;

/// Buys a pet and returns the id of the order; `None` if the pet is sold out.
async fn buy(client: &Client, pet: i64) -> Result<Option<i64>, CallError> {
    let order = types::Order::builder().pet_id(pet).quantity(1);
    match client.place_order().body(order).send().await {
        Ok(order) => Ok(order.id),
        Err(error) if error.code() == Some(ErrorCode::InsufficientStock) => Ok(None),
        Err(error) => Err(error),
    }
}

fn order(pet: i64) -> types::Order {
    types::Order {
        pet_id: Some(pet),
        quantity: Some(1),
        ..Default::default()
    }
}

#[tokio::test]
async fn places_order() {
    let server = MockServer::start_async().await;
    let placed = server.place_order(|when, then| {
        when.body(&order(7));
        then.created(&types::Order {
            id: Some(1),
            ..order(7)
        });
    });

    let bought = buy(&Client::new(&server.base_url(), "pst_test"), 7).await;

    assert_eq!(bought.unwrap(), Some(1));
    placed.assert();
}

#[tokio::test]
async fn returns_none_for_sold_out_pet() {
    let server = MockServer::start_async().await;
    server.place_order(|_, then| {
        then.conflict(&types::Error {
            code: ErrorCode::InsufficientStock.to_string(),
            message: "too few units".to_owned(),
            status: 409,
        });
    });

    let bought = buy(&Client::new(&server.base_url(), "pst_test"), 7).await;

    assert_eq!(bought.unwrap(), None);
}

#[tokio::test]
async fn returns_other_errors() {
    let server = MockServer::start_async().await;
    server.place_order(|_, then| {
        then.service_unavailable(&types::Error {
            code: ErrorCode::Unavailable.to_string(),
            message: "busy".to_owned(),
            status: 503,
        });
    });
    // Without retries, so that the test does not wait.
    let client = Client::new(&server.base_url(), "pst_test").with_retries(RetryPolicy::off());

    let error = buy(&client, 7).await.unwrap_err();

    assert_eq!(error.code(), Some(ErrorCode::Unavailable));
}
