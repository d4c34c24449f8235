//! Tests of the parsers of flags, and of the limits of waits.

use dropspec_runtime::RateLimits;
use dropspec_store::sqlite::EngineConfig;

use super::*;

#[test]
fn proxy_is_an_address_or_a_network() {
    for (text, expected) in [
        ("127.0.0.1", Some("127.0.0.1/32")),
        ("::1", Some("::1/128")),
        ("10.0.0.0/8", Some("10.0.0.0/8")),
        ("10.0.0.0/33", None),
        ("proxy.example", None),
        ("", None),
    ] {
        let network = parse_network(text).ok().map(|it| it.to_string());
        assert_eq!(network.as_deref(), expected, "{text}");
    }
}

#[test]
fn waits_of_a_request_end_before_a_proxy_gives_up() {
    let store = EngineConfig::new("db");
    let read = store.read_timeout + store.busy_timeout;
    let ledger = LimiterPolicy::new(RateLimits {
        per_minute: 1,
        per_day: 1,
    });
    let ledger = ledger.ledger_timeout;
    let waits =
        read + ledger + RequestPolicy::default().body_timeout + store.write_timeout.max(read);
    // `proxy_read_timeout` in docs/proxy/nginx.conf, `timeout server` in haproxy.cfg.
    assert!(waits < Duration::from_secs(30), "{waits:?}");
}
