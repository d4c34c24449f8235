//! What the ledger of API keys does beyond the rules of every ledger (`tests/it/ledger_rules.rs`).
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use rate_limit::RateLimits;
use spec_runtime::PlanInfo;
use sqlite_engine::{Engine, EngineConfig, Schema};
use tempfile::TempDir;

use super::*;
use crate::{
    API_KEY_CHANGES_SQL, API_KEYS_SQL, CREDIT_SQL, KEY_LIMITS_SQL, KEY_SCOPES_SQL, KeyScopes,
    KeySettings, NewKey,
};
use crate::{Access, PlanLimits};

const MINUTE: i64 = 1_795_262_400;
const PLAN: PlanInfo = PlanInfo {
    name: "free",
    limits: Some(RateLimits::new(60, 1000)),
};

const CUSTOM: PlanInfo = PlanInfo {
    name: "enterprise",
    limits: None,
};

fn api_keys() -> (TempDir, ApiKeys) {
    let directory = TempDir::new().unwrap();
    let schema = Schema {
        application_id: 0x7465_7374,
        migrations: &[
            "PRAGMA application_id = 0x74657374",
            API_KEYS_SQL,
            API_KEY_CHANGES_SQL,
            CREDIT_SQL,
            KEY_SCOPES_SQL,
            KEY_LIMITS_SQL,
        ],
    };
    let config = EngineConfig::new(directory.path().join("keys.db"));
    let engine = Arc::new(Engine::open(schema, &config).unwrap());
    let settings = KeySettings {
        mark: "test_",
        scheme: None,
        plans: &[PLAN, CUSTOM],
    };
    (directory, ApiKeys::new(engine, settings))
}

async fn create_key(keys: &ApiKeys) -> i64 {
    let new = NewKey {
        name: "test".to_owned(),
        limits: PlanLimits::find(&[PLAN], "free", None).unwrap(),
        access: Access::Write,
        scopes: KeyScopes::ALL,
    };
    let now = chrono::DateTime::from_timestamp(MINUTE, 0).unwrap();
    let secret = keys.generate_secret().unwrap();
    keys.create(new, &secret, now).await.unwrap()
}

fn adjustment(key_id: i64, amount: i64) -> Adjustment {
    Adjustment {
        amount,
        limit: 60,
        ..Adjustment::unchanged(key_id, Window::Minute, MINUTE)
    }
}

#[tokio::test]
async fn last_used_is_the_time_of_the_latest_claim() {
    let (_directory, keys) = api_keys();
    let key = create_key(&keys).await;
    let last_used = async || keys.find(key).await.unwrap().unwrap().last_used_at;
    assert_eq!(last_used().await, None);
    keys.adjust(vec![adjustment(key, 6)], || Now::at(MINUTE + 7))
        .await
        .unwrap();
    assert_eq!(last_used().await, Some(MINUTE + 7));
    keys.adjust(vec![adjustment(key, -6)], || Now::at(MINUTE + 9))
        .await
        .unwrap();
    assert_eq!(last_used().await, Some(MINUTE + 7));
}

#[tokio::test]
async fn adjustments_are_all_made_or_none() {
    let (_directory, keys) = api_keys();
    let key = create_key(&keys).await;
    let nobody = key + 1;
    let adjustments = vec![adjustment(key, 6), adjustment(nobody, 6)];
    assert!(keys.adjust(adjustments, || Now::at(MINUTE)).await.is_err());
    assert_eq!(keys.read_entry(key).await.unwrap().minute, None);
}

#[tokio::test]
async fn ban_is_recorded_unless_it_was_lifted_meanwhile() {
    let (_directory, keys) = api_keys();
    let key = create_key(&keys).await;
    let mut ban = Ban::default();
    ban.start(MINUTE);
    keys.record_ban(key, ban).await.unwrap();
    assert_eq!(keys.read_entry(key).await.unwrap().ban, ban);
    keys.unban(key).await.unwrap();
    let lifted = Ban {
        strikes: 0,
        until: None,
        epoch: 1,
    };
    assert_eq!(keys.read_entry(key).await.unwrap().ban, lifted);
    keys.record_ban(key, ban).await.unwrap();
    assert_eq!(keys.read_entry(key).await.unwrap().ban, lifted);
}

#[tokio::test]
async fn lower_limits_claim_only_credit_that_may_have_been_spent() {
    let crash = |start| Some(Claim { start, claimed: 1 });
    for (is_open, minute, claimed) in [
        (false, None, 0),
        (true, None, 6),
        (false, crash(MINUTE), 6),
        (true, crash(MINUTE), 12),
        // The minute of that crash is over.
        (true, crash(MINUTE - 60), 6),
    ] {
        let (_directory, keys) = api_keys();
        let key = create_key(&keys).await;
        let record = CreditRecord {
            is_open,
            minute,
            day: None,
        };
        keys.store_credit(record).await.unwrap();
        let custom = RateLimits::new(10, 1000);
        let limits = PlanLimits::find(&[PLAN, CUSTOM], "enterprise", Some(custom)).unwrap();
        let now = chrono::DateTime::from_timestamp(MINUTE, 0).unwrap();
        keys.set_limits(key, limits, now).await.unwrap();
        let entry = keys.read_entry(key).await.unwrap();
        assert_eq!(
            entry.minute.map_or(0, |it| it.claimed),
            claimed,
            "{record:?}"
        );
    }
}

#[tokio::test]
async fn principals_without_a_key_are_counted_in_memory() {
    let (_directory, keys) = api_keys();
    let key = create_key(&keys).await;
    let subject = rate_limit::Account::of_subject("ann", PLAN.limits.unwrap()).key_id;
    assert!(subject < 0);
    let both = vec![
        adjustment(subject, 50),
        adjustment(key, 10),
        adjustment(subject, 20),
    ];
    let adjusted = keys.adjust(both, || Now::at(MINUTE)).await.unwrap();
    let granted: Vec<u64> = adjusted.iter().map(|it| it.granted).collect();
    assert_eq!(granted, [50, 10, 10], "in the order of the adjustments");
    let claimed = async |id| {
        keys.read_entry(id)
            .await
            .unwrap()
            .minute
            .map(|it| it.claimed)
    };
    assert_eq!(
        (claimed(subject).await, claimed(key).await),
        (Some(60), Some(10))
    );

    let mut ban = Ban::default();
    ban.start(MINUTE);
    for id in [subject, key] {
        keys.record_ban(id, ban).await.unwrap();
        assert_eq!(keys.read_entry(id).await.unwrap().ban, ban);
    }
    assert_eq!(keys.read_banned(MINUTE).await.unwrap(), [subject, key]);
    keys.carry_over(|| Now::at(MINUTE + 30)).await.unwrap();
    assert_eq!(
        (claimed(subject).await, claimed(key).await),
        (Some(60), Some(10))
    );
}
