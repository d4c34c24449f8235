//! Documents of real services: each becomes Rust that parses, or located errors, and never panics.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use dropspec_codegen::{Settings, generate};
use dropspec_model::{Diagnostic, Spec};

/// How many documents generate at least.
const MINIMUM: usize = 54;

#[test]
fn documents_of_real_services_become_rust_or_located_errors() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        let corpus = corpus.display();
        assert!(std::env::var_os("CI").is_none(), "{corpus} is missing");
        println!("skipped: there is no corpus at {corpus}");
        return;
    }
    let mut documents = Vec::new();
    find_documents(&corpus, &mut documents);
    // The largest first, so that no thread begins with it at the end.
    documents.sort_by_key(|path| Reverse(fs::metadata(path).unwrap().len()));
    let (next, generated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(path) = documents.get(next.fetch_add(1, Ordering::Relaxed)) {
            if is_generated(path) {
                generated.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().unwrap().get() {
            scope.spawn(work);
        }
    });
    let generated = generated.into_inner();
    assert!(generated >= MINIMUM, "{generated} documents generate");
}

/// Whether a document generates. If not, checks its errors.
fn is_generated(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    let Err(errors) = generate_document(path, &name) else {
        return true;
    };
    assert!(!errors.is_empty(), "{name} fails without an error");
    let is_located = |error: &Diagnostic| error.location.line > 0 && !error.message.contains('\n');
    assert!(errors.iter().all(is_located), "{name}: {errors:?}");
    false
}

/// Checks that every file parses, and is the same the second time.
fn generate_document(path: &Path, name: &str) -> Result<(), Vec<Diagnostic>> {
    let text = fs::read_to_string(path).unwrap();
    let spec = Spec::parse_with_errors(name, &text)?;
    // A document of another service generates with neutral settings.
    let settings = Settings::default();
    let generated = generate(&spec, &settings)?;
    assert!(generate(&spec, &settings)? == generated, "{name}");
    let files = generated.files.iter();
    for file in files.filter(|file| file.name.ends_with(".rs")) {
        let parsed = syn::parse_file(&file.content);
        parsed.unwrap_or_else(|error| panic!("{name}: {}: {error}", file.name));
    }
    Ok(())
}

fn find_documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().unwrap_or_default();
        if path.is_dir() {
            find_documents(&path, found);
        } else if ["json", "yaml", "yml"].iter().any(|it| extension == *it) {
            found.push(path);
        }
    }
}
