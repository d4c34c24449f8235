//! Two versions of a document of 1 MB. Due: less than a second.

use chrono::NaiveDate;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, Value, json};
use spec_diff::Policy;
use spec_model::Document;

/// What the documents are at least, in bytes.
const SIZE: usize = 1_000_000;

/// A document of many operations on many schemas, each of which refers to others.
fn document(edition: u32) -> String {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    let mut count = 0;
    let mut size = 0;
    while size < SIZE {
        let (schema, path) = (schema(count, edition), path(count));
        size += schema.to_string().len() + path.to_string().len();
        schemas.insert(format!("Thing{count}"), schema);
        paths.insert(format!("/things{count}/{{id}}"), path);
        count += 1;
    }
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Things", "version": "1.0.0" },
        "paths": paths,
        "components": { "schemas": schemas },
    })
    .to_string()
}

fn schema(number: usize, edition: u32) -> Value {
    let other = |distance: usize| json!({ "$ref": format!("#/components/schemas/Thing{}", number.saturating_sub(distance)) });
    json!({
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": { "type": "integer", "format": "int64", "minimum": 1 },
            "name": { "type": "string", "maxLength": if number.is_multiple_of(10) { 50 + edition } else { 50 } },
            "kind": { "type": "string", "enum": ["small", "large", "huge"] },
            "parent": other(1),
            "friends": { "type": "array", "items": other(7) },
            "either": { "oneOf": [other(2), other(3)] },
            "both": { "allOf": [other(5), { "description": "with more to it" }] },
        },
    })
}

fn path(number: usize) -> Value {
    let body = json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/Thing{number}") } } });
    let operation = |id: &str| {
        json!({
            "operationId": format!("{id}{number}"),
            "summary": "Does something with a thing",
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } },
                { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 100 } },
            ],
            "requestBody": { "content": body },
            "responses": { "200": { "description": "The thing", "content": body } },
        })
    };
    json!({ "put": operation("replace"), "patch": operation("update") })
}

fn compare(criterion: &mut Criterion) {
    let read =
        |edition| Document::parse("things.json", &document(edition)).expect("the document is JSON");
    let (base, revision) = (read(0), read(1));
    let policy =
        Policy::new(NaiveDate::from_ymd_opt(2026, 11, 21).expect("the day is in the calendar"));
    let mut group = criterion.benchmark_group("two versions of 1 MB");
    group.sample_size(10);
    group.bench_function("diff", |bencher| {
        bencher.iter(|| spec_diff::diff(&base, &revision, &policy))
    });
    group.bench_function("read and diff", |bencher| {
        let texts = (document(0), document(1));
        bencher.iter(|| {
            let base = Document::parse("base.json", &texts.0).expect("the document is JSON");
            let revision =
                Document::parse("revision.json", &texts.1).expect("the document is JSON");
            spec_diff::diff(&base, &revision, &policy)
        });
    });
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
