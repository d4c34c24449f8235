//! Exit codes and messages.

use std::process::Command;

use test_support::TestApp;

use crate::command::{ctl, run, run_line};

#[tokio::test(flavor = "multi_thread")]
async fn service_error_exits_with_1() {
    let app = TestApp::start().await;
    let failed = ctl(&app, "get-pet --pet-id 9").await;
    assert_eq!(failed.code, Some(1));
    assert_eq!(failed.out, "");
    assert!(
        failed.err.contains("(pet_not_found, request "),
        "{}",
        failed.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_exit_with_2() {
    let app = TestApp::start().await;
    let lines = [
        ("get-pet", "<PET-ID>"),
        (
            "get-pet Mittens",
            "petstorectl: <PET-ID>: \"Mittens\" is not a whole number\n",
        ),
        (
            "get-pet --pet-id Mittens",
            "petstorectl: --pet-id: \"Mittens\" is not a whole number\n",
        ),
        ("get-pet", "Usage: petstorectl get-pet [OPTIONS] <PET-ID>"),
        (
            "create-pet",
            "Usage: petstorectl create-pet [OPTIONS] --name <TEXT> --category-id <INTEGER>",
        ),
        ("get-category 1 --category-id 1", "<CATEGORY-ID>"),
        ("list-pets --status asleep", "asleep"),
        (
            "update-order --order-id 1 --ship-date 2026-12-01",
            "--ship-date: \"2026-12-01\" is not a time such as 2026-12-31T23:59:00Z",
        ),
        ("no-such-command", "no-such-command"),
        ("create-category --body-file /no/such/file", "/no/such/file"),
        (
            "list-pets --limit 500",
            "--limit: 500 is greater than the maximum of 100",
        ),
    ];
    for (line, word) in lines {
        let failed = ctl(&app, line).await;
        assert_eq!(failed.code, Some(2), "{line}: {}", failed.err);
        assert!(failed.err.contains(word), "{line}: {}", failed.err);
    }
    for key in ["", "--key= "] {
        let without_key = run_line(&format!("{key}--url {} list-pets", app.base_url())).await;
        assert_eq!(without_key.code, Some(2));
        assert!(
            without_key.err.contains(
                "use --key, PETSTORE_API_KEY, or `key` in a profile in /nonexistent/petstore/config.toml"
            ),
            "{}",
            without_key.err
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_url_exits_with_2() {
    for url in [
        "garbage",
        "127.0.0.1:8080",
        "http://",
        "ftp://127.0.0.1",
        "http://127.0.0.1:8080?x=1",
    ] {
        let failed = run_line(&format!("--key x --url {url} list-pets")).await;
        assert_eq!(failed.code, Some(2), "{url}: {}", failed.err);
        assert!(failed.err.contains("URL"), "{url}: {}", failed.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_response_exits_with_3() {
    // Bound, so that no other process gets the port, but not listening.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = silent.local_addr().unwrap();
    let line = format!("--url http://{address} --key x --timeout 1 list-pets");
    let failed = run_line(&line).await;
    assert_eq!(failed.code, Some(3), "{}", failed.err);
    assert!(failed.err.contains("refused"), "{}", failed.err);
    let lines: Vec<&str> = failed.err.lines().collect();
    let (last, retries) = lines.split_last().unwrap();
    let announced = format!(
        "petstorectl: no connection to http://{address} (connection refused); trying again for at most 1 seconds"
    );
    assert_eq!(retries, [announced]);
    let advice = "; the base URL is from --url";
    assert!(
        last.contains("; tried ") && last.ends_with(advice),
        "{last}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_of_the_service_is_said_once() {
    let app = TestApp::start().await;
    let key = app.create_key_with_limits(1, 1).await;
    let line = format!(
        "--url {} --key {} --timeout 20 list-pets",
        app.base_url(),
        key.text()
    );
    assert_eq!(run_line(&line).await.code, Some(0));

    let limited = run_line(&line).await;

    assert_eq!(limited.code, Some(1));
    assert_eq!(limited.err.matches("seconds").count(), 1, "{}", limited.err);
    assert!(
        limited
            .err
            .contains(" seconds (rate_limit_exceeded, request "),
        "{}",
        limited.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_url_and_key_from_environment() {
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
async fn completions_contain_every_command() {
    let script = run_line("completions fish").await;
    assert_eq!(script.code, Some(0), "{}", script.err);
    assert!(script.out.contains("set-inventory"));
}

#[tokio::test(flavor = "multi_thread")]
async fn help_shows_exit_codes_and_hides_key() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    command.arg("--help").env("PETSTORE_API_KEY", "pst_secret");
    let help = run(command).await;
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("Exit codes:"));
    assert!(help.out.contains("list-pets"));
    assert!(!help.out.contains("pst_secret"));
}
