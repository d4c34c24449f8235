//! The metrics of the panel: some of their values, and their documentation and dashboard.

use serde_json::Value;
use tempfile::TempDir;
use test_postgres::TestDatabase;
use test_redis::TestRedis;
use test_support::{ServerProcess, Storage, petstore, poll_until};

#[test]
fn more_writes_than_commits_are_counted_under_load() {
    let server = ServerProcess::start_on_file();
    let mut round = 0;
    poll_until("writes to share a commit", || {
        round += 1;
        std::thread::scope(|scope| {
            for client in 0..8 {
                let (server, name) = (&server, format!("{round}-{client}"));
                scope.spawn(move || server.create_category(&name));
            }
        });
        let (writes, commits) = (
            "petstore_writer_writes_total",
            "petstore_writer_commits_total",
        );
        (server.metric(writes) > server.metric(commits)).then_some(())
    });
}

#[test]
fn leases_after_the_first_are_requested_ahead_of_need() {
    let mut server = ServerProcess::start();
    let limits = ["--per-minute", "100", "--per-day", "100000"];
    server.key = server.create_key(&[&["--plan", "enterprise"][..], &limits].concat());
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    assert_eq!(
        server.metric("petstore_lease_waits_total"),
        1,
        "a new key has no lease"
    );
    poll_until("a lease ahead of need", || {
        assert_eq!(server.send("GET", "/pets", "").status, 200);
        let (calls, waits) = ("petstore_lease_calls_total", "petstore_lease_waits_total");
        (server.metric(calls) > server.metric(waits)).then_some(())
    });
    // A task in the background may have a connection at the moment.
    poll_until("a connection that is free", || {
        let (open, busy) = ("petstore_pool_connections", "petstore_pool_busy");
        (server.metric(open) > server.metric(busy)).then_some(())
    });
}

/// Reads a file of the folder `docs`.
fn read_docs(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

/// The names of metrics in a text.
fn find_names(text: &str) -> Vec<String> {
    let words = text.split(|it: char| !it.is_ascii_lowercase() && it != '_');
    let names = words.filter(|word| word.starts_with("petstore_"));
    names.map(str::to_owned).collect()
}

#[test]
fn docs_and_dashboard_have_every_metric_and_no_other() {
    let Some(engine) = TestRedis::start("docs_and_dashboard_have_every_metric") else {
        return;
    };
    let Some(database) = TestDatabase::create("docs_and_dashboard_have_every_metric") else {
        return;
    };
    let on_sqlite = ServerProcess::start_in(Storage::file(), &["--limits", &engine.url()]);
    let arguments = ["--database", database.url()];
    let on_postgres = ServerProcess::run(petstore(), TempDir::new().unwrap(), &arguments);
    let on_postgres = on_postgres.with_first_key();
    let mut text = String::new();
    for server in [&on_sqlite, &on_postgres] {
        assert_eq!(server.send("GET", "/pets", "").status, 200);
        text += server.get_panel("/metrics").text();
    }
    let samples: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    let metrics: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    assert!(metrics.len() > 12, "{metrics:?}");

    let docs = read_docs("operations.md");
    let dashboard = read_docs("grafana-dashboard.json");
    for metric in &metrics {
        assert!(docs.contains(metric), "docs/operations.md lacks {metric}");
        assert!(dashboard.contains(metric), "the dashboard lacks {metric}");
    }
    for name in find_names(&docs) {
        let known = metrics.contains(&name.as_str()) || samples.contains(&name.as_str());
        assert!(known, "docs/operations.md has {name}, which does not exist");
    }

    for name in find_names(&read_docs("alerts.yaml")) {
        assert!(
            samples.contains(&name.as_str()),
            "docs/alerts.yaml has {name}, which does not exist"
        );
    }

    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let mut queried = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            for name in find_names(query) {
                assert!(samples.contains(&name.as_str()), "{query}: no {name}");
                queried += 1;
            }
            let grouped = query.split("by (").skip(1);
            let labels = grouped.flat_map(|it| it.split(')').next().unwrap().split(", "));
            // Prometheus adds the label `instance`.
            for label in labels.filter(|it| *it != "instance") {
                let known = text.contains(&format!("{label}=\""));
                assert!(known, "{query}: no {label}");
            }
        }
    }
    assert!(queried > 20, "only {queried} names are queried");
}
