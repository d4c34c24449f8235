//! What the command `copy` refuses, and what it says about it.

use rusqlite::Connection;
use serde_json::{Value, json};
use test_postgres::TestDatabase;
use test_support::{ServerProcess, error_line, run_petstore};

use super::copy_fixture::{copied, copy, stopped_database};
use super::postgres::start;

#[test]
fn databases_in_use_are_not_copied() {
    let Some(database) = TestDatabase::create("databases_in_use_are_not_copied") else {
        return;
    };
    let server = ServerProcess::start_on_file();
    let path = server.storage.path().to_owned();
    let line = error_line(&copy(&path, "petstore.db", database.url()));
    assert!(line.contains("is in use by another server"), "{line}");
    let there = start(database.url());
    let stopped = server.stop();
    for (from, to) in [("petstore.db", database.url()), (database.url(), "new.db")] {
        let line = error_line(&copy(&path, from, to));
        assert!(line.contains("is in use by a server"), "{line}");
    }
    there.stop();
    copied(&path, database.url(), "new.db");
    for (from, to) in [("petstore.db", database.url()), (database.url(), "new.db")] {
        let line = error_line(&copy(&path, from, to));
        assert!(
            line.contains("is not empty") || line.contains("already exists"),
            "{line}"
        );
    }
    drop(stopped);
}

#[test]
fn wrong_databases_are_explained() {
    let Some(database) = TestDatabase::create("wrong_databases_are_explained") else {
        return;
    };
    let other = TestDatabase::create("wrong_databases_are_explained").unwrap();
    let directory = stopped_database();
    let path = directory.path();
    std::fs::write(path.join("text.db"), "not a database").unwrap();
    std::fs::write(path.join("empty.db"), "").unwrap();
    let version = |name: &str, version: i64| {
        std::fs::copy(path.join("petstore.db"), path.join(name)).unwrap();
        let file = Connection::open(path.join(name)).unwrap();
        file.pragma_update(None, "user_version", version).unwrap();
    };
    version("old.db", 1);
    version("new.db", 99);
    std::fs::copy(path.join("petstore.db"), path.join("stray.db")).unwrap();
    let stray = Connection::open(path.join("stray.db")).unwrap();
    stray
        .execute_batch("CREATE TABLE strays (text TEXT)")
        .unwrap();
    drop(stray);
    other.execute("CREATE TABLE letters (text TEXT)");
    let (url, other) = (database.url(), other.url());
    let missing = "postgres://postgres:secret@127.0.0.1:1/pets";
    for (from, to, expected) in [
        ("absent.db", url, "there is no database at"),
        ("text.db", url, "is not a SQLite database"),
        ("old.db", url, "start and stop its server once"),
        ("new.db", url, "run a newer version"),
        ("petstore.db", "copy.db", "`petstore backup` copies a file"),
        (url, other, "pg_dump"),
        (url, "copy.db", "has no tables of the application"),
        ("petstore.db", other, "it has the table \"letters\""),
        ("petstore.db", missing, "there is no PostgreSQL server"),
        ("stray.db", url, "the target has no column strays.text"),
        (
            "petstore.db",
            "mysql://me:secret@localhost/pets",
            "a URL of an unknown kind",
        ),
    ] {
        let line = error_line(&copy(path, from, to));
        assert!(line.contains(expected), "{from} to {to}: {line}");
        assert!(!line.contains("secret"), "{line}");
    }
    copied(path, "petstore.db", url);
    for (to, expected) in [
        ("text.db", "is not a SQLite"),
        ("empty.db", "already exists"),
    ] {
        let line = error_line(&copy(path, url, to));
        assert!(line.contains(expected), "{to}: {line}");
    }
}

#[test]
fn records_that_postgres_cannot_store_are_named_and_no_copy_is_made() {
    let Some(database) = TestDatabase::create("records_that_postgres_cannot_store") else {
        return;
    };
    let server = ServerProcess::start_on_file();
    server.create_category("Cat");
    let name = json!({ "name": "N\u{0}l", "categoryId": 1 }).to_string();
    let created = server.send("POST", "/pets", &name);
    let id = created.json::<Value>()["id"].clone();
    let directory = server.stop();
    let line = error_line(&copy(directory.path(), "petstore.db", database.url()));
    let expected = format!("pets with id {id}: name contains the character U+0000");
    assert!(line.contains(&expected), "{line}");
    let file = directory.path().join("petstore.db");
    let renamed = format!("UPDATE pets SET name = 'Nil' WHERE id = {id}");
    Connection::open(file)
        .unwrap()
        .execute(&renamed, [])
        .unwrap();
    copied(directory.path(), "petstore.db", database.url());
}

#[test]
fn output_for_people_names_rows_and_next_ids() {
    let Some(database) = TestDatabase::create("output_for_people") else {
        return;
    };
    let directory = stopped_database();
    let arguments = ["copy", "--from", "petstore.db", "--to", database.url()];
    let output = run_petstore(directory.path(), &arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let row = text
        .lines()
        .find(|line| line.starts_with("categories "))
        .unwrap();
    let columns: Vec<&str> = row.split_whitespace().take(3).collect();
    assert_eq!(columns, ["categories", "1", "2"], "{text}");
}
