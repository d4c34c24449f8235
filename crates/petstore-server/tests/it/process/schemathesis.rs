//! Schemathesis, which generates requests from the document, against a running server. Its settings and their reasons are
//! in `schemathesis/schemathesis.toml`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::{ServerProcess, programs};

/// Its settings, and the versions of its packages.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/process/schemathesis");

/// Fewer requests of each operation, on average, would not cover them. It sends half as many again.
const MIN_REQUESTS_PER_OPERATION: u64 = 105;

/// Where `.ci/run` installs it.
fn program() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("schemathesis/bin/schemathesis")
}

/// Runs it against a server, and returns its report and its output.
fn run(server: &ServerProcess) -> (Value, String) {
    let reports = TempDir::new().unwrap();
    let (report, stdout) = (reports.path().join("report"), reports.path().join("stdout"));
    let address = format!("http://{}", server.public);
    let status = Command::new(program())
        // The folder with its settings.
        .current_dir(FOLDER)
        .args(["run", &format!("{address}/openapi.json"), "--url", &address])
        .args(["--checks", "all", "--no-color", "--report", "json"])
        .arg("--report-json-path")
        .arg(&report)
        .env("PETSTORE_API_KEY", &server.key)
        // No files beside its settings.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(File::create(&stdout).unwrap())
        .status()
        .unwrap();
    let stdout = std::fs::read_to_string(stdout).unwrap();
    assert!(status.success(), "{status}: {stdout}");
    let report = std::fs::read(report).unwrap();
    (serde_json::from_slice(&report).unwrap(), stdout)
}

#[test]
fn schemathesis_finds_no_violation() {
    let program = program();
    if programs::are_missing(&[program.to_str().unwrap()], "Schemathesis") {
        return;
    }
    let server = ServerProcess::start_with(&["--trusted-proxy", "127.0.0.1/32"]);
    let (report, stdout) = run(&server);

    let pins = std::fs::read_to_string(format!("{FOLDER}/requirements.txt")).unwrap();
    let version = report["schemathesis_version"].as_str().unwrap();
    assert!(
        pins.contains(&format!("\nschemathesis=={version}\n")),
        "{version} is not the one of requirements.txt"
    );
    assert_eq!(report["complete"], json!(true), "{stdout}");
    assert_eq!(report["failures"], json!([]), "{stdout}");
    assert_eq!(report["errors"], json!([]), "{stdout}");
    for phase in ["examples", "coverage", "fuzzing", "stateful"] {
        assert_eq!(
            report["phases"][phase]["status"],
            json!("success"),
            "{stdout}"
        );
    }
    let operations = petstore_api::OPERATIONS.len();
    assert_eq!(
        report["operations"]["tested"],
        json!(operations),
        "{stdout}"
    );
    let cases = report["test_cases"]["generated"].as_u64().unwrap();
    let enough = MIN_REQUESTS_PER_OPERATION * operations as u64;
    assert!(cases >= enough, "only {cases} requests: {stdout}");
    // No request was rate limited, and none failed.
    for line in server.get_panel("/metrics").text().lines() {
        let limited = line.contains("outcome=\"refused\"") || line.contains("outcome=\"banned\"");
        let failed = line.contains("status=\"5");
        assert!(line.ends_with(" 0") || !(limited || failed), "{line}");
    }
}
