//! Generates the documents of a corpus, several at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use dropspec::project;
use dropspec_codegen::{GeneratedFile, Settings, Traits, generate};
use dropspec_model::{Diagnostic, Spec};
use test_echo::Report;

/// What became of a document.
pub struct Generated {
    /// The document.
    pub path: PathBuf,
    /// A name for its crates.
    pub name: String,
    /// The number of operations in it.
    pub operations: usize,
    /// The number of those that code was generated for.
    pub generated: usize,
    /// The files; none if the document cannot be used.
    pub files: Vec<GeneratedFile>,
    /// Why operations are missing, one line each.
    pub errors: Vec<String>,
    /// The ends of the names of the crates that do not compile, with the errors of the compiler.
    pub rejected: Vec<(&'static str, Vec<String>)>,
    /// The result of the calls, if operations were called: the report of the program, or how it ended without one.
    pub calls: Option<Result<Report, String>>,
    /// The failures of calls that are listed with their reasons.
    pub listed: usize,
    /// How many of the listed operations no valid request is found for, so that they are never called.
    pub uncallable: usize,
    /// How long the generator took.
    pub took: Duration,
    /// What the code was generated with.
    pub settings: Settings,
}

impl Generated {
    /// Whether all operations are generated, compile as far as they were compiled, and were called without a failure as far
    /// as they were called.
    pub fn is_complete(&self) -> bool {
        self.generated == self.operations && self.rejected.is_empty() && self.has_good_calls()
    }

    /// Whether no call failed.
    pub fn has_good_calls(&self) -> bool {
        match &self.calls {
            None => true,
            Some(Ok(report)) => {
                report.failures.is_empty() && report.called + self.uncallable == self.generated
            }
            Some(Err(_)) => false,
        }
    }

    /// The number of operations that were generated into code that compiles.
    pub fn compiled(&self) -> usize {
        if self.rejected.is_empty() {
            self.generated
        } else {
            0
        }
    }
}

/// The stack of a thread that generates, in bytes: that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// Generates all documents, in their order.
pub fn generate_all(paths: &[PathBuf], partial: bool) -> anyhow::Result<Vec<Generated>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let generated = generate_document(path, partial, Traits::default());
            if let Ok(mut done) = done.lock() {
                done.push(generated);
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| -> anyhow::Result<()> {
        for _ in 0..workers {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread
                .spawn_scoped(scope, work)
                .context("cannot start a thread")?;
        }
        Ok(())
    })?;
    let done = done.into_inner().unwrap_or_default();
    let mut done = done.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    done.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(done)
}

/// Generates one document.
pub fn generate_document(path: &Path, partial: bool, traits: Traits) -> anyhow::Result<Generated> {
    let text = project::read_text(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let start = Instant::now();
    let settings = Settings {
        command: "cargo xtask corpus".to_owned(),
        source: name.clone().into_owned(),
        source_path: std::path::absolute(path)?.display().to_string(),
        partial,
        traits,
        ..Settings::default()
    };
    let mut generated = Generated {
        path: path.to_owned(),
        name: crate_name(path),
        operations: dropspec_model::Document::parse("", &text)
            .map_or(0, |it| dropspec_diff::list_operations(&it).len()),
        generated: 0,
        files: Vec::new(),
        errors: Vec::new(),
        rejected: Vec::new(),
        calls: None,
        listed: 0,
        uncallable: 0,
        took: Duration::ZERO,
        settings,
    };
    let files = catch_unwind(AssertUnwindSafe(|| {
        let spec = Spec::parse_with_errors(&name, &text)?;
        generate(&spec, &generated.settings)
    }));
    match files {
        Ok(Ok(made)) => {
            generated.generated = generated.operations - made.unsupported.len();
            generated.files = made.files;
            let problems = made.unsupported.iter().flat_map(|of| &of.problems);
            generated.errors = problems.map(one_line).collect();
        }
        Ok(Err(errors)) => generated.errors = errors.iter().map(one_line).collect(),
        Err(_) => generated.errors = vec![format!("{name}:1:1: the generator panics")],
    }
    generated.took = start.elapsed();
    Ok(generated)
}

fn one_line(error: &Diagnostic) -> String {
    format!("{}: {}", error.location, error.message)
}

/// A name for the crates of a document: its folder, its name and its format, in small letters.
fn crate_name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = path.file_name().unwrap_or_default();
    let text = format!("{}-{}", folder.display(), name.display());
    let plain = |sign: char| {
        if sign.is_ascii_alphanumeric() {
            sign.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    text.chars().map(plain).collect()
}
