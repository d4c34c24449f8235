//! The service from outside: its program on a free port, called by the generated client with tokens of an issuer of its own.
#![allow(clippy::unwrap_used)]

use std::io::ErrorKind;
use std::net::TcpListener;
use std::process::Command;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use dropspec_service::testing::TestProcess;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use parcels_client::types::{Parcel, ZoneName};
use parcels_client::{Client, RetryPolicy};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

/// In the year 2100.
const LATER: u64 = 4_102_444_800;

/// An identity provider: its private key.
struct Issuer(EncodingKey);

impl Issuer {
    fn new() -> Issuer {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        Issuer(EncodingKey::from_ec_der(
            pair.to_pkcs8v1().unwrap().as_ref(),
        ))
    }

    /// What it publishes at its `jwks_uri`.
    fn keys(&self) -> String {
        let mut key = Jwk::from_encoding_key(&self.0, Algorithm::ES256).unwrap();
        key.common.key_id = Some("2026".to_owned());
        serde_json::to_string(&JwkSet { keys: vec![key] }).unwrap()
    }

    /// A token of the client `ann`, with these claims in place of its own.
    fn token(&self, changes: Value) -> String {
        let mut claims = json!({
            "iss": "https://login.example.com", "aud": "parcels", "sub": "ann", "exp": LATER,
            "scope": "zones:read prices:estimate"
        });
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some("2026".to_owned());
        jsonwebtoken::encode(&header, &claims, &self.0).unwrap()
    }
}

/// The server on a free port, with a database of its own.
fn serve(issuer: &Issuer, arguments: &[&str]) -> TestProcess {
    let keys = NamedTempFile::new().unwrap();
    std::fs::write(&keys, issuer.keys()).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_parcels"));
    program.env("PARCELS_ISSUER_KEYS", keys.path());
    TestProcess::serve(program.arg("serve").args(arguments)).unwrap()
}

/// A Redis on a free port, and its URL; `None` if the program is not installed.
fn redis() -> Option<(TestProcess, String)> {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
        .to_string();
    let mut program = Command::new("redis-server");
    program.args(["--bind", "127.0.0.1", "--save", "", "--port", &port]);
    match TestProcess::start(&mut program, "Ready to accept") {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        process => Some((process.unwrap(), format!("redis://127.0.0.1:{port}"))),
    }
}

/// A client with a token, which sends each request once.
fn client_of(url: &str, token: String) -> Client {
    Client::new(url)
        .with_retries(RetryPolicy::off())
        .with_login(token)
}

#[tokio::test]
async fn scopes_of_a_token_admit_its_sender() {
    let issuer = Issuer::new();
    let server = serve(&issuer, &[]);
    let parcel = Parcel::new(ZoneName::Europe, 1501);
    let client = client_of(server.url(), issuer.token(json!({})));
    assert_eq!(client.list_zones().send().await.unwrap().len(), 3);
    let estimate = client
        .estimate_price()
        .body(parcel.clone())
        .send()
        .await
        .unwrap();
    assert_eq!((estimate.cents, estimate.asked_by.as_str()), (676, "ann"));

    let reader = client_of(server.url(), issuer.token(json!({ "scope": "zones:read" })));
    reader.list_zones().send().await.unwrap();
    let refused = reader
        .estimate_price()
        .body(parcel.clone())
        .send()
        .await
        .unwrap_err();
    assert_eq!(refused.status().unwrap().as_u16(), 403, "{refused}");
    assert!(refused.message().contains("prices:estimate"), "{refused}");
}

#[tokio::test]
async fn other_tokens_are_refused() {
    let issuer = Issuer::new();
    let server = serve(&issuer, &[]);
    for token in [
        Issuer::new().token(json!({})),
        issuer.token(json!({ "exp": 1 })),
        issuer.token(json!({ "exp": null })),
        issuer.token(json!({ "aud": "letters" })),
        issuer.token(json!({ "iss": "https://login.example.org" })),
        "no token".to_owned(),
    ] {
        let error = client_of(server.url(), token.clone())
            .list_zones()
            .send()
            .await
            .unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), 401, "{token}: {error}");
    }
}

#[tokio::test]
async fn two_servers_with_one_redis_count_together() {
    let Some((_redis, limits)) = redis() else {
        return eprintln!("skipped: redis-server is not installed");
    };
    let issuer = Issuer::new();
    let servers = [(); 2].map(|()| serve(&issuer, &["--limits", &limits]));
    let token = issuer.token(json!({}));
    let clients = servers
        .each_ref()
        .map(|server| client_of(server.url(), token.clone()));
    let mut admitted = 0;
    // The plan has 20 requests a day, for both servers together.
    for client in clients.iter().cycle().take(26) {
        match client.list_zones().send().await {
            Ok(_) => admitted += 1,
            Err(error) => assert_eq!(error.status().unwrap().as_u16(), 429, "{error}"),
        }
    }
    assert_eq!(admitted, 20);
    let bob = issuer.token(json!({ "sub": "bob" }));
    client_of(servers[0].url(), bob)
        .list_zones()
        .send()
        .await
        .unwrap();
}
