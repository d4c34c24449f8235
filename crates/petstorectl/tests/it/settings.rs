//! The settings of the petstore for `dropspec-cli`: variables, profiles, default URL, and which integers are times.

use test_support::TestApp;

use crate::command::{ctl, run};

#[tokio::test(flavor = "multi_thread")]
async fn url_and_key_come_from_variables_or_a_profile() {
    let app = TestApp::start().await;
    app.create_category("Cat").await;
    let (url, key) = (app.base_url(), app.owner_key());
    let variables = [("PETSTORE_URL", &*url), ("PETSTORE_API_KEY", key)];
    let listed = run("list-categories --output jsonl", &variables).await;
    assert_eq!(
        listed.out, "{\"id\":1,\"name\":\"Cat\"}\n",
        "{}",
        listed.err
    );
    let help = run("--help", &variables).await;
    assert!(help.out.contains("list-pets") && !help.out.contains(key));

    let config = tempfile::tempdir().unwrap();
    let file =
        format!("default-profile = \"shop\"\n[profiles.shop]\nurl = \"{url}\"\nkey = \"{key}\"\n");
    std::fs::create_dir(config.path().join("petstore")).unwrap();
    std::fs::write(config.path().join("petstore/config.toml"), file).unwrap();
    let home = [("XDG_CONFIG_HOME", config.path().to_str().unwrap())];
    let listed = run("list-categories --output csv", &home).await;
    assert_eq!(listed.out, "id,name\r\n1,Cat\r\n", "{}", listed.err);

    let shown = ctl(&app, "get-category 1 --show-etag").await;
    assert!(shown.err.starts_with("ETag: "), "{}", shown.err);
    // Also where a shell promises colours.
    for line in [
        "--help",
        "help list-pets",
        "list-pet",
        "list-pets --limit",
        "",
    ] {
        let run = run(line, &[("TERM", "xterm-256color")]).await;
        let printed = run.out + &run.err;
        assert!(
            !printed.is_empty() && !printed.contains('\u{1b}'),
            "{line}: {printed:?}"
        );
    }
    let manual = run("man", &[]).await.out;
    assert!(manual.contains(".TH petstorectl 1"), "{manual}");
    let without_key = run("list-pets", &[]).await;
    assert_eq!(without_key.code, Some(2));
    let advice =
        "use --key, PETSTORE_API_KEY, or `key` in a profile in /nonexistent/petstore/config.toml";
    assert!(without_key.err.contains(advice), "{}", without_key.err);
    let help = run("--help", &[]).await.out;
    assert!(help.contains("http://127.0.0.1:8080"), "{help}");
}

#[tokio::test(flavor = "multi_thread")]
async fn table_has_times_for_people_and_json_has_those_of_the_service() {
    let app = TestApp::start().await;
    let limits = ctl(&app, "get-rate-limit").await.out;
    let reset = limits.lines().find(|line| line.starts_with("day.reset"));
    let is_time = reset.is_some_and(|line| line.contains(" 00:00:00 UTC ("));
    assert!(is_time, "{limits}");
    let json = ctl(&app, "get-rate-limit --output json").await.json();
    assert!(json["day"]["reset"].is_i64(), "{json}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_an_exit_code_of_their_kind() {
    let app = TestApp::start().await;
    for (line, code, word) in [
        ("get-pet 9", 1, "(pet_not_found, request "),
        (
            "get-pet Mittens",
            2,
            "<PET-ID>: \"Mittens\" is not a whole number",
        ),
    ] {
        let failed = ctl(&app, line).await;
        assert_eq!((failed.code, &*failed.out), (Some(code), ""), "{line}");
        assert!(failed.err.contains(word), "{line}: {}", failed.err);
        let last = failed.err.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: "), "{line}: {}", failed.err);
    }
    let line = "--url https://127.0.0.1:9 --key x list-pets";
    let failed = run(line, &[("PETSTORE_CACERT", "/no/such")]).await;
    let expected = "error: PETSTORE_CACERT: /no/such cannot be read: No such file or directory";
    assert!(failed.err.starts_with(expected), "{}", failed.err);
    assert_eq!(failed.code, Some(2));
    // Bound, so that no other process gets the port, but not listening.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = silent.local_addr().unwrap();
    let line = format!("--url http://{address} --key x --timeout 1 list-pets");
    let failed = run(&line, &[]).await;
    assert_eq!(failed.code, Some(3), "{}", failed.err);
}
