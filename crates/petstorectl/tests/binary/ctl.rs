//! Runs `petstorectl` and keeps what came of it.

use std::process::{Command, Output};

use serde_json::Value;
use test_support::TestApp;

/// How a run ended.
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
    bare(&line).await
}

/// Runs a command line as it is, in an environment that says nothing.
pub async fn bare(line: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    command.args(line.split(' '));
    command
        .env_remove("PETSTORE_URL")
        .env_remove("PETSTORE_API_KEY");
    run(command).await
}

/// Runs a command while the server of the test goes on.
pub async fn run(mut command: Command) -> Run {
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
