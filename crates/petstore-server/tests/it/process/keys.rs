//! `petstore keys` as a process. The commands are tested in `dropspec-gate`, and what a running server makes of them in `key_changes`.

use petstore_client::Client;
use tempfile::TempDir;
use test_support::files::read_files;
use test_support::{ServerProcess, Storage, error_line, petstore, poll_until, run_petstore};

/// Sends a request, and returns the rate limit in its response, or its error code.
pub async fn limit_or_error(client: &Client) -> String {
    match client.list_pets().send().await {
        Ok(pets) => {
            let limit = &pets.headers()["x-ratelimit-limit"];
            limit.to_str().unwrap().to_owned()
        }
        Err(petstore_client::RequestError::ErrorResponse(error)) => error.code.clone(),
        Err(other) => panic!("{other}"),
    }
}

/// Sends requests until the key of `client` is banned.
pub async fn send_until_banned(client: &Client) {
    // Each new minute admits some more.
    for _ in 0..1000 {
        if limit_or_error(client).await == "api_key_banned" {
            return;
        }
    }
    panic!("no ban after 1000 requests");
}

#[test]
fn log_has_the_first_refused_request_of_a_key_in_a_second_and_counts_the_others() {
    let mut server = ServerProcess::start();
    server.key = server.create_limited_key(1, 100);
    let line = poll_until("a line that counts others", || {
        for _ in 0..50 {
            server.send("GET", "/pets", "");
        }
        let lines = server.read_log();
        lines.into_iter().find(|line| line["left_out"].is_u64())
    });
    assert_eq!(line["status"], 429);
    assert_eq!(line["key"], server.key[..8]);
}

#[test]
fn failed_commands_end_with_status_2_and_one_line() {
    let storage = ServerProcess::start().stop();
    for (command, reason) in [
        ("show 424242", "there is no key 424242"),
        (
            "set-plan 1 --plan enterprise --json",
            "--per-minute N and --per-day N",
        ),
    ] {
        let mut keys = petstore();
        storage.set_environment(&mut keys);
        keys.arg("keys").args(command.split(' '));
        let line = error_line(&keys.output().unwrap());
        assert!(line.contains(reason), "{line}");
    }
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "milk").unwrap();
    let before = read_files(folder.path());
    for (name, reason) in [
        ("none.db", "create one with `petstore serve`"),
        ("notes.txt", "not a SQLite database"),
    ] {
        let arguments = ["keys", "list", "--database", name];
        let line = error_line(&run_petstore(folder.path(), &arguments));
        assert!(line.contains(reason), "{line}");
    }
    assert!(read_files(folder.path()) == before);
}

#[test]
fn list_of_keys_ends_quietly_when_its_reader_does() {
    let storage: Storage = ServerProcess::start_on_file().stop();
    for (arguments, code) in [(["list", "--json"], 0), (["rotate", "1"], 2)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = petstore();
        storage.set_environment(&mut command);
        command.arg("keys").args(arguments).stdout(writer);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert_eq!(output.stderr.is_empty(), code == 0, "{output:?}");
    }
}
