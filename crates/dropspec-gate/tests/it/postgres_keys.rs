//! API keys on PostgreSQL, which several servers use.

use std::time::{Duration, Instant};

use dropspec_gate::ApiKeys;
use dropspec_gate::auth::{Access, ApiKey, Authenticate, Unauthenticated};
use dropspec_gate::keys::{KeyError, KeyScopes};
use dropspec_gate::rate_limit::{Ban, Ledger};
use dropspec_runtime::security::Credentials;
use futures::future::join_all;
use test_postgres::TestDatabase;

use crate::fixture::{NOON, SCHEME, key_plan, new_key, open_postgres, time};

/// What an authentication returns: the id of the key and its ban, or why it is refused.
async fn verify(keys: &ApiKeys, secret: &ApiKey) -> Result<(i64, Ban), Unauthenticated> {
    let verified = keys.verify(
        &SCHEME,
        Credentials::Key(secret.expose().into()),
        time(NOON),
    );
    let verified = verified.await.unwrap();
    verified.map(|principal| (principal.account.key_id, principal.account.ban))
}

/// Waits until an authentication returns this. It must take less than a second.
async fn wait_for(
    keys: &ApiKeys,
    secret: &ApiKey,
    is_expected: impl Fn(&Result<(i64, Ban), Unauthenticated>) -> bool,
) {
    let start = Instant::now();
    loop {
        let found = verify(keys, secret).await;
        if is_expected(&found) {
            return;
        }
        let age = start.elapsed();
        assert!(age < Duration::from_secs(1), "still {found:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn changes_on_one_server_hold_on_another_within_a_second() {
    let Some(database) = TestDatabase::create("changes_on_one_server") else {
        return;
    };
    let here = open_postgres(database.url()).await;
    let there = open_postgres(database.url()).await;
    let secret = here.generate_secret().unwrap();
    let id = here.create(new_key(key_plan("free")), &secret, time(NOON));
    let id = id.await.unwrap();
    assert_eq!(verify(&there, &secret).await, Ok((id, Ban::default())));

    let ban = Ban {
        strikes: 1,
        until: Some(NOON + 60),
        epoch: 0,
    };
    here.record_ban(id, ban).await.unwrap();
    wait_for(&there, &secret, |it| *it == Ok((id, ban))).await;
    here.unban(id, time(NOON)).await.unwrap();
    wait_for(&there, &secret, |it| {
        it.is_ok_and(|(_, ban)| ban.epoch == 1)
    })
    .await;

    let second = here.generate_secret().unwrap();
    here.rotate(id, &second, time(NOON), time(NOON))
        .await
        .unwrap();
    wait_for(&there, &secret, |it| *it == Err(Unauthenticated::Replaced)).await;
    assert_eq!(verify(&there, &second).await.unwrap().0, id);

    here.revoke(id, time(NOON)).await.unwrap();
    wait_for(&there, &second, |it| *it == Err(Unauthenticated::Revoked)).await;
    let twice = there.revoke(id, time(NOON)).await;
    assert!(matches!(twice, Err(KeyError::Revoked(_))), "{twice:?}");
    let unknown = there.change(id + 1, |_| {}, time(NOON)).await;
    assert!(matches!(unknown, Err(KeyError::NotFound(_))), "{unknown:?}");
}

#[tokio::test]
async fn keys_are_found_with_their_limits_scopes_and_secrets() {
    let Some(database) = TestDatabase::create("keys_are_found") else {
        return;
    };
    let keys = open_postgres(database.url()).await;
    let mut new = new_key(key_plan("pro"));
    new.access = Access::Read;
    new.scopes = KeyScopes::only(["read".to_owned()]);
    let secret = keys.generate_secret().unwrap();
    let id = keys.create(new.clone(), &secret, time(NOON)).await.unwrap();
    let later = keys.generate_secret().unwrap();
    let rotated = keys.rotate(id, &later, time(NOON + 60), time(NOON + 1));
    rotated.await.unwrap();
    let changed = keys.change(id, |key| key.plan = key_plan("free"), time(NOON));
    changed.await.unwrap();

    let found = keys.find(id).await.unwrap().unwrap();
    new.plan = key_plan("free");
    assert_eq!(found.given, new);
    let expiries: Vec<_> = found.secrets.iter().map(|it| it.expires_at).collect();
    assert_eq!(expiries, [None, Some(NOON + 60)]);
    assert_eq!(keys.list().await.unwrap(), [found]);
    assert_eq!(
        keys.find_ids_by_prefix(secret.prefix()).await.unwrap(),
        [id]
    );
    assert_eq!(keys.find(id + 1).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_start_together_create_one_first_key() {
    let Some(database) = TestDatabase::create("one_first_key") else {
        return;
    };
    let starts = (0..6).map(|_| {
        let url = database.url().to_owned();
        tokio::spawn(async move {
            let keys = open_postgres(&url).await;
            let created = keys.create_first(new_key(key_plan("pro")), time(NOON));
            created.await.unwrap()
        })
    });
    let created = join_all(starts).await;
    let created = created
        .into_iter()
        .filter(|it| it.as_ref().unwrap().is_some());
    assert_eq!(created.count(), 1);
}
