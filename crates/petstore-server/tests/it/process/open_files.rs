//! Connections without number: the panel goes on when files have run out, and the operator is warned before.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use test_support::{ServerProcess, blocking_http, petstore_by};

/// More than the server needs for itself, and less than the test opens.
const MAX_FILES: usize = 200;

/// A server that may have few open files.
fn start() -> ServerProcess {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -n {MAX_FILES} && exec \"$@\""), "sh"]);
    // More connections than files, which are fewer by default.
    let limits = [
        "--head-timeout",
        "5m",
        "--max-connections",
        "1000",
        "--max-connections-per-address",
        "1000",
    ];
    ServerProcess::run(petstore_by(shell), TempDir::new().unwrap(), &limits).with_first_key()
}

/// As many silent connections as the server may have files. The last ones wait to be accepted.
fn use_all_files(server: &ServerProcess) -> Vec<TcpStream> {
    assert_eq!(server.metric("petstore_max_files"), MAX_FILES as u64);
    let connect = |_| blocking_http::connect(server.public);
    let silent = (0..MAX_FILES).map(connect).collect();
    server.wait_for_log_line(|line| line["not_accepted"].as_u64().is_some_and(|it| it > 0));
    silent
}

#[test]
fn panel_answers_while_all_files_are_in_use_and_the_operator_is_warned() {
    let server = start();
    assert_eq!(server.metric("petstore_open_connections"), 1, "its own");
    let silent = use_all_files(&server);
    for _ in 0..20 {
        for path in ["/healthz", "/readyz"] {
            let page = server.get_panel(path);
            assert_eq!(page.status, 200, "{}", page.text());
        }
        let files = server.metric("petstore_open_files");
        assert!(
            files <= MAX_FILES as u64,
            "{files}: was a descriptor above the limit inherited?"
        );
        assert!(files > MAX_FILES as u64 - 5, "{files} files are open");
    }
    assert!(server.metric("petstore_open_connections") > 100);
    // Those at the same time have a spare file each.
    let begin = |_| {
        let mut stream = blocking_http::connect(server.panel);
        stream.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
        stream
    };
    let incomplete: Vec<_> = (0..30).map(begin).collect();
    assert_eq!(server.get_panel("/readyz").text(), "ready\n");
    drop(incomplete);

    let logged = |text: &str| {
        let line = server.wait_for_log_line(|line| {
            let message = line["msg"].as_str();
            message.is_some_and(|it| it.starts_with("open files") && it.contains(text))
        });
        assert_eq!(
            (&line["level"], &line["max"]),
            (&json!("WARN"), &json!(MAX_FILES))
        );
        line["open"].as_u64().unwrap()
    };
    assert!(logged("are running out") >= MAX_FILES as u64 * 8 / 10);
    drop(silent);
    assert!(logged("are no longer running out") < MAX_FILES as u64 * 7 / 10);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    server.stop();
}
