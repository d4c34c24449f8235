//! Where requests go, and the API key and the idempotency keys that they carry.

use std::collections::HashSet;

use petstore_client::{Client, Error, RetryPolicy, types};

use crate::service::{Service, Step};
use crate::{BUSY, CUT_IN_BODY, OK, ORDER, PET, PETS, scripted};

const CREATED: Step = Step::Answer(201, &[], PET);

fn mittens() -> types::NewPet {
    types::NewPet {
        name: "Mittens".into(),
        category_id: 1,
        status: None,
    }
}

#[tokio::test]
async fn every_request_shows_the_api_key() {
    let (client, service, _clock) = scripted(&[BUSY, Step::Answer(200, &[], PETS)]).await;

    client.list_pets().send().await.unwrap();

    for seen in service.seen() {
        assert_eq!(seen.header("x-api-key"), Some("pst_key"));
    }
    assert!(
        !format!("{client:?}").contains("pst_key"),
        "it is not for logs"
    );
}

#[tokio::test]
async fn the_path_of_the_base_url_stays_in_front() {
    for (tail, line) in [
        ("/", "GET /pets"),
        ("//", "GET /pets"),
        ("/store", "GET /store/pets"),
        ("/store/", "GET /store/pets"),
    ] {
        let service = Service::start(&[OK]).await;
        let client = Client::new(&format!("{}{tail}", service.url()), "pst_key");

        client.list_pets().send().await.unwrap();

        assert_eq!(service.seen()[0].line, line, "{tail}");
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_reported() {
    let client = Client::new("http://127.0.0.1:1", "two\nlines");
    let sent = client.list_pets().send().await;
    assert!(matches!(sent, Err(Error::InvalidRequest(_))), "{sent:?}");
}

#[tokio::test]
async fn what_takes_an_idempotency_key_gets_one_for_all_its_attempts() {
    let (client, service, _clock) =
        scripted(&[Step::Cut, BUSY, CUT_IN_BODY, CREATED, CREATED]).await;

    client.create_pet().body(mittens()).send().await.unwrap();
    client.create_pet().body(mittens()).send().await.unwrap();

    let keys: Vec<String> = service
        .seen()
        .iter()
        .map(|seen| seen.header("idempotency-key").unwrap().to_owned())
        .collect();
    let first: HashSet<&String> = keys[..4].iter().collect();
    assert_eq!(first.len(), 1, "one key for one call: {keys:?}");
    assert_ne!(keys[3], keys[4], "another one for the next");
}

#[tokio::test]
async fn the_callers_own_key_stays() {
    let (client, service, _clock) = scripted(&[Step::Cut, CREATED]).await;

    client
        .create_pet()
        .idempotency_key("mine")
        .body(mittens())
        .send()
        .await
        .unwrap();

    for seen in service.seen() {
        assert_eq!(seen.header("idempotency-key"), Some("mine"));
    }
}

#[tokio::test]
async fn what_is_never_repeated_needs_none() {
    let (client, service, _clock) = scripted(&[CREATED]).await;
    let client = client.with_retries(RetryPolicy::off());

    client.create_pet().body(mittens()).send().await.unwrap();

    assert_eq!(service.seen()[0].header("idempotency-key"), None);
}

#[tokio::test]
async fn other_operations_get_none() {
    let (client, service, _clock) = scripted(&[Step::Answer(200, &[], ORDER)]).await;

    client
        .update_order()
        .order_id(1)
        .body(types::Order::default())
        .send()
        .await
        .unwrap();

    assert_eq!(service.seen()[0].header("idempotency-key"), None);
}
