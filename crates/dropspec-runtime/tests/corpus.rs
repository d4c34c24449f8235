//! Documents of real services: the routes, the decoder and the validator of responses take every operation.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use dropspec_model::Spec;
use dropspec_runtime::{Decoder, Document, Method, OperationInfo, ResponseValidator, Routes};
use serde_json::Value;

#[test]
fn every_operation_of_real_services_can_be_served() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        let is_required = std::env::var_os("CI").is_some();
        assert!(!is_required, "the corpus is missing: {}", corpus.display());
        println!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    let mut problems = Vec::new();
    let mut count = 0;
    for path in find_documents(&corpus) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let Ok(spec) = Spec::parse_with_errors(&name, &text) else {
            println!("{name}: cannot be read at all");
            continue;
        };
        // The operations of others can be served too, but nobody promises it.
        let is_valid = spec.errors.is_empty();
        let text: &'static str =
            Box::leak(spec.document.root().to_json().to_string().into_boxed_str());
        let document: &'static Document = Box::leak(Box::new(Document::from_json(text)));
        let operations: &'static [OperationInfo] = Vec::leak(list_operations(document));
        count += operations.len();
        let mut found = Vec::new();
        if let Err(error) = Routes::new(operations) {
            found.push(error.to_string());
        }
        for operation in operations {
            let table = std::slice::from_ref(operation);
            if let Err(error) = Decoder::new(document, table) {
                found.push(error.to_string());
            }
            if let Err(error) = ResponseValidator::new(document, table) {
                found.push(error.to_string());
            }
        }
        // dropshot's document of them: a panic fails the test.
        let mut generator = schemars::r#gen::SchemaGenerator::default();
        let schemas = document
            .find("/components/schemas")
            .and_then(Value::as_object);
        for (schema, _) in schemas.into_iter().flatten().filter(|_| is_valid) {
            let pointer = dropspec_schema::pointer::join("/components/schemas", schema);
            let _ = dropspec_runtime::schema::build_schema(document, &pointer, &mut generator);
        }
        if is_valid && !found.is_empty() {
            problems.push((name, found));
        }
    }
    println!("{count} operations");
    assert!(problems.is_empty(), "{problems:#?}");
}

fn list_operations(document: &'static Document) -> Vec<OperationInfo> {
    let paths = document.json().get("paths").and_then(Value::as_object);
    let mut operations = Vec::new();
    for (path, item) in paths.into_iter().flatten() {
        let item = document.resolve(item).unwrap_or(item);
        for method in [
            Method::Get,
            Method::Put,
            Method::Post,
            Method::Delete,
            Method::Patch,
        ] {
            if let Some(operation) = item.get(method.as_str().to_ascii_lowercase()) {
                let id = operation.get("operationId").and_then(Value::as_str);
                operations.push(OperationInfo::new(id.unwrap_or(path), method, path));
            }
        }
    }
    operations
}

fn find_documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            found.extend(find_documents(&path));
        } else if ["json", "yaml", "yml"].contains(&&*extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}
