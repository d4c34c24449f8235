//! The generated functions of webhooks: what a receiver gets is signed, and is the payload.

use std::time::SystemTime;

use dropspec_runtime::webhook::{Message, Receiver, Secret, SignedRequest, verify};
use replay_after::types::{Toy, ToySoldPayload};
use replay_after::webhooks;

#[test]
fn request_of_each_webhook_is_verified_by_its_receiver() {
    let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
    let secrets = vec![secret];
    let receiver = Receiver {
        url: "https://example.com/toys?from=shop".parse().unwrap(),
        secrets: secrets.clone(),
    };
    let time = SystemTime::UNIX_EPOCH;
    let message = Message { id: "msg_1", time };
    let payload = ToySoldPayload::new(Toy::new("cube", "red"));
    let sold = br#"{"toy":{"name":"cube","colour":"red"}}"#;
    let requests: [(SignedRequest, &str, &str, &[u8]); 4] = [
        (
            webhooks::toy_sold(&receiver, &message, &payload).unwrap(),
            "POST",
            "application/json",
            sold,
        ),
        (
            webhooks::report(&receiver, &message, "1,2").unwrap(),
            "PUT",
            "text/csv",
            b"1,2",
        ),
        (
            webhooks::picture(&receiver, &message, ("image/png", vec![7])).unwrap(),
            "POST",
            "image/png",
            &[7],
        ),
        (
            webhooks::closed(&receiver, &message).unwrap(),
            "POST",
            "",
            b"",
        ),
    ];
    for (request, method, media_type, body) in requests {
        let sent: reqwest::Request = request.try_into().unwrap();
        assert_eq!(
            (sent.method().as_str(), sent.url().as_str()),
            (method, "https://example.com/toys?from=shop")
        );
        let found = sent.headers().get("content-type");
        assert_eq!(found.map_or("", |of| of.to_str().unwrap()), media_type);
        let received = sent.body().and_then(|body| body.as_bytes()).unwrap();
        assert_eq!(received, body);
        let id = verify(sent.headers(), received, &secrets, time);
        assert_eq!(id, Ok("msg_1"));
    }
}
