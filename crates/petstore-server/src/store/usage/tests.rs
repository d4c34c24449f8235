//! What adjustments make of the table, in the order in which they come.
#![allow(clippy::unwrap_used)]

use petstore_api::Plan;
use tempfile::TempDir;

use super::*;
use crate::auth::{Access, ApiKey, NewKey, Terms};
use crate::store::EngineConfig;

const MINUTE: i64 = 1_795_262_400;

fn store() -> (TempDir, Store) {
    let directory = TempDir::new().unwrap();
    let store = Store::open(&EngineConfig::at(directory.path().join("pets.db"))).unwrap();
    (directory, store)
}

async fn key(store: &Store) -> i64 {
    let terms = Terms::new(Plan::Free, None).unwrap();
    let new = NewKey {
        name: "test".to_owned(),
        terms,
        access: Access::Write,
    };
    let now = chrono::DateTime::from_timestamp(MINUTE, 0).unwrap();
    store
        .create_key(new, &ApiKey::generate().unwrap(), now)
        .await
        .unwrap()
}

fn wish(key_id: i64, start: i64, amount: i64) -> Adjustment {
    Adjustment {
        key_id,
        window: Window::Minute,
        start,
        amount,
        limit: 60,
    }
}

#[tokio::test]
async fn claims_add_up_to_the_limit_and_no_further() {
    let (_directory, store) = store();
    let key = key(&store).await;
    let steps = [
        (MINUTE, 50, (MINUTE, 50, 50), "granted"),
        (MINUTE, 20, (MINUTE, 60, 10), "as much as there is"),
        (MINUTE, 5, (MINUTE, 60, 0), "nothing is left"),
        (MINUTE, -15, (MINUTE, 45, 0), "given back"),
        (
            MINUTE + 60,
            6,
            (MINUTE + 60, 6, 6),
            "a later minute takes over",
        ),
        (
            MINUTE,
            6,
            (MINUTE + 60, 6, 0),
            "a past one is not opened again",
        ),
        (
            MINUTE,
            -6,
            (MINUTE + 60, 6, 0),
            "nor is anything given back to it",
        ),
        (
            MINUTE + 120,
            0,
            (MINUTE + 120, 0, 0),
            "a minute that the key was only seen in",
        ),
        (MINUTE + 60, 6, (MINUTE + 120, 0, 0), "holds as well"),
    ];
    for (start, amount, (held_start, claimed, granted), reason) in steps {
        let adjusted = store
            .adjust(vec![wish(key, start, amount)], MINUTE)
            .await
            .unwrap();
        let held = Held {
            start: held_start,
            claimed,
        };
        assert_eq!(adjusted, [Adjusted { held, granted }], "{reason}");
        assert_eq!(store.key_usage(key).unwrap().minute, Some(held), "{reason}");
    }
}

#[tokio::test]
async fn a_key_was_used_when_it_last_claimed() {
    let (_directory, store) = store();
    let key = key(&store).await;
    let last_used = || store.key(key).unwrap().unwrap().last_used_at;
    assert_eq!(last_used(), None);
    store
        .adjust(vec![wish(key, MINUTE, 6)], MINUTE + 7)
        .await
        .unwrap();
    assert_eq!(last_used(), Some(MINUTE + 7));
    store
        .adjust(vec![wish(key, MINUTE, -6)], MINUTE + 9)
        .await
        .unwrap();
    store
        .adjust(vec![wish(key, MINUTE, 6)], MINUTE + 3)
        .await
        .unwrap();
    assert_eq!(last_used(), Some(MINUTE + 7));
}

#[tokio::test]
async fn all_adjustments_are_made_or_none() {
    let (_directory, store) = store();
    let key = key(&store).await;
    let nobody = key + 1;
    let wishes = vec![wish(key, MINUTE, 6), wish(nobody, MINUTE, 6)];
    assert!(store.adjust(wishes, MINUTE).await.is_err());
    assert_eq!(store.key_usage(key).unwrap().minute, None);
}

#[tokio::test]
async fn a_ban_is_kept_unless_it_was_lifted_meanwhile() {
    let (_directory, store) = store();
    let key = key(&store).await;
    let ban = Ban {
        strikes: 1,
        until: Some(MINUTE + 120),
        epoch: 0,
    };
    store.record_ban(key, ban).await.unwrap();
    assert_eq!(store.key_ledger(key).unwrap().ban, ban);
    store.unban_key(key).await.unwrap();
    let lifted = Ban {
        strikes: 0,
        until: None,
        epoch: 1,
    };
    assert_eq!(store.key_ledger(key).unwrap().ban, lifted);
    store.record_ban(key, ban).await.unwrap();
    assert_eq!(store.key_ledger(key).unwrap().ban, lifted);
}
