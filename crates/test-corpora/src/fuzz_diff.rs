//! `cargo xtask fuzz-diff`: compares documents with random mutations of themselves. It fails on a panic, on a comparison
//! that takes too long, on a finding for equal documents, and where sampled values contradict what was found.

mod agreement;
mod documents;
mod mutations;
mod places;
mod rewrites;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use chrono::NaiveDate;
use clap::Args;
use dropspec::output::print;
use dropspec::project::parse_tree;
use dropspec_diff::Policy;
use fastrand::Rng;
use serde_json::Value;

use self::agreement::Claim;

/// Compare documents with random mutations of themselves
///
/// Reads all OpenAPI documents below the directory. The same seed gives the same mutations. Where a comparison finds
/// nothing, or nothing that breaks anybody, values of both documents are sampled, and must bear it out.
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

/// The most disagreements that are printed, the shortest first.
const MOST_PRINTED: usize = 10;

/// The longest time that one comparison may take. If it takes longer, the command fails.
const MAX_COMPARISON_TIME: Duration = Duration::from_secs(5);
/// One of so many mutations is of a whole document, the others of one operation.
const WHOLE_DOCUMENTS: u64 = 200;

/// What was counted.
#[derive(Debug, Default)]
struct Counts {
    compared: u64,
    longest: Duration,
    /// Comparisons without findings, and those whose findings break nobody.
    silent: u64,
    harmless: u64,
    schemas: u64,
    values: u64,
    disagreements: Vec<String>,
}

/// Runs `cargo xtask fuzz-diff`: compares documents with random mutations of themselves.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let day = NaiveDate::from_ymd_opt(2026, 11, 21).context("the day is in the calendar")?;
    let policy = Policy::new(day);
    let documents = documents::read_documents(&arguments.directory)?;
    if documents.is_empty() {
        bail!(
            "there are no OpenAPI documents below {}",
            arguments.directory.display()
        );
    }
    for (name, value) in &documents {
        let document = parse_tree(name, &value.to_string())?;
        if !dropspec_diff::diff(&document, &document, &policy).is_empty() {
            bail!("{name} differs from itself");
        }
    }
    let schemas = documents::schema_documents();
    let mut random = Rng::with_seed(arguments.seed);
    let mut counts = Counts::default();
    for iteration in 0..arguments.iterations {
        let (name, base, revision) = make_pair(&documents, &schemas, iteration, &mut random);
        // A mutation need not be a document.
        let (Ok(base), Ok(revision)) = (parse_tree(name, &base), parse_tree(name, &revision))
        else {
            continue;
        };
        compare(&base, &revision, &policy, &mut counts)
            .with_context(|| format!("{name}, iteration {iteration}"))?;
    }
    report(arguments, documents.len(), counts)
}

/// Makes two versions of a document, or of a part of it, as JSON.
fn make_pair<'n>(
    documents: &'n [(String, Value)],
    schemas: &'n [(String, Value)],
    iteration: u64,
    random: &mut Rng,
) -> (&'n str, String, String) {
    let is_wild = iteration.is_multiple_of(2);
    let choice = if !is_wild && random.bool() {
        schemas
    } else {
        documents
    };
    let (name, document) = &choice[random.usize(..choice.len())];
    let mut base = if iteration.is_multiple_of(WHOLE_DOCUMENTS) {
        document.clone()
    } else {
        documents::cut(document, random)
    };
    let mut revision;
    if is_wild {
        let (_, donor) = &documents[random.usize(..documents.len())];
        let donor = documents::cut(donor, random);
        revision = base.clone();
        for _ in 0..=random.usize(..4) {
            mutations::mutate(&mut revision, random, &donor);
        }
    } else {
        for _ in 0..random.usize(..3) {
            rewrites::rewrite(&mut base, random);
        }
        revision = base.clone();
        for _ in 0..=random.usize(..3) {
            rewrites::rewrite(&mut revision, random);
        }
        if random.bool() {
            std::mem::swap(&mut base, &mut revision);
        }
    }
    (name, base.to_string(), revision.to_string())
}

fn compare(
    base: &dropspec_model::Document,
    revision: &dropspec_model::Document,
    policy: &Policy,
    counts: &mut Counts,
) -> anyhow::Result<()> {
    counts.compared += 1;
    let start = Instant::now();
    let findings = dropspec_diff::diff(base, revision, policy);
    let took = start.elapsed();
    if took > MAX_COMPARISON_TIME {
        bail!("the comparison took {took:?}");
    }
    counts.longest = counts.longest.max(took);
    let Some(claim) = Claim::of(&findings, &base.root().to_json().to_string()) else {
        return Ok(());
    };
    match claim {
        Claim::Same => counts.silent += 1,
        Claim::BreaksNobody => counts.harmless += 1,
    }
    let checked = agreement::check(base, revision, claim);
    counts.schemas += checked.schemas;
    counts.values += checked.values;
    let ids: Vec<&str> = findings.iter().map(|it| it.id.as_str()).collect();
    let found = |text| format!("{text}\n  findings: {}", ids.join(", "));
    let disagreements = checked.disagreements.into_iter().map(found);
    counts.disagreements.extend(disagreements);
    Ok(())
}

fn report(arguments: &Arguments, documents: usize, counts: Counts) -> anyhow::Result<ExitCode> {
    let mut disagreements = counts.disagreements;
    disagreements.sort_by_key(String::len);
    for text in disagreements.iter().take(MOST_PRINTED) {
        print(format_args!("{text}\n\n"))?;
    }
    print(format_args!(
        "{} of {} mutations of {documents} documents compared, no panic; the longest took {:?}\n\
         {} without findings, {} with findings that break nobody: {} pairs of schemas with other texts, {} sampled values, \
         {} disagreements\n",
        counts.compared,
        arguments.iterations,
        counts.longest,
        counts.silent,
        counts.harmless,
        counts.schemas,
        counts.values,
        disagreements.len(),
    ))?;
    Ok(if disagreements.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
