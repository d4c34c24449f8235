//! What all commands have: ids by position, output formats, profiles, the exchange, and what belongs to the shell.

use test_support::TestApp;

use crate::command::{ctl, run_line, run_with_variables};

#[tokio::test(flavor = "multi_thread")]
async fn warns_of_deprecated_command() {
    let app = TestApp::start().await;
    app.create_pet("Mittens").await;
    let note =
        "petstorectl: get-pet is deprecated: it may be removed after 2027-06-30; use `list-pets`\n";

    let deprecated = ctl(&app, "get-pet 1").await;

    assert_eq!((deprecated.code, deprecated.err.as_str()), (Some(0), note));
    assert_eq!(ctl(&app, "list-pets").await.err, "");
    let help = run_line("--help").await.out;
    let words: Vec<&str> = help.split_whitespace().collect();
    let about = "Get a pet (deprecated: it may be removed after 2027-06-30; use `list-pets`)";
    assert!(words.join(" ").contains(about), "{help}");
}

#[tokio::test(flavor = "multi_thread")]
async fn table_has_times_for_people_and_json_has_those_of_the_service() {
    let app = TestApp::start().await;
    app.create_pet("Mittens").await;
    let order = ctl(
        &app,
        "place-order --pet-id 1 --ship-date 2020-02-29T12:30:00Z",
    )
    .await;
    let limits = ctl(&app, "get-rate-limit").await;
    let json = ctl(&app, "get-rate-limit --output json").await.json();

    assert!(
        order.out.contains("2020-02-29 12:30:00 UTC ("),
        "{}",
        order.out
    );
    assert!(order.out.contains(" days ago)"), "{}", order.out);
    let reset = limits
        .out
        .lines()
        .find(|line| line.starts_with("day.reset"));
    assert!(
        reset.is_some_and(|line| line.contains(" 00:00:00 UTC (")),
        "{}",
        limits.out
    );
    assert!(json["day"]["reset"].is_i64(), "{json}");
}

#[tokio::test(flavor = "multi_thread")]
async fn profile_sets_url_key_and_format() {
    let app = TestApp::start().await;
    app.create_category("Cat").await;
    let config = tempfile::tempdir().unwrap();
    let (url, key) = (app.base_url(), app.owner_key());
    let file = format!(
        "default-profile = \"shop\"\n[profiles.shop]\nurl = \"{url}\"\nkey = \"{key}\"\noutput = \"jsonl\"\n"
    );
    std::fs::create_dir(config.path().join("petstore")).unwrap();
    std::fs::write(config.path().join("petstore/config.toml"), file).unwrap();
    let home = ("XDG_CONFIG_HOME", config.path().to_str().unwrap());

    let default = run_with_variables("list-categories", &[home]).await;
    let option = run_with_variables("list-categories --output csv", &[home]).await;
    let named = [home, ("PETSTORE_PROFILE", "none")];
    let unknown = run_with_variables("list-categories", &named).await;
    let help = run_with_variables("list-categories --help", &[home]).await;

    let shown = "{\"id\":1,\"name\":\"Cat\"}\n";
    assert_eq!(default.out, shown, "{}", default.err);
    assert_eq!(option.out, "id,name\r\n1,Cat\r\n");
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    let help = help.out;
    assert!(help.contains("--profile <NAME>"), "{help}");
    assert!(!help.contains(key), "{help}");
    #[cfg(unix)]
    for part in ["others can read the keys", "chmod 600 "] {
        assert!(default.err.contains(part), "{}", default.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verbose_shows_the_exchange_without_the_key() {
    let app = TestApp::start().await;

    let created = ctl(&app, "create-category --name Cat --verbose").await;

    let lines: Vec<&str> = created.err.lines().collect();
    let url = app.base_url();
    assert_eq!(
        lines.first(),
        Some(&format!("> POST {url}/categories").as_str())
    );
    for line in [
        "> x-api-key: (not shown)",
        "> {\"name\":\"Cat\"}",
        "< 201 Created",
        "< content-type: application/json",
    ] {
        assert!(lines.contains(&line), "{line}: {}", created.err);
    }
    assert!(!created.err.contains(app.owner_key()), "{}", created.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn installs_completions_and_prints_the_manual() {
    let data = tempfile::tempdir().unwrap();
    let variables = [
        ("XDG_DATA_HOME", data.path().to_str().unwrap()),
        ("SHELL", "/bin/bash"),
    ];

    let installed = run_with_variables("completions --install", &variables).await;
    let manual = run_line("man").await;

    let file = data.path().join("bash-completion/completions/petstorectl");
    assert_eq!(installed.out, format!("wrote {}\n", file.display()));
    let script = std::fs::read_to_string(file).unwrap();
    assert!(script.contains("list-pets"));
    assert!(manual.out.contains(".TH petstorectl 1"), "{}", manual.out);

    let folder = data.path().join("man1");
    let written = run_line(&format!("man --dir {}", folder.display())).await;
    assert_eq!(
        (written.code, written.out.as_str()),
        (Some(0), ""),
        "{}",
        written.err
    );
    assert!(folder.join("petstorectl-list-pets.1").exists());
}
