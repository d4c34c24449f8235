//! Migrations of an older database: a copy from before is kept, and the command `migrate` says what it does.

use std::path::Path;
use std::process::Output;

use dropspec_store::sqlite::{Engine, EngineConfig, Schema};
use petstore_server::store::SCHEMA;
use tempfile::TempDir;
use test_support::files::file_names;
use test_support::{ServerProcess, petstore, run_petstore};

/// The schema before its last migration.
fn older_schema() -> Schema {
    let (last, groups) = SCHEMA.migrations.split_last().unwrap();
    let [shorter @ .., _] = *last else {
        panic!("a group without migrations")
    };
    let migrations = [groups, &[shorter]].concat();
    Schema {
        migrations: migrations.leak(),
        ..SCHEMA
    }
}

/// A folder with a database of the older version.
fn older_database() -> TempDir {
    let folder = TempDir::new().unwrap();
    let config = EngineConfig::new(folder.path().join("petstore.db"));
    drop(Engine::open(older_schema(), &config).unwrap());
    let database = rusqlite::Connection::open(folder.path().join("petstore.db")).unwrap();
    let key =
        "INSERT INTO api_keys (name, plan, access, created_at) VALUES ('shop', 'free', 'read', 1)";
    database.execute(key, []).unwrap();
    folder
}

fn migrate(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let arguments = [&["migrate"][..], arguments].concat();
    let Output {
        status,
        stdout,
        stderr,
    } = run_petstore(folder, &arguments);
    let text = String::from_utf8([stdout, stderr].concat()).unwrap();
    (status.code(), text)
}

fn copy_name() -> String {
    format!("petstore.db.before-version-{}", SCHEMA.version())
}

#[test]
fn command_checks_then_migrates_and_keeps_a_copy() {
    let folder = older_database();
    let (code, text) = migrate(folder.path(), &["--check"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("1 to apply, by `petstore migrate`"), "{text}");
    assert!(!file_names(folder.path()).contains(&copy_name()));

    let (code, text) = migrate(folder.path(), &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(&copy_name()), "{text}");
    assert!(file_names(folder.path()).contains(&copy_name()));
    let change = ["keys", "change", "1", "--expires", "90d", "--json"];
    let changed = run_petstore(folder.path(), &change);
    assert!(changed.status.success(), "{changed:?}");
    for arguments in [&["--check"][..], &[]] {
        let (code, text) = migrate(folder.path(), arguments);
        assert_eq!(code, Some(0), "{text}");
        assert!(
            text.contains("has the schema version of this program"),
            "{text}"
        );
    }
    let absent = ["--check", "--database", "absent.db"];
    let (code, text) = migrate(folder.path(), &absent);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("there is no petstore database at absent.db"),
        "{text}"
    );
}

#[test]
fn start_that_migrates_is_in_the_log_with_the_copy() {
    let server = ServerProcess::run(petstore(), older_database(), &["--database", "petstore.db"]);
    let storage = server.stop();
    assert!(file_names(storage.path()).contains(&copy_name()));
    let log = std::fs::read_to_string(storage.path().join("log")).unwrap();
    let line = log
        .lines()
        .find(|line| line.contains("the database was migrated"));
    assert!(line.unwrap().contains(&copy_name()), "{log}");
}
