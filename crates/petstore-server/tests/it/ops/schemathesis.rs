//! Schemathesis, which makes requests of the document by the thousand, against the running server. What it is told,
//! and why, stands in `schemathesis/schemathesis.toml`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ops::server::Server;
use crate::tools;

/// Where its settings are, and the versions of what it is made of.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/ops/schemathesis");

/// The fewest requests that say something of 19 operations. It makes half as many again.
const MANY: u64 = 2_000;

/// Where `.ci/run` installs it.
fn program() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("schemathesis/bin/schemathesis")
}

/// Lets it loose on a server, and returns its report and what it said.
fn run(server: &Server) -> (Value, String) {
    let reports = TempDir::new().unwrap();
    let (report, said) = (reports.path().join("report"), reports.path().join("said"));
    let address = format!("http://{}", server.public);
    let status = Command::new(program())
        // It finds its settings here.
        .current_dir(FOLDER)
        .args(["run", &format!("{address}/openapi.json"), "--url", &address])
        .args(["--checks", "all", "--no-color", "--report", "json"])
        .arg("--report-json-path")
        .arg(&report)
        .env("PETSTORE_API_KEY", &server.key)
        // It leaves nothing beside its settings.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(File::create(&said).unwrap())
        .status()
        .unwrap();
    let said = std::fs::read_to_string(said).unwrap();
    assert!(status.success(), "{status}: {said}");
    let report = std::fs::read(report).unwrap();
    (serde_json::from_slice(&report).unwrap(), said)
}

#[test]
fn schemathesis_finds_nothing() {
    let program = program();
    if tools::missing(&[program.to_str().unwrap()], "Schemathesis") {
        return;
    }
    let server = Server::start_with(&["--trusted-proxy", "127.0.0.1/32"]);
    let (report, said) = run(&server);

    let pins = std::fs::read_to_string(format!("{FOLDER}/requirements.txt")).unwrap();
    let version = report["schemathesis_version"].as_str().unwrap();
    assert!(
        pins.contains(&format!("\nschemathesis=={version}\n")),
        "{version} is not the one of requirements.txt"
    );
    assert_eq!(report["complete"], json!(true), "{said}");
    assert_eq!(report["failures"], json!([]), "{said}");
    assert_eq!(report["errors"], json!([]), "{said}");
    for phase in ["examples", "coverage", "fuzzing", "stateful"] {
        assert_eq!(
            report["phases"][phase]["status"],
            json!("success"),
            "{said}"
        );
    }
    let operations = petstore_api::OPERATIONS.len();
    assert_eq!(report["operations"]["tested"], json!(operations), "{said}");
    let cases = report["test_cases"]["generated"].as_u64().unwrap();
    assert!(cases >= MANY, "only {cases} requests: {said}");
    // No limit stood in the way of an answer, and nothing broke.
    for line in server.panel("/metrics").text().lines() {
        let refused = line.contains("outcome=\"refused\"") || line.contains("outcome=\"banned\"");
        assert!(!refused && !line.contains("status=\"5"), "{line}");
    }
}
