//! The first key of a new petstore.

use petstore_api::Plan;
use petstore_server::auth::{Access, Identity, bootstrap};

use super::fixture::{Fixture, NOON, time};

#[tokio::test]
async fn an_empty_database_gets_one_business_key_and_only_once() {
    let fixture = Fixture::new();
    let issued = bootstrap(&fixture.store, time(NOON))
        .await
        .unwrap()
        .unwrap();
    let Identity::Key(caller) = fixture.identify(&issued.key, NOON) else {
        panic!("the key is not valid");
    };
    assert_eq!(
        (caller.plan, caller.access),
        (Plan::Business, Access::Write)
    );
    assert_eq!(caller.account.key_id, issued.id);
    assert!(
        bootstrap(&fixture.store, time(NOON))
            .await
            .unwrap()
            .is_none()
    );

    fixture
        .store
        .revoke_key(issued.id, time(NOON))
        .await
        .unwrap();
    let again = bootstrap(&fixture.store, time(NOON)).await.unwrap();
    assert!(again.is_none(), "a revoked key is a key");
}
