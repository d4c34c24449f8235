//! More concurrent calls than a plan allows. tokio's clock is paused: it advances when all tasks wait.

use std::sync::Mutex;
use std::time::Duration;

use futures::future::join_all;
use petstore_client::{Client, ErrorCode, ErrorCodeExt, RetryPolicy};
use tokio::time::Instant;

use crate::PETS;
use crate::scripted_server::{ScriptedServer, Step};

const A_MINUTE: Duration = Duration::from_secs(60);
const LIMIT: u32 = 60;

/// A limiter with `LIMIT` requests a minute that records its 429 responses.
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

    fn respond(&self) -> Step {
        let elapsed = self.start.elapsed();
        let minute = elapsed.as_secs() / 60;
        let mut window = self.window.lock().unwrap();
        if window.0 != minute {
            *window = (minute, 0);
        }
        if window.1 < LIMIT {
            window.1 += 1;
            return Step::Respond(200, &[], PETS);
        }
        self.refused.lock().unwrap().push(Instant::now());
        let left = (A_MINUTE * (minute as u32 + 1)).saturating_sub(elapsed);
        Step::RateLimit(left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    /// The maximum number of 429 responses within five minutes. More than 60 ban a key of the free plan.
    fn max_refused_in_five_minutes(&self) -> usize {
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
    let service = ScriptedServer::responding(|_| plan.respond()).await;
    let policy = RetryPolicy {
        deadline: 10 * A_MINUTE,
        ..RetryPolicy::default()
    };
    (
        Client::connect(&service.url(), "pst_key")
            .unwrap()
            .with_retries(policy),
        plan,
    )
}

#[tokio::test(start_paused = true)]
async fn completes_200_concurrent_calls_at_60_a_minute() {
    let (client, plan) = limited().await;

    let calls = (0..200).map(|_| client.list_pets().send());
    for sent in join_all(calls).await {
        sent.unwrap();
    }

    assert_eq!(
        plan.start.elapsed().as_secs() / 60,
        3,
        "60, 60, 60 and 20 calls"
    );
    assert!(
        plan.max_refused_in_five_minutes() <= 3 * 8,
        "{} responses with 429",
        plan.max_refused_in_five_minutes()
    );
}

#[tokio::test(start_paused = true)]
async fn sends_few_of_1000_concurrent_calls_with_a_short_deadline() {
    let (client, plan) = limited().await;
    let hurried = client.with_retries(RetryPolicy {
        deadline: Duration::from_secs(5),
        ..RetryPolicy::default()
    });

    let calls = (0..1000).map(|_| hurried.list_pets().send());
    let ended = join_all(calls).await;

    let refused = ended.iter().filter_map(|ended| ended.as_ref().err());
    let codes: Vec<_> = refused.map(ErrorCodeExt::error_code).collect();
    assert_eq!(codes, vec![Some(ErrorCode::RateLimitExceeded); 940]);
    assert!(
        plan.max_refused_in_five_minutes() <= 8,
        "{} responses with 429",
        plan.max_refused_in_five_minutes()
    );
}
