//! What the log does not tell: no key, no hash and no address, whatever happens to keys and callers.

use std::io::{Read, Write};
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;

use super::keys::{ban, created, ending, keys};
use super::running::{KEY, Running};
use crate::binary::petstore;
use crate::wire;

/// A client that a trusted proxy names.
const ADDRESSES: [&str; 3] = ["192.0.2.77", "2001:db8:77::1", "127.0.0.1"];

#[tokio::test]
async fn no_line_of_the_log_names_a_key_a_hash_or_an_address() {
    for format in ["json", "terminal"] {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("db");
        let mut command = petstore();
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.args(["--log-format", format, "--trusted-proxy", "127.0.0.0/8"]);
        command.arg("--database").arg(&database);
        let mut server = Running::of(&mut command, &database);
        let first = server.line_beginning("curl ");
        let first = first
            .split(['\'', ' '])
            .find(|word| word.starts_with("pst_"));

        let mut secrets = vec![KEY.to_owned(), first.unwrap().to_owned()];
        secrets.extend(everything_happens(&server, &database).await);
        let hashes = hashes(&database);
        assert!(hashes.len() >= secrets.len());

        server.signal("TERM");
        let (status, log) = server.end();
        assert!(status.success(), "{log}");
        for happened in ["listPets", "401", "403", "429", "503", "route_not_found"] {
            assert!(
                log.contains(happened),
                "{happened} is not in the log: {log}"
            );
        }
        let lower = log.to_lowercase();
        for secret in &secrets {
            // Not even a part that would help to guess the rest.
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

/// Makes the server say all that it can say of keys and callers; returns the secrets that there are.
async fn everything_happens(server: &Running, database: &Path) -> Vec<String> {
    let plan = [
        "--plan",
        "enterprise",
        "--per-minute",
        "2",
        "--per-day",
        "9",
    ];
    let banned = created(database, &plan);
    ban(&server.client_of(&banned)).await;
    let reader = created(database, &["--plan", "free", "--access", "read"]);
    let client = server.client_of(&reader);
    let refused = client.delete_pet().pet_id(1).send().await;
    refused.unwrap_err();
    let revoked = created(database, &["--plan", "free"]);
    let rotated = keys(database, &["rotate", &revoked[..8], "--overlap", "0s"]);
    let rotated = rotated["key"].as_str().unwrap().to_owned();
    assert_eq!(ending(&server.client_of(&revoked)).await, "revoked_api_key");

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
                say(
                    server,
                    path,
                    &[("x-api-key", key), ("x-forwarded-for", address)],
                );
            }
        }
    }
    // It cannot lease for a newcomer while somebody else writes, and says so.
    let newcomer = created(database, &["--plan", "pro"]);
    let other = Connection::open(database).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(ending(&server.client_of(&newcomer)).await, "unavailable");
    drop(other);
    vec![banned, reader, revoked, rotated, newcomer]
}

/// Sends a request of which only the log is of interest.
fn say(server: &Running, path: &str, headers: &[(&str, &str)]) {
    let mut stream = wire::connect(server.address);
    let mut request = format!("GET {path} HTTP/1.1\r\nhost: petstore\r\nconnection: close\r\n");
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        request += &format!("{name}: {value}\r\n");
    }
    stream
        .write_all(format!("{request}\r\n").as_bytes())
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 "), "{path}");
}

/// The hashes of all keys, in hexadecimal digits.
fn hashes(database: &Path) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let mut all = connection
        .prepare("SELECT hex(hash) FROM api_key_secrets")
        .unwrap();
    let hashes = all.query_map([], |row| row.get(0)).unwrap();
    hashes.collect::<rusqlite::Result<_>>().unwrap()
}
