//! Runs `petstorectl` and captures its result.

use std::process::{Command, Output};

use serde_json::Value;
use test_support::TestApp;

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Standard output of a run that succeeded, as JSON.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }
}

/// Runs a command line, split at spaces, against the server.
pub async fn ctl(app: &TestApp, line: &str) -> Run {
    let line = format!("--url {} --key {} {line}", app.base_url(), app.owner_key());
    run(&line, &[]).await
}

/// Runs a command line with these variables and no other settings, on another thread, so that the server of the test can respond.
pub async fn run(line: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    for name in [
        "PETSTORE_URL",
        "PETSTORE_API_KEY",
        "PETSTORE_PROFILE",
        "PETSTORE_CACERT",
    ] {
        command.env_remove(name);
    }
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    command
        .args(line.split_whitespace())
        .envs(variables.iter().copied());
    let run = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output {
        status,
        stdout,
        stderr,
    } = run.await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        code: status.code(),
        out: text(stdout),
        err: text(stderr),
    }
}
