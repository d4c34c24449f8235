//! The documentation of the metrics, and the dashboard.

use std::fmt::Write;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_postgres::TestDatabase;
use test_redis::TestRedis;
use test_support::programs::are_missing;
use test_support::{ServerProcess, Storage, petstore};

/// Reads a file of the folder `docs`.
fn read_docs(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

fn find_names(text: &str) -> Vec<String> {
    let words = text.split(|it: char| !it.is_ascii_lowercase() && it != '_');
    let names = words.filter(|word| word.starts_with("petstore_"));
    names.map(str::to_owned).collect()
}

/// A server on SQLite and Redis, and one on PostgreSQL, which together have every metric; with what they need.
struct Servers {
    on_sqlite: ServerProcess,
    on_postgres: ServerProcess,
    _engines: (TestRedis, TestDatabase),
}

impl Servers {
    /// Starts them; `None` if a program is missing.
    fn start(test: &str) -> Option<Servers> {
        let engine = TestRedis::start(test)?;
        let database = TestDatabase::create(test)?;
        let on_sqlite = ServerProcess::start_in(Storage::file(), &["--limits", &engine.url()]);
        let arguments = ["--database", database.url()];
        let on_postgres = ServerProcess::run(petstore(), TempDir::new().unwrap(), &arguments);
        Some(Servers {
            on_sqlite,
            on_postgres: on_postgres.with_first_key(),
            _engines: (engine, database),
        })
    }

    /// The samples of both as Prometheus stores them: each series, in which `instance` names the server, and its value.
    fn scrape(&self) -> Vec<(String, String)> {
        let mut samples = Vec::new();
        for (instance, server) in [("one", &self.on_sqlite), ("two", &self.on_postgres)] {
            let page = server.get_panel("/metrics");
            let lines = page.text().lines().filter(|line| !line.starts_with('#'));
            samples.extend(lines.map(|line| {
                let (series, value) = line.rsplit_once(' ').unwrap();
                let instance = format!("instance=\"{instance}\"");
                let series = match series.strip_suffix('}') {
                    Some(labels) => format!("{labels},{instance}}}"),
                    None => format!("{series}{{{instance}}}"),
                };
                (series, value.to_owned())
            }));
        }
        samples
    }
}

/// The expressions of the panels of the dashboard, each with the title of its panel.
fn queries(dashboard: &str) -> Vec<(String, String)> {
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let queries = panels.flat_map(|panel| {
        let targets = panel["targets"].as_array().unwrap().iter();
        targets.map(|target| {
            let [title, query] = [&panel["title"], &target["expr"]];
            (
                title.as_str().unwrap().to_owned(),
                query.as_str().unwrap().to_owned(),
            )
        })
    });
    queries.collect()
}

#[test]
fn every_panel_has_values_of_the_chosen_server_and_shows_the_first_failures() {
    const TEST: &str = "every_panel_has_values_of_the_chosen_server";
    if are_missing(&["promtool"], TEST) {
        return;
    }
    let Some(servers) = Servers::start(TEST) else {
        return;
    };
    let server = &servers.on_sqlite;
    for server in [server, &servers.on_postgres] {
        assert_eq!(server.send("GET", "/pets", "").status, 200);
    }
    let before = servers.scrape();
    // The first failures of the server, all between two scrapes.
    let lock = server.storage.lock_writes();
    let created = server.send("POST", "/categories", &json!({ "name": "Cat" }).to_string());
    assert_eq!(created.status, 503, "{:?}", created.body);
    drop(lock);
    let mut test = String::from("tests:\n- interval: 15s\n  input_series:\n");
    for (series, value) in servers.scrape() {
        let first = before.iter().find(|(known, _)| *known == series);
        let first = first.map_or("_", |(_, value)| value);
        let values = [first, &value, &value, &value, &value].join(" ");
        writeln!(test, "  - {{series: '{series}', values: '{values}'}}").unwrap();
    }
    test += "  promql_expr_test:\n";
    let mut expect = |query: &str, instance: &str, what: &str, expected: u32| {
        let query = query
            .replace("$__rate_interval", "1m")
            .replace("$instance", instance);
        let query = json!(format!("{what}({query}) > bool 0"));
        let samples = format!("[{{labels: '{{}}', value: {expected}}}]");
        writeln!(
            test,
            "  - {{expr: {query}, eval_time: 1m, exp_samples: {samples}}}"
        )
        .unwrap();
    };
    for (title, query) in queries(&read_docs("grafana-dashboard.json")) {
        assert!(
            query.contains("instance=~\"$instance\""),
            "{title}: {query}"
        );
        expect(&query, ".*", "count", 1);
        if title == "Failures" {
            expect(&query, ".*", "sum", 1);
            expect(&query, "one", "sum", 1);
            expect(&query, "two", "sum", 0);
        }
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("test.yaml");
    std::fs::write(&file, test).unwrap();
    let checked = Command::new("promtool")
        .args(["test", "rules"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
}

#[test]
fn docs_and_dashboard_have_every_metric_and_no_other() {
    let Some(servers) = Servers::start("docs_and_dashboard_have_every_metric") else {
        return;
    };
    let Servers {
        on_sqlite,
        on_postgres,
        ..
    } = &servers;
    let mut text = String::new();
    for server in [on_sqlite, on_postgres] {
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

    let mut queried = 0;
    for (_, query) in queries(&dashboard) {
        for name in find_names(&query) {
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
    assert!(queried > 20, "only {queried} names are queried");
}
