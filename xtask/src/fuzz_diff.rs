//! `cargo xtask fuzz-diff`: compares documents with random mutations of themselves. It fails on a panic, on a comparison
//! that takes too long, and on a finding for equal documents.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use chrono::NaiveDate;
use clap::Args;
use fastrand::Rng;
use serde_json::Value;
use spec_diff::Policy;

use dropspec::output::print;
use dropspec::project::parse_tree;

/// Compare documents with random mutations of themselves
///
/// Reads all OpenAPI documents below the directory. The same seed gives the same mutations.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The directory of the documents.
    pub directory: PathBuf,
    /// The number of mutations.
    #[arg(long, default_value_t = 100_000)]
    pub iterations: u64,
    /// The seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// The longest time that one comparison may take. If it takes longer, the command fails.
const MAX_COMPARISON_TIME: Duration = Duration::from_secs(5);

/// Runs `cargo xtask fuzz-diff`: compares documents with random mutations of themselves.
///
/// # Errors
/// There are no documents, a comparison takes too long, equal documents have findings, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let documents = read_documents(&arguments.directory)?;
    if documents.is_empty() {
        bail!(
            "there are no OpenAPI documents below {}",
            arguments.directory.display()
        );
    }
    let day = NaiveDate::from_ymd_opt(2026, 11, 21).context("the day is in the calendar")?;
    let policy = Policy::new(day);
    let mut random = Rng::with_seed(arguments.seed);
    let (mut compared, mut silent, mut longest) = (0_u64, 0_u64, Duration::ZERO);
    for (name, value) in &documents {
        let document = parse_tree(name, &value.to_string())?;
        if !spec_diff::diff(&document, &document, &policy).is_empty() {
            bail!("{name} differs from itself");
        }
    }
    for iteration in 0..arguments.iterations {
        let (name, value) = &documents[random.usize(..documents.len())];
        let mut mutated = value.clone();
        for _ in 0..=random.usize(..4) {
            mutate(&mut mutated, &mut random, &documents);
        }
        let base = parse_tree(name, &value.to_string())?;
        // A mutation need not be a document.
        let Ok(revision) = parse_tree(name, &mutated.to_string()) else {
            continue;
        };
        compared += 1;
        let start = Instant::now();
        let findings = spec_diff::diff(&base, &revision, &policy);
        let took = start.elapsed();
        if took > MAX_COMPARISON_TIME {
            bail!("{name}, iteration {iteration}: the comparison took {took:?}");
        }
        longest = longest.max(took);
        silent += u64::from(findings.is_empty());
    }
    print(format_args!(
        "{compared} of {} mutations of {} documents compared, no panic; the longest took {longest:?}; {silent} without findings\n",
        arguments.iterations,
        documents.len()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn read_documents(directory: &Path) -> anyhow::Result<Vec<(String, Value)>> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        let entries = std::fs::read_dir(&directory)
            .with_context(|| format!("{} cannot be read", directory.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let extension = path.extension().and_then(|extension| extension.to_str());
            if !matches!(extension, Some("yaml" | "yml" | "json")) {
                continue;
            }
            let name = path.display().to_string();
            // Other files are ignored.
            if let Ok(text) = std::fs::read_to_string(&path)
                && let Ok(document) = parse_tree(&name, &text)
            {
                found.push((name, document.root().to_json()));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Unexpected JSON values that a mutation writes into a document.
const ODD_VALUES: [&str; 12] = [
    "null",
    "true",
    "-1",
    "1e308",
    "0.1",
    "\"\"",
    "[]",
    "{}",
    "\"$ref\"",
    "[null]",
    "{\"$ref\":\"#\"}",
    "{\"$ref\":\"#/components/schemas/Missing\"}",
];

fn mutate(document: &mut Value, random: &mut Rng, documents: &[(String, Value)]) {
    let mut pointers = Vec::new();
    collect_pointers(document, &mut String::new(), &mut pointers);
    let pointer = pointers[random.usize(..pointers.len())].clone();
    let donor = &documents[random.usize(..documents.len())].1;
    let mut donors = Vec::new();
    collect_pointers(donor, &mut String::new(), &mut donors);
    let piece = donor
        .pointer(&donors[random.usize(..donors.len())])
        .cloned();
    let reference =
        serde_json::json!({ "$ref": format!("#{}", pointers[random.usize(..pointers.len())]) });
    let odd =
        serde_json::from_str(ODD_VALUES[random.usize(..ODD_VALUES.len())]).unwrap_or_default();
    let Some(target) = document.pointer_mut(&pointer) else {
        return;
    };
    match (random.usize(..7), target) {
        (0, target) => *target = odd,
        (1, target) => *target = piece.unwrap_or_default(),
        // This can be a cycle.
        (2, target) => *target = reference,
        (end @ (3 | 4), Value::Object(members)) if !members.is_empty() => {
            let key = members.keys().nth(random.usize(..members.len()));
            let key = key.cloned().unwrap_or_default();
            // Removed or renamed.
            if let Some(value) = members.remove(&key)
                && end == 4
            {
                members.insert(format!("{key}{}", random.usize(..10)), value);
            }
        }
        (3 | 4, Value::Array(items)) if !items.is_empty() => {
            items.remove(random.usize(..items.len()));
        }
        (5, Value::Array(items)) => items.push(piece.unwrap_or_default()),
        (5, Value::Number(number)) => {
            let factor = [2.0, -1.0, 0.5][random.usize(..3)];
            *number = serde_json::Number::from_f64(number.as_f64().unwrap_or_default() * factor)
                .unwrap_or_else(|| 0.into());
        }
        (_, Value::Bool(truth)) => *truth = !*truth,
        (_, Value::String(text)) => text.push('x'),
        (_, target) => *target = odd,
    }
}

fn collect_pointers(value: &Value, pointer: &mut String, pointers: &mut Vec<String>) {
    pointers.push(pointer.clone());
    let length = pointer.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                collect_pointers(item, pointer, pointers);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                pointer.push('/');
                pointer.push_str(&spec_schema::pointer::escape(key));
                collect_pointers(member, pointer, pointers);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}
