//! The URL of requests, and their API key and idempotency key.

use std::collections::HashSet;

use petstore_client::{RetryPolicy, types};

use crate::scripted_server::Step;
use crate::{BUSY, CUT_IN_BODY, ORDER, PET, PETS, scripted};

const CREATED: Step = Step::Respond(201, &[], PET);

fn mittens() -> types::NewPet {
    types::NewPet {
        name: "Mittens".into(),
        category_id: 1,
        status: None,
    }
}

#[tokio::test]
async fn sends_api_key_with_every_request() {
    let (client, service, _clock) = scripted(&[BUSY, Step::Respond(200, &[], PETS)]).await;

    client.list_pets().send().await.unwrap();

    for request in service.requests() {
        assert_eq!(request.header("x-api-key"), Some("pst_key"));
    }
    assert!(
        !format!("{client:?}").contains("pst_key"),
        "Debug does not show it"
    );
}

#[tokio::test]
async fn sends_one_idempotency_key_for_all_attempts_of_a_call() {
    let (client, service, _clock) =
        scripted(&[Step::CloseConnection, BUSY, CUT_IN_BODY, CREATED, CREATED]).await;

    client.create_pet().body(mittens()).send().await.unwrap();
    client.create_pet().body(mittens()).send().await.unwrap();

    let keys: Vec<String> = service
        .requests()
        .iter()
        .map(|request| request.header("idempotency-key").unwrap().to_owned())
        .collect();
    let first: HashSet<&String> = keys[..4].iter().collect();
    assert_eq!(first.len(), 1, "one key per call: {keys:?}");
    assert_ne!(keys[3], keys[4], "the next call has another key");
}

#[tokio::test]
async fn keeps_idempotency_key_of_caller() {
    let (client, service, _clock) = scripted(&[Step::CloseConnection, CREATED]).await;

    client
        .create_pet()
        .idempotency_key("mine")
        .body(mittens())
        .send()
        .await
        .unwrap();

    for request in service.requests() {
        assert_eq!(request.header("idempotency-key"), Some("mine"));
    }
}

#[tokio::test]
async fn sends_no_idempotency_key_without_retries() {
    let (client, service, _clock) = scripted(&[CREATED]).await;
    let client = client.with_retries(RetryPolicy::off());

    client.create_pet().body(mittens()).send().await.unwrap();

    assert_eq!(service.requests()[0].header("idempotency-key"), None);
}

#[tokio::test]
async fn sends_no_idempotency_key_where_operation_takes_none() {
    let (client, service, _clock) = scripted(&[Step::Respond(200, &[], ORDER)]).await;

    client
        .update_order()
        .order_id(1)
        .body(types::Order::default())
        .send()
        .await
        .unwrap();

    assert_eq!(service.requests()[0].header("idempotency-key"), None);
}
