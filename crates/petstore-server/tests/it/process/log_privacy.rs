//! The log has no API key, no hash of one and no client address, whatever clients send.

use std::io::{Read, Write};

use petstore_client::types::NewCategory;
use test_support::{ServerProcess, Storage, blocking_http, error_code, petstore};

use super::keys::{limit_or_error, send_until_banned};

/// Client addresses that a trusted proxy forwards.
const ADDRESSES: [&str; 3] = ["192.0.2.77", "2001:db8:77::1", "127.0.0.1"];

#[tokio::test]
async fn log_has_no_key_no_hash_and_no_address_in_either_format() {
    for format in ["json", "terminal"] {
        let arguments = ["--log-format", format, "--trusted-proxy", "127.0.0.0/8"];
        let server = ServerProcess::run(petstore(), Storage::new(), &arguments);
        let server = server.with_first_key();
        let secrets = provoke_log_lines(&server).await;
        let hashes = server.storage.key_hashes();
        assert!(hashes.len() >= secrets.len());

        server.process.signal("TERM");
        let (status, log, storage) = server.wait();
        let log = storage.hide_engines(&log);
        assert!(status.success(), "{log}");
        for expected in ["listPets", "401", "403", "429", "503", "route_not_found"] {
            assert!(
                log.contains(expected),
                "{expected} is not in the log: {log}"
            );
        }
        let lower = log.to_lowercase();
        for secret in &secrets {
            // Not even a part of it; its first 8 characters are its prefix.
            let (_, end) = secret.split_at(8);
            assert!(!log.contains(end), "{secret} is in the log");
        }
        for hash in hashes {
            assert!(
                !lower.contains(&hash.to_lowercase()),
                "{hash} is in the log"
            );
        }
        for address in ADDRESSES {
            assert!(!log.contains(address), "{address} is in the log: {log}");
        }
    }
}

/// Sends requests of every kind that the log has lines about; returns the secrets of all keys.
async fn provoke_log_lines(server: &ServerProcess) -> Vec<String> {
    let limits = ["--per-minute", "2", "--per-day", "9"];
    let banned = server.create_key(&[&["--plan", "enterprise"][..], &limits].concat());
    send_until_banned(&server.client_with_key(&banned)).await;
    let reader = server.create_key(&["--plan", "free", "--access", "read"]);
    let client = server.client_with_key(&reader);
    client.delete_pet().pet_id(1).send().await.unwrap_err();
    let revoked = server.create_key(&["--plan", "free"]);
    let rotate = ["rotate", &revoked[..8], "--overlap", "0s"];
    let rotated = server.run_keys(&rotate);
    let rotated = rotated["key"].as_str().unwrap().to_owned();
    let client = server.client_with_key(&revoked);
    assert_eq!(limit_or_error(&client).await, "revoked_api_key");

    let typo = reader.replace(
        &reader[9..10],
        if &reader[9..10] == "x" { "y" } else { "x" },
    );
    for address in ADDRESSES {
        for key in ["", &reader, &typo, "pst_garbage"] {
            for path in [
                "/pets",
                "/nowhere",
                "/openapi.json",
                "/pets/../pets",
                "/pets/%ff",
            ] {
                let headers = [("x-api-key", key), ("x-forwarded-for", address)];
                send_and_ignore(server, path, &headers);
            }
        }
    }
    // A new key without credit needs a lease, and its request a write. A locked database grants neither.
    let unused = server.create_key(&[&["--plan", "enterprise"][..], &limits].concat());
    let lock = server.storage.lock_writes();
    let client = server.client_with_key(&unused);
    let create = client
        .create_category()
        .body(NewCategory::builder().name("Cat"));
    assert_eq!(error_code(create.send().await), "503 unavailable");
    drop(lock);
    vec![server.key.clone(), banned, reader, revoked, rotated, unused]
}

/// Sends a request whose response does not matter.
fn send_and_ignore(server: &ServerProcess, path: &str, headers: &[(&str, &str)]) {
    let mut stream = blocking_http::connect(server.public);
    let mut request = format!("GET {path} HTTP/1.1\r\nhost: petstore\r\nconnection: close\r\n");
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        request += &format!("{name}: {value}\r\n");
    }
    stream
        .write_all(format!("{request}\r\n").as_bytes())
        .unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    assert!(response.starts_with(b"HTTP/1.1 "), "{path}");
}
