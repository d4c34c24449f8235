//! Runs `petstorectl` and captures its result.

use std::io::{Seek, Write};
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
    run_line(&line).await
}

/// Runs a command line against the server, with this text as standard input.
pub async fn ctl_with_input(app: &TestApp, line: &str, input: &str) -> Run {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    file.rewind().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    without_settings(&mut command)
        .args(["--url", &app.base_url(), "--key", app.owner_key()])
        .args(line.split(' '))
        .stdin(file);
    run(command).await
}

/// Runs a command line without settings of the environment.
pub async fn run_line(line: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    without_settings(&mut command).args(line.split(' '));
    run(command).await
}

/// Runs a command line with these environment variables and no other settings.
pub async fn run_with_variables(line: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstorectl"));
    without_settings(&mut command)
        .envs(variables.iter().copied())
        .args(line.split(' '));
    run(command).await
}

/// Removes `PETSTORE_*` variables, and the configuration file of the person who runs the tests.
pub fn without_settings(command: &mut Command) -> &mut Command {
    command
        .env_remove("PETSTORE_URL")
        .env_remove("PETSTORE_API_KEY")
        .env_remove("PETSTORE_PROFILE")
        .env("XDG_CONFIG_HOME", "/nonexistent")
}

/// Runs a command on another thread, so that the server of the test can respond.
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
