//! The exchange of each break is sent to servers of both versions of an interface, which are generated from the compared
//! documents: what is said to be refused is refused, and nothing else.
#![allow(clippy::unwrap_used)]

mod servers;
mod streams;
mod webhooks;

use dropspec_diff::{Exchange, Finding, MessageKind, Policy, Proof, Side};
use dropspec_model::Document;
use serde_json::Value;
use servers::{Reply, Servers};

const BEFORE: &str = include_str!("../before/openapi.yaml");
const AFTER: &str = include_str!("../after/openapi.yaml");

/// The breaks between both versions, each with its proof.
fn breaks() -> Vec<Finding> {
    let base = Document::parse("before", BEFORE).unwrap();
    let revision = Document::parse("after", AFTER).unwrap();
    let mut policy = Policy::new("2026-11-22".parse().unwrap());
    policy.prove = true;
    let mut findings = dropspec_diff::diff(&base, &revision, &policy);
    findings.retain(|finding| finding.proof.is_some());
    findings
}

fn body(reply: &Reply) -> Value {
    serde_json::from_str(&reply.body).unwrap_or(Value::Null)
}

#[tokio::test]
async fn request_of_each_break_is_served_before_and_refused_after() {
    let servers = Servers::start();
    let mut replayed = Vec::new();
    for (id, exchange) in exchanges() {
        let before = servers.send(Side::Base, &exchange.request).await;
        let after = servers.send(Side::Revision, &exchange.request).await;
        assert_eq!(
            before.status, exchange.response.status,
            "{id}: {}",
            before.body
        );
        match exchange.refused.message {
            MessageKind::Request => {
                assert!((400..500).contains(&after.status), "{id}: {}", after.status);
                let place = exchange
                    .refused
                    .place
                    .rsplit('`')
                    .nth(1)
                    .unwrap_or_default();
                assert!(
                    after.body.contains(place.trim_start_matches('/')),
                    "{id}: {}",
                    after.body
                );
            }
            MessageKind::Response => {
                let expected: Value =
                    serde_json::from_str(exchange.response.body.as_deref().unwrap()).unwrap();
                assert_eq!(
                    (after.status, body(&after)),
                    (exchange.response.status, expected)
                );
                // The type that clients of the base read it into.
                let read = serde_json::from_str::<replay_before::types::State>(&after.body);
                assert!(read.is_err(), "{id}: {read:?}");
                let read = serde_json::from_str::<replay_before::types::State>(&before.body);
                assert!(read.is_ok(), "{id}: {read:?}");
            }
        }
        replayed.push(id);
    }
    replayed.sort();
    assert_eq!(
        replayed,
        [
            "api-removed-without-deprecation",
            "request-parameter-max-decreased",
            "request-property-became-required",
            "request-property-max-length-decreased",
            "response-property-enum-value-added",
        ]
    );
    servers.stop().await;
}

/// The exchange of each break with its rule; every break has one.
fn exchanges() -> Vec<(String, Exchange)> {
    let breaks = breaks().into_iter();
    let exchanges = breaks.map(|finding| match finding.proof {
        Some(Proof::Exchange(exchange)) => (finding.id.to_string(), *exchange),
        other => panic!("{}: {other:?}", finding.id),
    });
    exchanges.collect()
}
