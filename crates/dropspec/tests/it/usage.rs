//! `--usage` of `diff`, `changelog` and `release`. Today is 2026-11-21.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::checkout::Checkout;

const TODAY: [&str; 2] = ["--today", "2026-11-21"];

/// A document with these operations, such as `GET /pets`.
fn document(version: &str, operations: &[&str]) -> String {
    let mut text = format!("openapi: 3.0.3\ninfo: {{title: a, version: {version}}}\npaths:\n");
    for (number, operation) in operations.iter().enumerate() {
        let (method, path) = operation.split_once(' ').unwrap();
        text.push_str(&format!(
            "  {path}: {{{}: {{operationId: o{number}, responses: {{'200': {{description: It.}}}}}}}}\n",
            method.to_lowercase()
        ));
    }
    text
}

/// What `usage --json` prints of operations, each with the day on which a key used it.
fn usage(operations: &[(&str, Option<&str>)]) -> String {
    let operations = operations.iter().map(|(operation, day)| {
        let (method, path) = operation.split_once(' ').unwrap();
        let keys: Vec<Value> = day
            .iter()
            .map(|day| json!({ "key": 1, "name": "x", "days": { *day: 2 } }))
            .collect();
        json!({
            "operation": "o", "method": method, "path": path, "deprecated": false, "inputs": [],
            "counted": [{ "from": "2026-10-01", "to": "2026-11-21" }], "keys": keys,
        })
    });
    let operations: Vec<Value> = operations.collect();
    json!({ "service": "a", "from": "2026-08-14", "to": "2026-11-21", "operations": operations })
        .to_string()
}

/// The level and the usage of each break of two folders.
fn breaks(folder: &Checkout, arguments: &[&str]) -> Vec<String> {
    let diff = ["diff", "old", "new", "--format", "json"];
    let (_, said, error) = folder.run(&[&diff, &TODAY[..], arguments].concat());
    let found: Vec<Value> = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{error}"));
    let with_usage = found.iter().filter(|it| it["usage"].is_object());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    with_usage
        .map(|it| format!("{} {}", text(&it["level"]), text(&it["usage"]["summary"])))
        .collect()
}

#[test]
fn usage_is_told_of_the_documents_of_folders() {
    let folder = Checkout::empty();
    for (file, operations) in [
        ("old/pets.yaml", &["GET /pets", "GET /health"][..]),
        ("old/store.yaml", &["GET /orders", "GET /health"]),
        ("old/gone.yaml", &["GET /gone"]),
        ("new/pets.yaml", &["GET /health"]),
        ("new/store.yaml", &["GET /orders"]),
    ] {
        folder.write(file, &document("1.0.0", operations));
    }
    let of_pets = [
        ("GET /pets", Some("2026-11-20")),
        ("GET /health", None),
        ("GET /gone", None),
    ];
    folder.write("usage.json", &usage(&of_pets));
    folder.write("store.json", &usage(&[("GET /health", Some("2026-11-19"))]));

    let used = "error used by 1 key in the last 30 days (last on 2026-11-20)";
    let gone = "not used by any key since 2026-10-01 (counted days: 52)";
    let allowed = format!("info {gone}; allowed, as nobody used it for 30 days");
    let shared =
        "error usage is not known: several documents have GET /health, name that of the service";
    assert_eq!(
        breaks(&folder, &["--usage", "usage.json"]),
        [format!("error {gone}"), used.to_owned(), shared.to_owned()]
    );
    assert_eq!(
        breaks(
            &folder,
            &["--usage", "usage.json", "--allow-unused-for", "30"]
        ),
        [used.to_owned(), shared.to_owned(), allowed]
    );
    let of_store = [
        "--usage",
        "pets.yaml=usage.json",
        "--usage",
        "store.yaml=store.json",
    ];
    assert_eq!(
        breaks(&folder, &of_store),
        [
            used,
            "error used by 1 key in the last 30 days (last on 2026-11-19)"
        ]
    );
}

#[test]
fn usage_of_an_unknown_document_is_an_error() {
    let folder = Checkout::empty();
    folder.write("old/pets.yaml", &document("1.0.0", &["GET /pets"]));
    folder.write("new/pets.yaml", &document("1.0.0", &["GET /pets"]));
    folder.write("a.json", &usage(&[]));
    let rows = "
diff old new --usage pet.yaml=a.json => neither side has the document `pet.yaml`: there is `pets.yaml`
diff old new --usage a.json --usage a.json => there is another file already
diff old new --usage pets.yaml=a.json --usage pets.yaml=a.json => there is another file already
diff old/pets.yaml new/pets.yaml --usage pets.yaml=a.json => only one document is compared: write the file without `pets.yaml=`
";
    folder.assert_refused(rows);
}

#[test]
fn usage_of_another_service_is_refused_by_its_name() {
    let folder = Checkout::empty();
    folder.write("old.yaml", &document("1.0.0", &["GET /pets"]));
    folder.write("new.yaml", &document("1.0.0", &["GET /cats"]));
    let of = |title: &str| {
        usage(&[]).replace("\"service\"", &format!("\"title\":\"{title}\",\"service\""))
    };
    folder.write("books.json", &of("Books"));
    folder.write("own.json", &of("a"));
    let (code, _, error) = folder.run(&["diff", "old.yaml", "new.yaml", "--usage", "own.json"]);
    assert_eq!((code, error.as_str()), (1, ""));
    folder.assert_refused("\ndiff old.yaml new.yaml --usage books.json => books.json: the usage is of the service `Books`, and the document of `a`\n");
}

/// A repository that released version 1.0.0 with `GET /pets` and `GET /old`, and has now version 1.1.0 with `GET /pets`.
fn without_an_operation(settings: &str) -> Checkout {
    let folder = Checkout::empty();
    folder.write(
        "dropspec.toml",
        "document = \"a.yaml\"\n[contract]\nsettings = \"c.toml\"\nreleases = \"releases\"\n",
    );
    folder.write("c.toml", settings);
    folder.write("a.yaml", &document("1.0.0", &["GET /pets", "GET /old"]));
    assert_eq!(folder.run(&["release"]).0, 0);
    folder.write("a.yaml", &document("1.1.0", &["GET /pets"]));
    folder
}

#[test]
fn release_allows_what_nobody_used_as_diff_does() {
    let setting = "[settings]\nallow-unused-for = 30\n";
    for (settings, day, flag, code) in [
        (setting, Some("2026-10-22"), None, 1),
        (setting, Some("2026-10-21"), None, 0),
        ("", None, None, 1),
        ("", None, Some("30"), 0),
    ] {
        let folder = without_an_operation(settings);
        folder.write("usage.json", &usage(&[("GET /old", day)]));
        let mut arguments = [&TODAY[..], &["--usage", "usage.json"]].concat();
        arguments.extend(flag.iter().flat_map(|days| ["--allow-unused-for", days]));
        let case = (settings, day, flag);
        let (diff, said, error) = folder.run(&[&["diff"], &arguments[..]].concat());
        assert_eq!(diff, code, "{case:?}: {said}{error}");
        let (release, said, error) = folder.run(&[&["release"], &arguments[..]].concat());
        assert_eq!(release, code, "{case:?}: {said}{error}");
        assert_eq!(folder.path("releases/1.1.0.yaml").exists(), code == 0);
    }
    let folder = without_an_operation(setting);
    assert_eq!(
        folder.run(&[&["release"], &TODAY[..]].concat()).0,
        1,
        "who uses it is not known"
    );
}

#[test]
fn changelog_calls_nothing_breaking_that_nobody_used() {
    let folder = without_an_operation("[settings]\nallow-unused-for = 30\n");
    folder.write("usage.json", &usage(&[("GET /old", None)]));
    let changelog = |arguments: &[&str]| folder.run(&[&["changelog"], arguments].concat()).1;
    let said = changelog(&[]);
    assert!(said.contains("### Breaking changes"), "{said}");
    let said = changelog(&[&TODAY[..], &["--usage", "usage.json"]].concat());
    assert!(said.contains("### Removed\n"), "{said}");
    assert!(
        !said.contains("Breaking") && !said.contains("keys"),
        "{said}"
    );
}
