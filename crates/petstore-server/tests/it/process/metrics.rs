//! The documentation of the metrics, and the dashboard.

use serde_json::Value;
use tempfile::TempDir;
use test_postgres::TestDatabase;
use test_redis::TestRedis;
use test_support::{ServerProcess, Storage, petstore};

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
    let find = |name: &str| -> Option<f64> {
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    };
    assert!(find("petstore_disk_available_bytes ") < find("petstore_disk_bytes "));
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
