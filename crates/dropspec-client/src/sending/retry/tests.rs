//! Outcomes of attempts, and the decisions that follow.

use super::*;

const LOST: AttemptOutcome = AttemptOutcome::NoResponse(NoResponse::Lost);

/// A response such as `429`, `429 code` or `429 after`, which has the header `Retry-After`; or how there was none.
fn outcome(text: &str) -> AttemptOutcome {
    let (status, rest) = text.split_once(' ').unwrap_or((text, ""));
    match text {
        "lost" => LOST,
        "unconnected" => AttemptOutcome::NoResponse(NoResponse::NotSent),
        "hopeless" => AttemptOutcome::NoResponse(NoResponse::Hopeless(String::new())),
        _ => AttemptOutcome::Response {
            status: status.parse().expect("a status"),
            code: Some(rest)
                .filter(|code| !["", "after"].contains(code))
                .map(str::to_owned),
            retry_after: (rest == "after").then_some(Duration::from_secs(42)),
        },
    }
}

/// A request such as `POST`, `POST key`, which has an idempotency key, or `POST other`, whose service is not behind the gate.
fn request(text: &str) -> RequestKind {
    let mut words = text.split(' ');
    let method = words.next().unwrap_or_default();
    RequestKind {
        method: method.parse().expect("a method"),
        has_idempotency_key: words.clone().any(|it| it == "key"),
        is_gate: !words.any(|it| it == "other"),
    }
}

#[test]
fn outcome_decides_with_the_request_whether_it_is_sent_again() {
    let cases = [
        // Only these statuses, with any method.
        ("GET", "200 304 400 401 403 404 409 422 500 502", "return"),
        ("GET POST PATCH DELETE", "429 503", "retry"),
        ("GET", "429 after", "wait"),
        ("GET", "503 after", "wait"),
        ("GET", "429 api_key_banned", "return"),
        // Only what is safe to repeat.
        ("GET PUT DELETE", "lost", "retry"),
        ("POST key", "lost", "retry"),
        ("POST PATCH", "lost", "return"),
        ("PATCH key", "lost", "return"),
        ("GET POST PATCH", "unconnected", "retry"),
        ("GET", "hopeless", "return"),
        // A 503 of another service says nothing.
        ("GET other", "503", "retry"),
        ("POST key other", "503", "retry"),
        ("POST other", "503", "return"),
        ("PATCH key other", "503", "return"),
        ("POST other", "429", "retry"),
    ];
    let policy = RetryPolicy::default();
    for (requests, outcomes, expected) in cases {
        // A list is one of methods or of statuses: only their marks are in small letters.
        let is_list = |text: &str| !text.chars().any(|c| c.is_ascii_lowercase());
        let each = |text: &'static str| {
            if is_list(text) {
                text.split(' ').collect()
            } else {
                vec![text]
            }
        };
        for (request_text, outcome_text) in each(requests)
            .into_iter()
            .flat_map(|request| each(outcomes).into_iter().map(move |it| (request, it)))
        {
            let decision = decide_retry(
                &policy,
                &request(request_text),
                1,
                false,
                &outcome(outcome_text),
            );
            let expected = match expected {
                "wait" => RetryDecision::Retry(Delay::Exactly(Duration::from_secs(42))),
                "retry" => RetryDecision::Retry(Delay::RandomUpTo(policy.first_delay)),
                _ => RetryDecision::Return,
            };
            assert_eq!(decision, expected, "{request_text}, {outcome_text}");
        }
    }
}

#[test]
fn change_that_an_earlier_attempt_may_have_made_decides() {
    use RetryDecision::{Return, ReturnDeleted, ReturnOutcomeUnknown};
    const CHANGED: &str = "412 precondition_failed";
    for (method, maybe_performed, response, expected, reason) in [
        ("DELETE", true, "404 any", ReturnDeleted, "perhaps deleted"),
        ("DELETE", false, "404 any", Return, "not deleted before"),
        ("DELETE", true, "404 route_not_found", Return, "no route"),
        ("DELETE", true, "404", Return, "of a proxy"),
        (
            "MOVE",
            true,
            "404 any",
            ReturnOutcomeUnknown,
            "perhaps moved",
        ),
        ("MOVE", false, "404 any", Return, "not moved before"),
        ("MOVE", true, "404 route_not_found", Return, "no route"),
        ("GET", true, "404 any", Return, "not a DELETE"),
        ("PATCH", true, CHANGED, ReturnOutcomeUnknown, "by itself"),
        ("PUT", false, CHANGED, Return, "by somebody else"),
        ("DELETE", true, CHANGED, Return, "the record still exists"),
    ] {
        let (request, outcome) = (request(method), outcome(response));
        let policy = RetryPolicy::default();
        let decision = decide_retry(&policy, &request, 2, maybe_performed, &outcome);
        assert_eq!(decision, expected, "{reason}");
    }
    for (text, expected) in [
        ("lost", true),
        ("503", true),
        ("429", false),
        ("unconnected", false),
    ] {
        assert_eq!(outcome(text).may_have_been_performed(), expected, "{text}");
    }
}

#[test]
fn delay_doubles_up_to_its_maximum() {
    let policy = RetryPolicy::default();
    let delays: Vec<u128> = (1..=8)
        .map(|attempt| policy.max_delay_after(attempt).as_millis())
        .collect();
    assert_eq!(delays, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    assert_eq!(policy.max_delay_after(u32::MAX), policy.max_delay);
}
