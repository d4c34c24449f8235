//! The published example, and requests that are changed on their way.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::webhook::*;

const FIRST: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SECOND: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODY: &str = r#"{"test": 2432232314}"#;

fn secret(text: &str) -> Secret {
    text.parse().unwrap()
}

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// The request of the example of the specification, signed by these secrets.
fn request(secrets: &[&str]) -> SignedRequest {
    let receiver = Receiver {
        url: "https://example.com/hook".parse().unwrap(),
        secrets: secrets.iter().map(|text| secret(text)).collect(),
    };
    let message = Message {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        time: at(1_614_265_330),
    };
    let body = Some(("application/json", BODY.into()));
    receiver.request("POST", &message, body).unwrap()
}

fn check(request: &SignedRequest, secrets: &[&str], now: u64) -> Result<String, VerifyError> {
    let secrets: Vec<Secret> = secrets.iter().map(|text| secret(text)).collect();
    verify(request.headers(), request.body(), &secrets, at(now)).map(str::to_owned)
}

#[test]
fn published_example_has_its_signature() {
    let request = request(&[FIRST]);
    let header = |name| request.headers()[name].to_str().unwrap();
    assert_eq!(header(ID), "msg_p5jXN8AQM9LWM0D4loKWxJek");
    assert_eq!(header(TIMESTAMP), "1614265330");
    assert_eq!(
        header(SIGNATURE),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(
        (
            request.method().as_str(),
            request.uri().to_string().as_str()
        ),
        ("POST", "https://example.com/hook")
    );
}

#[test]
fn either_secret_verifies_during_a_rotation() {
    let rotating = request(&[FIRST, SECOND]);
    for secrets in [&[FIRST][..], &[SECOND], &[SECOND, FIRST]] {
        let id = check(&rotating, secrets, 1_614_265_330);
        assert_eq!(id.as_deref(), Ok("msg_p5jXN8AQM9LWM0D4loKWxJek"));
    }
    let only_first = request(&[FIRST]);
    assert_eq!(
        check(&only_first, &[SECOND, FIRST], 1_614_265_330).as_deref(),
        Ok("msg_p5jXN8AQM9LWM0D4loKWxJek")
    );
}

#[test]
fn each_wrong_request_has_its_error() {
    use VerifyError::*;
    const SENT: u64 = 1_614_265_330;
    for (now, expected) in [
        (SENT + 300, None),
        (SENT + 301, Some(Age(301))),
        (SENT - 300, None),
        (SENT - 301, Some(Age(-301))),
    ] {
        assert_eq!(check(&request(&[FIRST]), &[FIRST], now).err(), expected);
    }
    assert_eq!(check(&request(&[FIRST]), &[SECOND], SENT), Err(Mismatch));
    assert_eq!(check(&request(&[FIRST]), &[], SENT), Err(Mismatch));
    let good = request(&[FIRST]).headers()[SIGNATURE].clone();
    let good = good.to_str().unwrap();
    for (header, value, expected) in [
        (
            SIGNATURE,
            "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B",
            Err(NoSignature),
        ),
        (
            SIGNATURE,
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1O==",
            Err(Mismatch),
        ),
        (SIGNATURE, "v1,", Err(Mismatch)),
        (SIGNATURE, &format!("v1a,AAAA v1,AAAA {good}"), Ok(())),
        (ID, "msg_2", Err(Mismatch)),
        (ID, "msg.2", Err(Malformed(ID))),
        (TIMESTAMP, "1614265331", Err(Mismatch)),
        (TIMESTAMP, "now", Err(Malformed(TIMESTAMP))),
    ] {
        let mut changed = request(&[FIRST]);
        changed.headers_mut().insert(header, value.parse().unwrap());
        let found = check(&changed, &[FIRST], SENT).map(|_| ());
        assert_eq!(found, expected, "{header}: {value}");
    }
    for header in [ID, TIMESTAMP, SIGNATURE] {
        let mut changed = request(&[FIRST]);
        changed.headers_mut().remove(header);
        assert_eq!(check(&changed, &[FIRST], SENT), Err(Missing(header)));
    }
    let mut changed = request(&[FIRST]);
    *changed.body_mut() = BODY.replace('2', "3").into();
    assert_eq!(check(&changed, &[FIRST], SENT), Err(Mismatch));
}

#[test]
fn what_is_no_secret_or_id_is_refused() {
    let longest = format!("whsec_{}Bw==", "BwcH".repeat(21));
    for text in [
        &FIRST[6..],
        "whsec_-",
        "whsec_AAAA",
        &longest.replace("Bw==", "BwcH"),
    ] {
        assert_eq!(text.parse::<Secret>().unwrap_err(), InvalidSecret, "{text}");
    }
    assert_eq!(format!("{:?}", secret(&longest)), "Secret");
    let receiver = Receiver {
        url: "https://example.com".parse().unwrap(),
        secrets: vec![secret(&longest)],
    };
    for id in ["", "a.b", "a b", "ä"] {
        let message = Message { id, time: at(0) };
        let refused = receiver.request("POST", &message, None);
        assert!(matches!(refused, Err(SignError::Id)), "{id}");
    }
    let receiver = Receiver {
        secrets: Vec::new(),
        ..receiver
    };
    let message = Message {
        id: "a",
        time: at(0),
    };
    let refused = receiver.request("POST", &message, None);
    assert!(matches!(refused, Err(SignError::NoSecret)));
}
