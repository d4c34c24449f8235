//! Every valid sample of every schema is read into the generated type, and written as it was.
//!
//! The types are compiled in a crate of their own, which takes minutes: only with the environment variable `ROUND_TRIP`,
//! which holds a folder of documents (searched in depth), or `1` for the documents of the corpus that are small.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};
use spec_codegen::{Settings, generate};
use spec_model::Spec;
use spec_samples::Comparison;
use spec_schema::Direction;

use crate::corpus::documents;

/// The largest document that `ROUND_TRIP=1` takes, in bytes.
const SMALL: u64 = 150_000;

/// A sample, and the schema that accepts it.
struct Sample {
    document: String,
    pointer: String,
    value: Value,
}

#[test]
fn valid_samples_are_read_and_written_unchanged() {
    let Ok(chosen) = std::env::var("ROUND_TRIP") else {
        println!("skipped: ROUND_TRIP is not set");
        return;
    };
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (folder, largest) = match chosen.as_str() {
        "1" => (repository.join("../shared/corpus/openapi"), SMALL),
        folder => (PathBuf::from(folder), u64::MAX),
    };
    let output = repository.join("target/round-trip");
    let mut samples = Vec::new();
    let mut manifest = manifest(&repository);
    let mut names = Vec::new();
    for path in documents(&folder) {
        if fs::metadata(&path).unwrap().len() > largest {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy();
        let name: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            })
            .collect();
        let text = fs::read_to_string(&path).unwrap();
        let Ok(spec) = Spec::parse(&name, &text) else {
            println!("{name}: not a valid document");
            continue;
        };
        let document = spec.document.root().to_json();
        let found = write_document(&output.join("src/bin").join(&name), &name, &spec);
        println!("{name}: {} samples", found.len());
        samples.extend(found);
        let _ = write!(
            manifest,
            "[[bin]]\nname = \"{name}\"\npath = \"src/bin/{name}/main.rs\"\n"
        );
        names.push((name, document));
    }
    fs::write(output.join("Cargo.toml"), manifest).unwrap();
    fs::copy(repository.join("Cargo.lock"), output.join("Cargo.lock")).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--keep-going", "-q", "--bins"])
        .current_dir(&output)
        .env_remove("CARGO_TARGET_DIR")
        .status()
        .unwrap();
    let mut failures = Vec::new();
    if !built.success() {
        failures.push("the types do not compile".to_owned());
    }
    let mut count = 0;
    for (name, document) in &names {
        let comparison = Comparison::new(document);
        let run = Command::new(output.join("target/debug").join(name)).output();
        let Ok(run) = run.map_err(|error| failures.push(format!("{name}: {error}"))) else {
            continue;
        };
        let results = String::from_utf8_lossy(&run.stdout).into_owned();
        let own: Vec<&Sample> = samples.iter().filter(|s| s.document == *name).collect();
        if !run.status.success() || results.lines().count() != own.len() {
            failures.push(format!("{name}: ends with {}", run.status));
            continue;
        }
        for (sample, result) in own.iter().zip(results.lines()) {
            let result: Value = serde_json::from_str(result).unwrap();
            count += 1;
            let schema = json!({ "$ref": format!("#{}", sample.pointer) });
            let problem = match result.get("error") {
                Some(error) => Some(error.to_string()),
                None => comparison
                    .find_difference(&schema, &sample.value, &result["value"])
                    .map(|at| format!("{at} differs: {}", result["value"])),
            };
            if let Some(problem) = problem {
                failures.push(format!(
                    "{name}{}: {}: {problem}",
                    sample.pointer, sample.value
                ));
            }
        }
    }
    println!(
        "{count} samples of {} documents, {} failures",
        names.len(),
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn manifest(repository: &Path) -> String {
    let runtime = repository
        .join("crates/spec-runtime")
        .canonicalize()
        .unwrap();
    format!(
        "[package]\nname = \"round-trip\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n\
         [workspace]\n\n[profile.dev]\ndebug = false\n\n[dependencies]\n\
         chrono = {{ version = \"0.4\", default-features = false, features = [\"clock\", \"serde\", \"std\"] }}\n\
         dropshot = \"0.18\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\
         serde_json = {{ version = \"1\", features = [\"preserve_order\"] }}\n\
         spec-runtime = {{ path = {runtime:?} }}\nuuid = {{ version = \"1\", features = [\"serde\"] }}\n\n"
    )
}

/// Writes a program that reads and writes the samples of a document, and returns them.
fn write_document(folder: &Path, name: &str, spec: &Spec) -> Vec<Sample> {
    let files = generate(spec, &Settings::default());
    let files = files
        .unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
        .files;
    let types = files.iter().find(|file| file.name == "types.rs").unwrap();
    // The rows of the tables of schemas, `Pet => "/components/schemas/Pet";`.
    let rows = types.content.lines().filter_map(|line| {
        let (ty, pointer) = line.strip_suffix("\";")?.split_once(" => \"")?;
        Some((pointer, format!("crate::types::{}", ty.trim())))
    });
    let document = spec.document.root().to_json();
    let mut samples = Vec::new();
    let mut groups: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    let mut calls = String::new();
    for (index, (pointer, ty)) in rows.enumerate() {
        let schema = spec_schema::find(&document, pointer).unwrap();
        let valid = match spec_samples::samples(&document, schema, Direction::Request) {
            Ok(found) => found.valid,
            Err(error) => {
                println!("{name}{pointer}: {error}");
                continue;
            }
        };
        if valid.is_empty() {
            println!("{name}{pointer}: no sample");
        }
        let _ = writeln!(calls, "    run::<{ty}>(&samples[\"{index}\"]);");
        samples.extend(valid.iter().map(|value| Sample {
            document: name.to_owned(),
            pointer: pointer.to_owned(),
            value: value.clone(),
        }));
        groups.insert(index, valid);
    }
    let groups: Map<String, Value> = groups
        .into_iter()
        .map(|(index, values)| (index.to_string(), Value::Array(values)))
        .collect();
    fs::create_dir_all(folder).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    write("types.rs", &types.content);
    write("openapi.json", &document.to_string());
    write("samples.json", &json!(groups).to_string());
    write("document.rs", DOCUMENT);
    write("main.rs", &MAIN.replace("CALLS", &calls));
    samples
}

const DOCUMENT: &str = r#"
pub static DOCUMENT: std::sync::LazyLock<spec_runtime::Document> =
    std::sync::LazyLock::new(|| spec_runtime::Document::from_json(include_str!("openapi.json")));
"#;

const MAIN: &str = r#"
#![allow(dead_code)]
mod document;
mod types;

fn run<T: serde::de::DeserializeOwned + serde::Serialize>(samples: &serde_json::Value) {
    for sample in samples.as_array().unwrap() {
        let read = serde_json::from_str::<T>(&sample.to_string());
        let result = match read.and_then(serde_json::to_value) {
            Ok(value) => serde_json::json!({ "value": value }),
            Err(error) => serde_json::json!({ "error": error.to_string() }),
        };
        println!("{result}");
    }
}

fn main() {
    let samples: serde_json::Value = serde_json::from_str(include_str!("samples.json")).unwrap();
CALLS}
"#;
