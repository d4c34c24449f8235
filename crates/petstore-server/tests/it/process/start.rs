//! `petstore serve`: its output, its settings, and its help.

use std::process::Command;

use tempfile::TempDir;

use test_support::files::file_names;
use test_support::{Process, ServerProcess, blocking_http, petstore};

#[test]
fn only_the_first_start_prints_a_curl_line_with_the_first_key() {
    let mut server = ServerProcess::run(petstore(), TempDir::new().unwrap(), &[]);
    assert_ne!(server.public.port(), 0, "the port that is in use");
    let line = server.process.read_line_with_prefix("curl ");
    let pasted = Command::new("sh").args(["-c", &line]).output().unwrap();
    let stderr = String::from_utf8(pasted.stderr).unwrap();
    assert!(pasted.status.success(), "{line}: {stderr}");
    assert_eq!(pasted.stdout, b"[]", "{line}");

    server.process.signal("TERM");
    let rest = server.process.read_rest();
    assert!(!rest.contains("pst_"), "{rest}");
    let directory = server.wait_for_success();
    let mut server = ServerProcess::run(petstore(), directory, &[]);
    server.process.signal("TERM");
    assert_eq!(server.process.read_rest(), "");
}

#[test]
fn settings_come_from_the_environment_unless_a_flag_overrides_them() {
    let folder = TempDir::new().unwrap();
    let mut command = petstore();
    command
        .args(["serve", "--log-level", "info"])
        .current_dir(folder.path())
        .env("PETSTORE_LISTEN", "127.0.0.1:0")
        .env("PETSTORE_DATABASE", "from-the-environment.db")
        .env("PETSTORE_LOG_FORMAT", "json")
        .env("PETSTORE_LOG_LEVEL", "error");
    let mut server = Process::run(&mut command);
    let address = server.read_address();
    assert!(file_names(folder.path()).contains(&"from-the-environment.db".to_owned()));
    assert_eq!(blocking_http::get(address, "/pets").status, 401);
    server.signal("TERM");
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
    let request = log.lines().find(|line| line.contains("listPets")).unwrap();
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    assert_eq!(request["status"], 401);
}

#[test]
fn largest_body_is_a_setting() {
    let flags = ["--max-body", "11"];
    let server = ServerProcess::run(petstore(), TempDir::new().unwrap(), &flags);
    let server = server.with_first_key();
    let key = &server.key;
    for (body, status) in [("{\"name\":\"a\"}", 413), ("{\"name\": 1}", 422)] {
        let length = body.len();
        let request = format!(
            "POST /categories HTTP/1.1\r\nHost: petstore\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        let response = blocking_http::send(server.public, &request);
        assert_eq!(response.status, status, "{body}");
    }
}

#[test]
fn help_lists_every_flag_with_its_environment_variable() {
    let help = |arguments: &[&str]| {
        let output = petstore().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let top = help(&["--help"]);
    assert!(top.contains("serve") && top.contains("empty folder to try it"));

    let serve = help(&["serve", "--help"]);
    let flags: Vec<&str> = serve
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|flag| *flag != "help")
        .collect();
    let all = [
        "listen",
        "database",
        "limits",
        "trusted-proxy",
        "admin-listen",
        "tls-cert",
        "tls-key",
        "log-format",
        "log-level",
        "log-sample",
        "max-body",
        "max-raw-body",
    ];
    for known in all {
        assert!(flags.contains(&known), "{known} is not in {flags:?}");
    }
    for flag in flags {
        let variable = format!("PETSTORE_{}", flag.to_uppercase().replace('-', "_"));
        // The value is not shown where it may have a password.
        let shown = ["=", "]"].map(|end| format!("[env: {variable}{end}"));
        assert!(shown.iter().any(|it| serve.contains(it)), "{variable}");
    }
}

#[test]
fn invalid_flag_values_are_rejected_with_an_example() {
    for (flag, value, help) in [
        ("--listen", "localhost:80", "such as 127.0.0.1:8080"),
        ("--admin-listen", "9090", "such as 127.0.0.1:8080"),
        (
            "--trusted-proxy",
            "nginx",
            "such as 127.0.0.1 or 10.0.0.0/8",
        ),
        ("--log-level", "loud", "error, warn, info, debug"),
        ("--log-format", "silent", "terminal, json"),
        ("--log-sample", "0", "from 1 to 4294967295"),
        ("--max-body", "0", "would be zero"),
    ] {
        let output = petstore().args(["serve", flag, value]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        for part in [flag, value, help] {
            assert!(stderr.contains(part), "{part} is missing in {stderr}");
        }
    }
}
