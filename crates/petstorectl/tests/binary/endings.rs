//! Exit codes, messages, and what needs no service at all.

use std::process::Command;

use test_support::TestApp;

use crate::ctl::{bare, ctl, run};

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_ends_with_1() {
    let app = TestApp::start().await;
    let refused = ctl(&app, "get-pet --pet-id 9").await;
    assert_eq!(refused.code, Some(1));
    assert_eq!(refused.out, "");
    assert!(refused.err.contains("(pet_not_found)"), "{}", refused.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_ends_with_2() {
    let app = TestApp::start().await;
    let lines = [
        ("get-pet", "--pet-id"),
        ("get-pet --pet-id Mittens", "Mittens"),
        ("list-pets --status asleep", "asleep"),
        (
            "update-order --order-id 1 --ship-date 2026-12-01",
            "--ship-date <YYYY-MM-DDThh:mm:ssZ>",
        ),
        ("no-such-command", "no-such-command"),
        ("create-category --json-body /no/such/file", "/no/such/file"),
    ];
    for (line, word) in lines {
        let mistaken = ctl(&app, line).await;
        assert_eq!(mistaken.code, Some(2), "{line}: {}", mistaken.err);
        assert!(mistaken.err.contains(word), "{line}: {}", mistaken.err);
    }
    for key in ["", "--key= "] {
        let keyless = bare(&format!("{key}--url {} list-pets", app.base_url())).await;
        assert_eq!(keyless.code, Some(2));
        assert!(keyless.err.contains("PETSTORE_API_KEY"), "{}", keyless.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistaken_url_ends_with_2() {
    for url in [
        "garbage",
        "127.0.0.1:8080",
        "http://",
        "ftp://127.0.0.1",
        "http://127.0.0.1:8080?x=1",
    ] {
        let mistaken = bare(&format!("--key x --url {url} list-pets")).await;
        assert_eq!(mistaken.code, Some(2), "{url}: {}", mistaken.err);
        assert!(mistaken.err.contains("URL"), "{url}: {}", mistaken.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_with_3() {
    // Taken, so that nobody else gets the port, but not listened on.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = silent.local_addr().unwrap();
    let line = format!("--url http://{address} --key x --timeout 1 list-pets");
    let unreached = bare(&line).await;
    assert_eq!(unreached.code, Some(3), "{}", unreached.err);
    assert!(unreached.err.contains("refused"), "{}", unreached.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn url_and_key_may_come_from_the_environment() {
    let app = TestApp::start().await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    command
        .arg("list-pets")
        .env("PETSTORE_URL", app.base_url())
        .env("PETSTORE_API_KEY", app.owner_key());
    let listed = run(command).await;
    assert_eq!(listed.code, Some(0), "{}", listed.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn shells_can_complete_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = bare(&format!("completions {shell}")).await;
        assert_eq!(script.code, Some(0), "{shell}: {}", script.err);
        assert!(script.out.contains("set-inventory"), "{shell}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn help_tells_the_exit_codes_and_not_the_key() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    command.arg("--help").env("PETSTORE_API_KEY", "pst_secret");
    let help = run(command).await;
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("Exit codes:"));
    assert!(help.out.contains("list-pets"));
    assert!(!help.out.contains("pst_secret"));
}
