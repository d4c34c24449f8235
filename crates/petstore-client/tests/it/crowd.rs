//! More calls than a plan allows, all at once. The clock is tokio's and stands still until everybody waits.

use std::sync::Mutex;
use std::time::Duration;

use futures::future::join_all;
use petstore_client::{Client, ErrorCode, Refused, RetryPolicy};
use tokio::time::Instant;

use crate::PETS;
use crate::service::{Service, Step};

const A_MINUTE: Duration = Duration::from_secs(60);
const LIMIT: u32 = 60;

/// Allows so many requests in each minute, and counts what it refuses.
struct Plan {
    start: Instant,
    window: Mutex<(u64, u32)>,
    refused: Mutex<Vec<Instant>>,
}

impl Plan {
    fn new() -> Plan {
        Plan {
            start: Instant::now(),
            window: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    fn answer(&self) -> Step {
        let elapsed = self.start.elapsed();
        let minute = elapsed.as_secs() / 60;
        let mut window = self.window.lock().unwrap();
        if window.0 != minute {
            *window = (minute, 0);
        }
        if window.1 < LIMIT {
            window.1 += 1;
            return Step::Answer(200, &[], PETS);
        }
        self.refused.lock().unwrap().push(Instant::now());
        let left = (A_MINUTE * (minute as u32 + 1)).saturating_sub(elapsed);
        Step::Refuse(left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    /// The most refusals within five minutes. More than 60 of them ban a key of the free plan.
    fn most_refused(&self) -> usize {
        let refused = self.refused.lock().unwrap();
        let within = |from: &Instant| {
            let later = refused
                .iter()
                .filter(|at| *at >= from && **at - *from < 5 * A_MINUTE);
            later.count()
        };
        refused.iter().map(within).max().unwrap_or(0)
    }
}

async fn limited() -> (Client, &'static Plan) {
    let plan: &Plan = Box::leak(Box::new(Plan::new()));
    let service = Service::answering(|_| plan.answer()).await;
    let policy = RetryPolicy {
        deadline: 10 * A_MINUTE,
        ..RetryPolicy::default()
    };
    (
        Client::new(&service.url(), "pst_key").with_retries(policy),
        plan,
    )
}

#[tokio::test(start_paused = true)]
async fn two_hundred_calls_at_once_take_their_turns() {
    let (client, plan) = limited().await;

    let calls = (0..200).map(|_| client.list_pets().send());
    for sent in join_all(calls).await {
        sent.unwrap();
    }

    assert_eq!(plan.start.elapsed().as_secs() / 60, 3, "60, 60, 60 and 20");
    assert!(
        plan.most_refused() <= 3 * 8,
        "{} refused",
        plan.most_refused()
    );
}

#[tokio::test(start_paused = true)]
async fn two_hundred_calls_in_a_row_are_refused_once_a_minute() {
    let (client, plan) = limited().await;

    for _ in 0..200 {
        client.list_pets().send().await.unwrap();
    }

    assert_eq!(plan.most_refused(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_crowd_in_a_hurry_is_refused_and_not_banned() {
    let (client, plan) = limited().await;
    let hurried = client.with_retries(RetryPolicy {
        deadline: Duration::from_secs(5),
        ..RetryPolicy::default()
    });

    let calls = (0..1000).map(|_| hurried.list_pets().send());
    let ended = join_all(calls).await;

    let refused = ended.iter().filter_map(|ended| ended.as_ref().err());
    let codes: Vec<_> = refused.map(Refused::code).collect();
    assert_eq!(codes, vec![Some(ErrorCode::RateLimitExceeded); 940]);
    assert!(plan.most_refused() <= 8, "{} refused", plan.most_refused());
}
