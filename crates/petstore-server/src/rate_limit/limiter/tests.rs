//! The limiter over books that are kept in memory, which can be made to wait and to fail.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;

use futures::FutureExt;
use futures::future::join_all;
use tokio::sync::Semaphore;

use super::*;
use crate::rate_limit::{Adjusted, Adjustment, Held, KeyLedger};

/// 2026-11-21 12:00:30 UTC.
const NOON: i64 = 1_795_262_430;
const FREE: Limits = Limits {
    per_minute: 60,
    per_day: 1000,
};

#[derive(Debug)]
struct Books {
    claimed: Mutex<HashMap<(i64, Window), Held>>,
    bans: Mutex<HashMap<i64, Ban>>,
    /// Who adjusts takes one of these; there are plenty unless a test takes them away.
    permits: Semaphore,
    fails: AtomicBool,
    calls: AtomicI64,
}

impl Books {
    fn new() -> Arc<Books> {
        Arc::new(Books {
            claimed: Mutex::default(),
            bans: Mutex::default(),
            permits: Semaphore::new(Semaphore::MAX_PERMITS),
            fails: AtomicBool::new(false),
            calls: AtomicI64::new(0),
        })
    }

    fn claimed(&self, key_id: i64, window: Window) -> u64 {
        self.claimed
            .lock()
            .unwrap()
            .get(&(key_id, window))
            .map_or(0, |held| held.claimed)
    }

    fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    fn outcome(&self) -> Result<(), StoreError> {
        match self.fails.load(Ordering::SeqCst) {
            true => Err(StoreError::unavailable("the disk is full")),
            false => Ok(()),
        }
    }
}

impl Ledger for Books {
    fn key_ledger(&self, key_id: i64) -> Result<KeyLedger, StoreError> {
        self.outcome()?;
        let claimed = self.claimed.lock().unwrap();
        Ok(KeyLedger {
            minute: claimed.get(&(key_id, Window::Minute)).copied(),
            day: claimed.get(&(key_id, Window::Day)).copied(),
            ban: self
                .bans
                .lock()
                .unwrap()
                .get(&key_id)
                .copied()
                .unwrap_or_default(),
        })
    }

    async fn adjust(&self, wishes: Vec<Adjustment>, _: i64) -> Result<Vec<Adjusted>, StoreError> {
        self.permits.acquire().await.unwrap().forget();
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.outcome()?;
        let mut claimed = self.claimed.lock().unwrap();
        let adjusted = wishes.iter().map(|wish| {
            let fresh = Held {
                start: wish.start,
                claimed: 0,
            };
            let held = claimed.entry((wish.key_id, wish.window)).or_insert(fresh);
            if held.start < wish.start {
                *held = fresh;
            }
            let before = held.claimed;
            held.claimed = before.saturating_add_signed(wish.amount).min(wish.limit);
            Adjusted {
                held: *held,
                granted: held.claimed.saturating_sub(before),
            }
        });
        Ok(adjusted.collect())
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StoreError> {
        self.outcome()?;
        self.bans.lock().unwrap().insert(key_id, ban);
        Ok(())
    }
}

fn limiter(books: &Arc<Books>) -> Limiter<Books> {
    Limiter::new(Arc::clone(books), Policy::new(FREE))
}

fn account(key_id: i64) -> Account {
    Account {
        key_id,
        limits: FREE,
        ban: Ban::default(),
    }
}

/// Lets the limiter's tasks run until nothing is left for them to do.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn many_wait_for_one_claim() {
    let books = Books::new();
    let limiter = limiter(&books);
    books.permits.forget_permits(Semaphore::MAX_PERMITS);
    let key = account(1);
    let mut waiting: Vec<_> = (0..6)
        .map(|_| Box::pin(limiter.charge_key(&key, 1, NOON)))
        .collect();
    for request in &mut waiting {
        assert!(request.now_or_never().is_none(), "nothing is leased yet");
    }
    settle().await;
    assert_eq!(limiter.tally().lease_calls, 1, "all wait for the same");
    books.permits.add_permits(100);
    for verdict in join_all(waiting).await {
        assert!(verdict.is_admitted());
    }
}

#[tokio::test]
async fn the_next_lease_is_claimed_ahead_of_need() {
    let books = Books::new();
    let limiter = limiter(&books);
    let key = account(1);
    limiter.charge_key(&key, 1, NOON).await;
    for spent in 1..60 {
        settle().await;
        let verdict = limiter.charge_key(&key, 1, NOON).now_or_never();
        assert!(
            verdict.is_some_and(|verdict| verdict.is_admitted()),
            "after {spent}"
        );
        for (window, block) in [(Window::Minute, 6), (Window::Day, 100)] {
            let unspent = books.claimed(1, window) - (spent + 1);
            assert!(
                unspent <= block,
                "{unspent} of the {} are unspent",
                window.as_str()
            );
        }
    }
}

#[tokio::test]
async fn without_a_lease_the_service_is_unavailable_with_the_last_known_figures() {
    let books = Books::new();
    let limiter = limiter(&books);
    let key = account(1);
    for _ in 0..6 {
        limiter.charge_key(&key, 1, NOON).await;
        settle().await;
    }
    books.fail(true);
    let mut verdicts = Vec::new();
    for _ in 0..10 {
        settle().await;
        verdicts.push(limiter.charge_key(&key, 1, NOON).await);
    }
    let refused = verdicts
        .iter()
        .find(|verdict| !verdict.is_admitted())
        .unwrap();
    let admitted = verdicts
        .iter()
        .filter(|verdict| verdict.is_admitted())
        .count() as u64;
    assert!(
        (3..=6).contains(&admitted),
        "no more than was leased: {admitted}"
    );
    assert_eq!(refused.outcome, Outcome::Unavailable);
    assert_eq!(refused.standing.remaining, 60 - 6 - admitted);
    assert!(refused.fault.is_some());

    books.fail(false);
    assert!(
        limiter.charge_key(&key, 1, NOON).await.is_admitted(),
        "it mends by itself"
    );
}

#[tokio::test]
async fn a_key_that_cannot_be_read_is_unavailable() {
    let books = Books::new();
    let limiter = limiter(&books);
    books.fail(true);
    let verdict = limiter.charge_key(&account(1), 1, NOON).await;
    assert_eq!(verdict.outcome, Outcome::Unavailable);
    assert!(limiter.status(&account(1), NOON).is_err());
}

#[tokio::test]
async fn a_ban_holds_though_it_could_not_be_stored() {
    let books = Books::new();
    let limiter = limiter(&books);
    let key = account(1);
    while limiter.charge_key(&key, 1, NOON).await.is_admitted() {}
    for _ in 0..59 {
        limiter.charge_key(&key, 1, NOON).await;
    }
    books.fail(true);
    let crossing = limiter.charge_key(&key, 1, NOON).await;
    assert_eq!(crossing.outcome, Outcome::Banned);
    assert!(crossing.fault.is_some(), "for the log");
    let next = limiter.charge_key(&key, 1, NOON + 119).await;
    assert_eq!(
        (next.outcome, next.fault.is_some()),
        (Outcome::Banned, false)
    );
    assert_eq!((limiter.tally().bans, limiter.tally().banned), (1, 2));
}

#[tokio::test]
async fn a_lower_limit_holds_at_once_and_what_is_leased_beyond_it_goes_back() {
    let books = Books::new();
    let limiter = limiter(&books);
    let rich = Account {
        limits: Limits {
            per_minute: 1000,
            per_day: 100_000,
        },
        ..account(1)
    };
    limiter.charge_key(&rich, 1, NOON).await;
    assert_eq!(books.claimed(1, Window::Minute), 100);
    let poor = account(1);
    assert_eq!(limiter.charge_key(&poor, 1, NOON).await.standing.limit, 60);
    settle().await;
    assert_eq!(books.claimed(1, Window::Minute), 2 + 6);
    assert_eq!(books.claimed(1, Window::Day), 2 + 100);
}

#[tokio::test]
async fn closing_gives_back_what_is_unspent_and_leases_no_more() {
    let books = Books::new();
    let limiter = limiter(&books);
    for _ in 0..3 {
        limiter.charge_key(&account(1), 1, NOON).await;
    }
    limiter.close().await.unwrap();
    assert_eq!(books.claimed(1, Window::Minute), 3);
    assert_eq!(books.claimed(1, Window::Day), 3);
    let late = limiter.charge_key(&account(1), 1, NOON).await;
    assert_eq!(late.outcome, Outcome::Unavailable);
    assert_eq!(books.claimed(1, Window::Minute), 3);
}

#[tokio::test]
async fn idle_keys_go_from_memory_and_come_back_as_they_were() {
    let books = Books::new();
    let limiter = limiter(&books);
    let (idle, busy) = (account(1), account(2));
    limiter.charge_key(&idle, 1, NOON).await;
    for now in (NOON..NOON + 700).step_by(10) {
        limiter.charge_key(&busy, 0, now).await;
        settle().await;
    }
    assert_eq!(limiter.keys_in_memory(), 1);
    assert_eq!(books.claimed(1, Window::Day), 1, "the rest was given back");
    assert_eq!(
        limiter.status(&idle, NOON + 700).unwrap().day.remaining,
        999
    );
}

#[tokio::test]
async fn keys_in_memory_are_capped() {
    let books = Books::new();
    let policy = Policy {
        key_cap: 128,
        ..Policy::new(FREE)
    };
    let limiter = Limiter::new(Arc::clone(&books), policy);
    for key_id in 0..2000 {
        limiter.charge_key(&account(key_id), 1, NOON).await;
        settle().await;
        assert!(
            limiter.keys_in_memory() <= 129,
            "{}",
            limiter.keys_in_memory()
        );
    }
    let total: u64 = (0..2000)
        .map(|key_id| books.claimed(key_id, Window::Minute))
        .sum();
    assert!(total <= 2000 + 128 * 6, "{total}: who went gave back");
    let again = limiter.charge_key(&account(0), 1, NOON).await;
    assert_eq!(
        again.standing.remaining, 58,
        "the first request is not forgotten"
    );
}

#[tokio::test]
async fn the_clock_does_not_go_back_for_anyone() {
    let books = Books::new();
    let limiter = limiter(&books);
    limiter.charge_key(&account(1), 1, NOON + 60).await;
    let verdict = limiter.charge_key(&account(2), 1, NOON + 55).await;
    assert_eq!(verdict.standing.reset, NOON + 90);
    let address = limiter.charge_address([192, 0, 2, 1].into(), NOON);
    assert_eq!(address.standing.reset, NOON + 90);
}

#[tokio::test]
async fn status_tells_both_windows_and_charges_nothing() {
    let books = Books::new();
    let limiter = limiter(&books);
    let key = account(1);
    limiter.charge_key(&key, 5, NOON).await;
    for _ in 0..2 {
        let status = limiter.status(&key, NOON).unwrap();
        assert_eq!((status.minute.remaining, status.day.remaining), (55, 995));
        assert_eq!((status.minute.reset, status.strikes), (NOON + 30, 0));
        assert_eq!(status.banned_until, None);
    }
}

#[tokio::test]
async fn the_answer_is_there_at_once_while_a_lease_lasts() {
    let books = Books::new();
    let limiter = limiter(&books);
    let key = account(1);
    limiter.charge_key(&key, 1, NOON).await;
    let ready = pin!(limiter.charge_key(&key, 1, NOON))
        .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    assert!(ready.is_ready());
}
