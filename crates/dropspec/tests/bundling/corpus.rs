//! The documents of the corpora, which have no references to other files, stay as they are.

use std::path::{Path, PathBuf};

use dropspec::bundling::bundle;

#[test]
fn documents_in_one_file_keep_their_text_and_survive_yaml() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.exists() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    }
    for folder in ["dropshot", "more-dropshot", "others", "more-others"] {
        let entries = std::fs::read_dir(corpus.join(folder)).unwrap();
        let paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert!(!paths.is_empty(), "{folder} is empty");
        for path in paths {
            let name = path.display();
            let bundled = bundle(&path, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!(bundled.warnings, [], "{name}");
            let written = std::fs::read_to_string(&path).unwrap();
            assert!(bundled.text() == written, "{name}: another text");
            let yaml = dropspec_model::Document::parse("yaml", &bundled.yaml()).unwrap();
            let same = yaml.root().to_json() == bundled.document.root().to_json();
            assert!(same, "{name}: another value as YAML");
        }
    }
}
