//! Time grows with the document only linearly: for twice the work, a command takes at most 2.2 times as many instructions. Each
//! shape of documents is made in two sizes, and the program reads both under Cachegrind, whose counts hardly depend on the
//! machine and its load. What an almost empty document takes is not counted.
//!
//! `cargo bench --package dropspec --bench growth` needs valgrind. The variable `DROPSPEC_PROGRAM` names another program than
//! that of the build. Sizes are small, as Cachegrind is slow: a part that grows with the square shows all the same, as it takes
//! most of the time of a document of thousands of schemas.
#![allow(clippy::unwrap_used, missing_docs)]

mod shapes;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;

use self::shapes::{SHAPES, edited};

/// The sizes that are compared, and one that is almost nothing.
const SIZES: [usize; 3] = [2, 100, 200];
const COMMANDS: [&str; 3] = ["generate", "lint", "diff"];
const MOST_GROWTH: f64 = 2.2;

fn main() -> ExitCode {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: growth, because there is no valgrind");
        let is_strict = std::env::var_os("NO_SKIPPED_TESTS").is_some();
        return ExitCode::from(u8::from(is_strict));
    }
    // `cargo bench` adds an option; other arguments choose shapes.
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<String> = chosen
        .into_iter()
        .filter(|it| !it.starts_with('-'))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let mut is_linear = true;
    for (name, make) in SHAPES {
        if !chosen.is_empty() && !chosen.iter().any(|it| it == name) {
            continue;
        }
        let documents = SIZES.map(|size| write(folder.path(), name, size, &make(size)));
        let counts = std::thread::scope(|scope| {
            let documents = &documents;
            let threads = COMMANDS.map(|command| scope.spawn(move || count(command, documents)));
            threads.map(|thread| thread.join().unwrap())
        });
        for (command, [base, once, twice]) in COMMANDS.iter().zip(counts) {
            let growth = (twice - base) / (once - base);
            let verdict = if growth > MOST_GROWTH {
                "too much"
            } else {
                "ok"
            };
            is_linear &= growth <= MOST_GROWTH;
            println!(
                "{name:12} {command:8} {once:15.0} {twice:15.0} instructions, {growth:.2} times: {verdict}"
            );
        }
    }
    ExitCode::from(u8::from(!is_linear))
}

/// The instructions of a command for a document in all sizes.
fn count(command: &str, documents: &[String; 3]) -> [f64; 3] {
    documents.each_ref().map(|document| {
        let arguments = match command {
            "generate" => vec!["--spec", document.as_str(), "--out", "out"],
            "lint" => vec![document.as_str()],
            _ => vec![document.as_str(), "edited.json"],
        };
        let folder = Path::new(document).parent().unwrap();
        count_instructions(folder, &[&[command], &arguments[..]].concat())
    })
}

/// Writes a document into a folder of its own, and beside it the same with an edit of each schema; returns its path.
fn write(folder: &Path, name: &str, size: usize, document: &Value) -> String {
    let folder = folder.join(format!("{name}-{size}"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("edited.json"), edited(document).to_string()).unwrap();
    let path = folder.join("api.json");
    fs::write(&path, document.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// How many instructions the program executes. rustfmt, which is another program, is left out.
fn count_instructions(folder: &Path, arguments: &[&str]) -> f64 {
    let program = std::env::var_os("DROPSPEC_PROGRAM");
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_dropspec").into());
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no"]);
    command.arg("--cachegrind-out-file=/dev/null");
    command.arg(program).args(arguments).current_dir(folder);
    let output = command.env("RUSTFMT", "true").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    // The commands say by 1 that there are findings, and by 2 that the document has errors.
    assert!(
        matches!(output.status.code(), Some(0..=2)),
        "{arguments:?}: {text}"
    );
    let count = text.split("refs:").nth(1).and_then(|it| it.lines().next());
    let count = count.unwrap_or_else(|| panic!("{text}"));
    count.trim().replace(',', "").parse().unwrap()
}
