//! Which outcome leads to which verdict.

use super::*;

fn answered(status: u16) -> Outcome {
    with_code(status, None)
}

fn with_code(status: u16, code: Option<ErrorCode>) -> Outcome {
    let status = StatusCode::from_u16(status).expect("a status");
    Outcome::Answered {
        status,
        code,
        retry_after: None,
    }
}

fn asking_for(status: u16, seconds: u64) -> Outcome {
    let status = StatusCode::from_u16(status).expect("a status");
    Outcome::Answered {
        status,
        code: None,
        retry_after: Some(Duration::from_secs(seconds)),
    }
}

fn plain(method: Method) -> Repeatability {
    Repeatability {
        method,
        has_key: false,
    }
}

fn first(request: &Repeatability, outcome: &Outcome) -> Verdict {
    judge(&RetryPolicy::default(), request, 1, false, outcome)
}

fn backoff() -> Verdict {
    Verdict::Again(Wait::UpTo(RetryPolicy::default().first_delay))
}

#[test]
fn answers_are_final_unless_they_are_temporary() {
    for status in [200, 201, 204, 304, 400, 401, 403, 404, 409, 422, 500, 502] {
        let verdict = first(&plain(Method::GET), &answered(status));
        assert_eq!(verdict, Verdict::Final, "{status}");
    }
    for method in [Method::GET, Method::POST, Method::PATCH, Method::DELETE] {
        for status in [429, 503] {
            let verdict = first(&plain(method.clone()), &answered(status));
            assert_eq!(verdict, backoff(), "{method}, {status}");
        }
    }
}

#[test]
fn retry_after_is_obeyed_to_the_second() {
    for status in [429, 503] {
        let verdict = first(&plain(Method::GET), &asking_for(status, 42));
        let wait = Wait::Exactly(Duration::from_secs(42));
        assert_eq!(verdict, Verdict::Again(wait), "{status}");
    }
}

#[test]
fn a_ban_is_reported() {
    let banned = Outcome::Answered {
        status: StatusCode::TOO_MANY_REQUESTS,
        code: Some(ErrorCode::ApiKeyBanned),
        retry_after: Some(Duration::from_secs(1)),
    };
    assert_eq!(first(&plain(Method::GET), &banned), Verdict::Final);
}

#[test]
fn after_a_broken_connection_only_what_may_be_done_twice_is_sent_again() {
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let verdict = first(&plain(method.clone()), &Outcome::Lost);
        assert_eq!(verdict, backoff(), "{method}");
    }
    let keyed = |method| Repeatability {
        method,
        has_key: true,
    };
    assert_eq!(first(&keyed(Method::POST), &Outcome::Lost), backoff());
    let never = [
        plain(Method::POST),
        plain(Method::PATCH),
        keyed(Method::PATCH),
    ];
    for request in never {
        let verdict = first(&request, &Outcome::Lost);
        assert_eq!(verdict, Verdict::Final, "{request:?}");
    }
}

#[test]
fn what_nobody_heard_is_always_sent_again() {
    for method in [Method::GET, Method::POST, Method::PATCH] {
        let verdict = first(&plain(method.clone()), &Outcome::Unsent);
        assert_eq!(verdict, backoff(), "{method}");
    }
    let hopeless = first(&plain(Method::GET), &Outcome::Hopeless);
    assert_eq!(hopeless, Verdict::Final);
}

#[test]
fn a_delete_that_finds_nothing_has_succeeded_only_after_doubt() {
    let policy = RetryPolicy::default();
    let not_found = with_code(404, Some(ErrorCode::PetNotFound));
    let delete = plain(Method::DELETE);
    let verdict = |request, doubt, outcome| judge(&policy, request, 2, doubt, outcome);
    assert_eq!(verdict(&delete, true, &not_found), Verdict::AlreadyDeleted);
    assert_eq!(
        verdict(&delete, false, &not_found),
        Verdict::Final,
        "the attempt before was certainly not performed"
    );
    let elsewhere = with_code(404, Some(ErrorCode::RouteNotFound));
    assert_eq!(verdict(&delete, true, &elsewhere), Verdict::Final);
    let foreign = answered(404);
    assert_eq!(
        verdict(&delete, true, &foreign),
        Verdict::Final,
        "not the service's own answer"
    );
    let get = plain(Method::GET);
    assert_eq!(verdict(&get, true, &not_found), Verdict::Final);
}

#[test]
fn doubt_remains_where_the_request_may_have_arrived() {
    assert!(Outcome::Lost.leaves_doubt());
    assert!(answered(503).leaves_doubt());
    assert!(!answered(429).leaves_doubt());
    assert!(!Outcome::Unsent.leaves_doubt());
}

#[test]
fn the_last_attempt_is_final() {
    let policy = RetryPolicy {
        max_attempts: 3,
        ..RetryPolicy::default()
    };
    let get = plain(Method::GET);
    let verdict = |attempt| judge(&policy, &get, attempt, false, &Outcome::Lost);
    assert!(matches!(verdict(2), Verdict::Again(_)));
    assert_eq!(verdict(3), Verdict::Final);
    let off = judge(&RetryPolicy::off(), &get, 1, false, &Outcome::Lost);
    assert_eq!(off, Verdict::Final);
}

#[test]
fn the_bound_doubles_up_to_its_limit() {
    let policy = RetryPolicy::default();
    let bounds: Vec<u128> = (1..=8).map(|n| policy.bound(n).as_millis()).collect();
    assert_eq!(bounds, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    assert_eq!(policy.bound(u32::MAX), policy.max_delay);
}
