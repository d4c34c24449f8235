//! Starting: what is printed, where the settings come from, and what the help says of them.

use std::process::Command;

use tempfile::TempDir;

use super::running::{Running, serve};
use crate::binary::petstore;
use crate::folder::names;

#[tokio::test]
async fn it_says_where_it_listens_and_answers_there() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(&folder.path().join("db"));
    assert_ne!(server.address.port(), 0, "the port that it was given");
    let pets = server.client.list_pets().send().await.unwrap();
    assert!(pets.is_empty());
}

#[test]
fn the_first_start_prints_a_line_to_paste_and_no_later_one_does() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let mut server = Running::start(&database);
    let line = server.line_beginning("curl ");
    let pasted = Command::new("sh").args(["-c", &line]).output().unwrap();
    let said = String::from_utf8(pasted.stderr).unwrap();
    assert!(pasted.status.success(), "{line}: {said}");
    assert_eq!(pasted.stdout, b"[]", "{line}");

    server.signal("TERM");
    let rest = server.rest();
    assert!(!rest.contains("pst_"), "once is enough: {rest}");
    drop(server);
    let mut server = Running::start(&database);
    server.signal("TERM");
    let rest = server.rest();
    assert!(
        rest.starts_with("its panel is on ") && rest.lines().count() == 1,
        "the database is not new: {rest}"
    );
}

#[tokio::test]
async fn every_setting_can_come_from_the_environment() {
    let folder = TempDir::new().unwrap();
    let mut command = petstore();
    command
        .arg("serve")
        .current_dir(folder.path())
        .env("PETSTORE_LISTEN", "127.0.0.1:0")
        .env("PETSTORE_DATABASE", "from-the-environment.db")
        .env("PETSTORE_LOG_FORMAT", "json")
        .env("PETSTORE_LOG_LEVEL", "info");
    let database = folder.path().join("from-the-environment.db");
    let server = Running::of(&mut command, &database);
    assert!(names(folder.path()).contains(&"from-the-environment.db".to_owned()));
    server.client.list_pets().send().await.unwrap();
    server.signal("TERM");
    let (status, log) = server.end();
    assert!(status.success(), "{log}");
    let request = log.lines().find(|line| line.contains("listPets")).unwrap();
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    assert_eq!(request["status"], 200);
    assert!(request["request_id"].is_string());
    assert!(!log.contains("127.0.0.1"), "no address of a client: {log}");
}

#[test]
fn the_command_line_goes_before_the_environment() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let mut command = serve(&database);
    command.env("PETSTORE_DATABASE", folder.path().join("other"));
    let server = Running::of(&mut command, &database);
    let names = names(folder.path());
    assert!(names.contains(&"db".to_owned()) && !names.contains(&"other".to_owned()));
    server.kill();
}

#[test]
fn the_help_tells_every_flag_with_its_variable() {
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
        "trusted-proxy",
        "admin-listen",
        "tls-cert",
        "tls-key",
        "log-format",
        "log-level",
    ];
    for known in all {
        assert!(flags.contains(&known), "{known} is not in {flags:?}");
    }
    for flag in flags {
        let variable = format!("PETSTORE_{}", flag.to_uppercase().replace('-', "_"));
        assert!(serve.contains(&format!("[env: {variable}=")), "{variable}");
    }
}

#[test]
fn a_flag_that_makes_no_sense_is_refused() {
    for (flag, value, way_out) in [
        ("--listen", "localhost:80", "such as 127.0.0.1:8080"),
        ("--admin-listen", "9090", "such as 127.0.0.1:8080"),
        (
            "--trusted-proxy",
            "nginx",
            "such as 127.0.0.1 or 10.0.0.0/8",
        ),
        ("--log-level", "loud", "error, warn, info, debug"),
        ("--log-format", "silent", "terminal, json"),
    ] {
        let output = petstore().args(["serve", flag, value]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag}");
        let said = String::from_utf8(output.stderr).unwrap();
        for part in [flag, value, way_out] {
            assert!(said.contains(part), "{part} is missing in {said}");
        }
    }
}
