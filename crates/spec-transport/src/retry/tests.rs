//! Outcomes of attempts, and the decisions that follow.

use super::*;

const LOST: AttemptOutcome = AttemptOutcome::NoResponse(NoResponse::Lost);

fn response(status: u16) -> AttemptOutcome {
    response_with(status, None, None)
}

fn response_with(
    status: u16,
    code: Option<ErrorCode>,
    retry_after: Option<Duration>,
) -> AttemptOutcome {
    AttemptOutcome::Response {
        status: StatusCode::from_u16(status).expect("a status"),
        code,
        retry_after,
    }
}

fn without_key(method: Method) -> RequestKind {
    RequestKind {
        method,
        has_idempotency_key: false,
        unavailable: Unavailable::SendAgain,
    }
}

fn with_key(method: Method) -> RequestKind {
    RequestKind {
        method,
        has_idempotency_key: true,
        unavailable: Unavailable::SendAgain,
    }
}

/// The decision after the first attempt.
fn decide(request: &RequestKind, outcome: &AttemptOutcome) -> RetryDecision {
    decide_retry(&RetryPolicy::default(), request, 1, false, outcome)
}

fn backoff() -> RetryDecision {
    RetryDecision::Retry(Delay::RandomUpTo(RetryPolicy::default().first_delay))
}

#[test]
fn retries_429_and_503_and_no_other_status() {
    for status in [200, 201, 204, 304, 400, 401, 403, 404, 409, 422, 500, 502] {
        let decision = decide(&without_key(Method::GET), &response(status));
        assert_eq!(decision, RetryDecision::Return, "{status}");
    }
    for method in [Method::GET, Method::POST, Method::PATCH, Method::DELETE] {
        for status in [429, 503] {
            let decision = decide(&without_key(method.clone()), &response(status));
            assert_eq!(decision, backoff(), "{method}, {status}");
        }
    }
}

#[test]
fn waits_exactly_as_retry_after_says() {
    let wait = Duration::from_secs(42);
    for status in [429, 503] {
        let outcome = response_with(status, None, Some(wait));
        let decision = decide(&without_key(Method::GET), &outcome);
        let expected = RetryDecision::Retry(Delay::Exactly(wait));
        assert_eq!(decision, expected, "{status}");
    }
}

#[test]
fn returns_a_ban_at_once() {
    let wait = Some(Duration::from_secs(1));
    let banned = response_with(429, Some(ErrorCode::ApiKeyBanned), wait);
    let decision = decide(&without_key(Method::GET), &banned);
    assert_eq!(decision, RetryDecision::Return);
}

#[test]
fn repeats_only_safe_requests_after_a_lost_connection() {
    let lost = LOST;
    let safe = [
        without_key(Method::GET),
        without_key(Method::PUT),
        without_key(Method::DELETE),
        with_key(Method::POST),
    ];
    for request in safe {
        assert_eq!(decide(&request, &lost), backoff(), "{request:?}");
    }
    let unsafe_requests = [
        without_key(Method::POST),
        without_key(Method::PATCH),
        with_key(Method::PATCH),
    ];
    for request in unsafe_requests {
        let decision = decide(&request, &lost);
        assert_eq!(decision, RetryDecision::Return, "{request:?}");
    }
}

#[test]
fn repeats_any_request_that_was_not_sent() {
    for method in [Method::GET, Method::POST, Method::PATCH] {
        let decision = decide(
            &without_key(method.clone()),
            &AttemptOutcome::NoResponse(NoResponse::NotSent),
        );
        assert_eq!(decision, backoff(), "{method}");
    }
    let hopeless = AttemptOutcome::NoResponse(NoResponse::Hopeless(String::new()));
    let decision = decide(&without_key(Method::GET), &hopeless);
    assert_eq!(decision, RetryDecision::Return);
}

#[test]
fn delete_that_gets_404_succeeds_only_after_an_attempt_of_unknown_outcome() {
    let policy = RetryPolicy::default();
    let decide = |method, maybe_performed, code| {
        let outcome = response_with(404, code, None);
        decide_retry(&policy, &without_key(method), 2, maybe_performed, &outcome)
    };
    let (delete, get) = (Method::DELETE, Method::GET);
    let not_found = Some(ErrorCode::Other);
    let cases = [
        (
            &delete,
            true,
            not_found,
            RetryDecision::ReturnDeleted,
            "may have been deleted",
        ),
        (
            &delete,
            false,
            not_found,
            RetryDecision::Return,
            "certainly not deleted before",
        ),
        (
            &delete,
            true,
            Some(ErrorCode::RouteNotFound),
            RetryDecision::Return,
            "no such route",
        ),
        (
            &delete,
            true,
            None,
            RetryDecision::Return,
            "not the service's own response",
        ),
        (&get, true, not_found, RetryDecision::Return, "not a DELETE"),
    ];
    for (method, maybe_performed, code, expected, reason) in cases {
        let decision = decide(method.clone(), maybe_performed, code);
        assert_eq!(decision, expected, "{reason}");
    }
}

#[test]
fn write_that_gets_412_after_an_attempt_of_unknown_outcome_has_an_unknown_outcome() {
    let policy = RetryPolicy::default();
    let cases = [
        (
            Method::PUT,
            true,
            RetryDecision::ReturnOutcomeUnknown,
            "perhaps changed by itself",
        ),
        (
            Method::PATCH,
            true,
            RetryDecision::ReturnOutcomeUnknown,
            "after a 503",
        ),
        (
            Method::PUT,
            false,
            RetryDecision::Return,
            "changed by somebody else",
        ),
        (
            Method::DELETE,
            true,
            RetryDecision::Return,
            "the record still exists",
        ),
    ];
    for (method, maybe_performed, expected, reason) in cases {
        let changed = response_with(412, Some(ErrorCode::PreconditionFailed), None);
        let request = without_key(method);
        let decision = decide_retry(&policy, &request, 2, maybe_performed, &changed);
        assert_eq!(decision, expected, "{reason}");
    }
}

#[test]
fn lost_connection_and_503_may_have_been_performed() {
    assert!(LOST.may_have_been_performed());
    assert!(response(503).may_have_been_performed());
    assert!(!response(429).may_have_been_performed());
    assert!(!AttemptOutcome::NoResponse(NoResponse::NotSent).may_have_been_performed());
}

#[test]
fn returns_after_the_last_attempt() {
    let policy = RetryPolicy {
        max_attempts: 3,
        ..RetryPolicy::default()
    };
    let get = without_key(Method::GET);
    let decide = |policy, attempt| decide_retry(policy, &get, attempt, false, &LOST);
    assert!(matches!(decide(&policy, 2), RetryDecision::Retry(_)));
    assert_eq!(decide(&policy, 3), RetryDecision::Return);
    assert_eq!(decide(&RetryPolicy::off(), 1), RetryDecision::Return);
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

#[test]
fn unsafe_request_is_not_repeated_where_a_503_says_nothing() {
    for (request, expected) in [
        (without_key(Method::GET), backoff()),
        (with_key(Method::POST), backoff()),
        (without_key(Method::POST), RetryDecision::Return),
        (with_key(Method::PATCH), RetryDecision::Return),
    ] {
        let request = RequestKind {
            unavailable: Unavailable::OutcomeUnknown,
            ..request
        };
        assert_eq!(decide(&request, &response(503)), expected, "{request:?}");
        assert_eq!(decide(&request, &response(429)), backoff(), "{request:?}");
    }
}
