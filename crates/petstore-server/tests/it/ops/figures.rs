//! The figures of the panel: that they are what they are called, explained and shown.

use serde_json::Value;

use crate::binary::eventually;
use crate::ops::server::Server;
use crate::process::keys;

impl Server {
    /// A figure that has no labels.
    pub fn figure(&self, name: &str) -> u64 {
        let page = self.panel("/metrics");
        let line = page
            .text()
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
    }
}

#[test]
fn writes_that_share_a_commit_are_counted_one_by_one() {
    let server = Server::start();
    let mut round = 0;
    eventually("writes to share a commit", || {
        round += 1;
        std::thread::scope(|scope| {
            for client in 0..8 {
                let (server, name) = (&server, format!("{round}-{client}"));
                scope.spawn(move || assert_eq!(server.create(&name), 201));
            }
        });
        let (writes, commits) = (
            "petstore_writer_writes_total",
            "petstore_writer_commits_total",
        );
        (server.figure(writes) > server.figure(commits)).then_some(())
    });
}

#[test]
fn leases_are_had_before_they_are_waited_for() {
    let mut server = Server::start();
    let terms = [
        "--plan",
        "enterprise",
        "--per-minute",
        "100",
        "--per-day",
        "100000",
    ];
    server.key = keys::created(&server.database(), &terms);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    assert_eq!(
        server.figure("petstore_lease_waits_total"),
        1,
        "nothing is leased ahead for a newcomer"
    );
    eventually("a lease that nobody waits for", || {
        assert_eq!(server.send("GET", "/pets", "").status, 200);
        let (calls, waits) = ("petstore_lease_calls_total", "petstore_lease_waits_total");
        (server.figure(calls) > server.figure(waits)).then_some(())
    });
    assert!(server.figure("petstore_pool_connections") > server.figure("petstore_pool_busy"));
}

#[test]
fn every_figure_is_explained_and_shown() {
    let server = Server::start();
    let text = server.panel("/metrics");
    let figures: Vec<_> = text
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    assert!(figures.len() > 12, "{figures:?}");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let explained = std::fs::read_to_string(format!("{folder}/operations.md")).unwrap();
    let shown = std::fs::read_to_string(format!("{folder}/grafana-dashboard.json")).unwrap();
    for figure in figures {
        assert!(
            explained.contains(figure),
            "docs/operations.md does not explain {figure}"
        );
        assert!(
            shown.contains(figure),
            "the dashboard does not show {figure}"
        );
    }
}

#[test]
fn the_dashboard_and_the_docs_name_what_there_is() {
    let server = Server::start();
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    let text = server.panel("/metrics");
    let text = text.text();
    let samples: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    let ours = |text: &str| -> Vec<String> {
        let words = text.split(|it: char| !it.is_ascii_lowercase() && it != '_');
        let ours = words.filter(|word| word.starts_with("petstore_"));
        ours.map(str::to_owned).collect()
    };

    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let dashboard = std::fs::read_to_string(format!("{folder}/grafana-dashboard.json")).unwrap();
    // It is JSON that somebody can import.
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let mut asked = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let question = target["expr"].as_str().unwrap();
            for name in ours(question) {
                assert!(samples.contains(&name.as_str()), "{question}: no {name}");
                asked += 1;
            }
            let grouped = question.split("by (").skip(1);
            let labels = grouped.flat_map(|it| it.split(')').next().unwrap().split(", "));
            for label in labels {
                assert!(
                    text.contains(&format!("{label}=\"")),
                    "{question}: no {label}"
                );
            }
        }
    }
    assert!(asked > 20, "only {asked} names were looked at");

    let explained = std::fs::read_to_string(format!("{folder}/operations.md")).unwrap();
    for name in ours(&explained) {
        let known = text.contains(&format!("\n# TYPE {name} "));
        assert!(
            known,
            "docs/operations.md explains {name}, which there is not"
        );
    }
}
