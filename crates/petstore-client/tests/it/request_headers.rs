//! The API key and the idempotency key of requests.

use petstore_client::{RetryPolicy, types};

use crate::scripted_server::Step;
use crate::{BUSY, CUT_IN_BODY, OK, ORDER, PET, scripted};

const CREATED: Step = Step::Respond(201, &[], PET);

#[tokio::test]
async fn every_attempt_has_the_api_key_which_is_not_shown() {
    let (client, service, _clock) = scripted(&[BUSY, OK]).await;
    client.list_pets().send().await.unwrap();
    for request in service.requests() {
        assert_eq!(request.header("x-api-key"), Some("pst_key"));
    }
    assert!(!format!("{client:?}").contains("pst_key"));
}

#[tokio::test]
async fn attempts_of_a_call_have_one_idempotency_key() {
    let script = [Step::CloseConnection, BUSY, CUT_IN_BODY, CREATED];
    let (client, service, _clock) = scripted(&script).await;
    let create = || {
        let pet = types::NewPet::builder().name("Mittens").category_id(1);
        client.create_pet().body(pet)
    };
    create().send().await.unwrap();
    create().send().await.unwrap();
    create().idempotency_key("mine").send().await.unwrap();
    let requests = service.requests();
    let keys: Vec<_> = requests
        .iter()
        .map(|request| request.header("idempotency-key").unwrap())
        .collect();
    assert!(keys[..4].iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_ne!(keys[3], keys[4], "the next call has another key");
    assert_eq!(keys[5], "mine");

    let (client, service, _clock) = scripted(&[CREATED, Step::Respond(200, &[], ORDER)]).await;
    let pet = types::NewPet::builder().name("Mittens").category_id(1);
    let once = client.clone().with_retries(RetryPolicy::off());
    once.create_pet().body(pet).send().await.unwrap();
    // An operation without idempotency keys.
    let update = client.update_order().order_id(1);
    update.body(types::Order::default()).send().await.unwrap();
    for request in service.requests() {
        assert_eq!(request.header("idempotency-key"), None, "{}", request.head);
    }
}
