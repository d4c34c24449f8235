//! What the command `copy` refuses, and what it says about it.

use std::path::Path;
use std::process::Output;

use rusqlite::Connection;
use serde_json::{Value, json};
use test_postgres::TestDatabase;
use test_support::{ServerProcess, error_line, poll_until, run_petstore};

use super::copy_fixture::{copied, copy, stopped_database};
use super::postgres::{keys, start};

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
    assert!(!path.join("new.db.copying").exists());
    copied(&path, database.url(), "new.db");
    drop(stopped);
}

#[test]
fn copy_that_is_complete_is_recognized_until_it_changes() {
    let Some(database) = TestDatabase::create("copy_that_is_complete") else {
        return;
    };
    let directory = stopped_database();
    let path = directory.path();
    copied(path, "petstore.db", database.url());
    copied(path, database.url(), "back.db");
    for (from, to) in [("petstore.db", database.url()), (database.url(), "back.db")] {
        assert_eq!(copied(path, from, to)["outcome"], "was_complete");
    }
    let changed = Connection::open(path.join("petstore.db")).unwrap();
    changed
        .execute("UPDATE categories SET description = 'new'", [])
        .unwrap();
    drop(changed);
    let line = error_line(&copy(path, "petstore.db", database.url()));
    assert!(line.contains("the target is not empty"), "{line}");
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
        .execute_batch("CREATE TABLE notes (text TEXT)")
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
        ("stray.db", url, "the target has no table notes"),
        (
            "petstore.db",
            "mysql://me:secret@localhost/pets",
            "the unknown kind mysql://",
        ),
    ] {
        let line = error_line(&copy(path, from, to));
        assert!(line.contains(expected), "{from} to {to}: {line}");
        assert!(!line.contains("secret"), "{line}");
    }
    // The tables of the target were created before they were compared.
    database.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
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
fn records_that_postgres_cannot_store_are_named_and_no_copy_is_finished() {
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
    // Until the copy is complete, no server and no command uses the target.
    for arguments in [&["serve"][..], &["keys", "list"]] {
        let output = run_on(directory.path(), arguments, database.url());
        let line = error_line(&output);
        assert!(line.contains("holds an unfinished copy from"), "{line}");
        assert!(line.contains("petstore.db"), "{line}");
    }
    let file = directory.path().join("petstore.db");
    let renamed = format!("UPDATE pets SET name = 'Nil' WHERE id = {id}");
    Connection::open(file)
        .unwrap()
        .execute(&renamed, [])
        .unwrap();
    copied(directory.path(), "petstore.db", database.url());
}

fn run_on(directory: &Path, arguments: &[&str], url: &str) -> Output {
    run_petstore(directory, &[arguments, &["--database", url]].concat())
}

#[test]
fn credit_that_a_crash_of_a_server_lost_counts_as_used_in_the_copy() {
    let Some(database) = TestDatabase::create("credit_that_a_crash_lost") else {
        return;
    };
    let server = ServerProcess::start_on_file();
    let idle = server.create_key(&["--plan", "free"]);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    // It is stored in the background, and nothing is given on credit before.
    let file = Connection::open(server.storage.path().join("petstore.db")).unwrap();
    poll_until("credit to be given", || {
        let select = "SELECT 1 FROM credit WHERE is_open";
        file.query_row(select, [], |_| Ok(())).ok()
    });
    drop(file);
    let directory = server.kill();
    let path = directory.path();
    let report = copied(path, "petstore.db", database.url());
    let note = report["notes"][0].as_str().unwrap();
    assert!(
        note.contains("not stopped properly today (number: 1)"),
        "{note}"
    );
    let shown = keys(database.url(), &["show", &idle[..8]]);
    assert_eq!(shown["day"]["used"], 20);
    assert_eq!(
        copied(path, "petstore.db", database.url())["outcome"],
        "was_complete"
    );
    // The source knows of it as before.
    let shown = keys(
        &path.join("petstore.db").display().to_string(),
        &["show", &idle[..8]],
    );
    assert_eq!(shown["day"]["used"], 0);
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
