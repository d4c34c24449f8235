//! The command `copy` with rows at random, compared by SQLite.

use std::path::Path;

use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rusqlite::Connection;
use test_postgres::TestDatabase;

use super::copy_fixture::{copied, stopped_database};

/// Texts of any characters that PostgreSQL can store.
fn any_text() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', "\u{1}"))
}

/// Fills the tables of a stopped server with rows that its rules would not allow, but its database does.
fn fill_at_random(file: &Path) {
    let database = Connection::open(file).unwrap();
    let transaction = database.unchecked_transaction().unwrap();
    // What the server has counted depends on the time of day.
    transaction
        .execute("DELETE FROM operation_usage", [])
        .unwrap();
    let mut runner = TestRunner::deterministic();
    let mut sample =
        |strategy: &dyn Fn(&mut TestRunner) -> Vec<rusqlite::types::Value>, sql: &str, rows| {
            for _ in 0..rows {
                let values = strategy(&mut runner);
                transaction
                    .execute(sql, rusqlite::params_from_iter(values))
                    .unwrap();
            }
        };
    let id = 1..i64::MAX / 2;
    sample(
        &|runner| {
            let row = (
                id.clone(),
                any_text(),
                any_text(),
                proptest::option::of(any_text()),
            );
            let (id, name, key, description) = row.new_tree(runner).unwrap().current();
            vec![
                id.into(),
                name.into(),
                format!("{id}{key}").into(),
                description.into(),
            ]
        },
        "INSERT INTO categories (id, name, name_key, description) VALUES (?, ?, ?, ?)",
        100,
    );
    sample(
        &|runner| {
            let row = (
                id.clone(),
                id.clone(),
                1..=i64::MAX,
                proptest::option::of(any_text()),
            );
            let (id, pet, quantity, date) = row.new_tree(runner).unwrap().current();
            vec![id.into(), pet.into(), quantity.into(), date.into()]
        },
        "INSERT INTO orders (id, pet_id, quantity, ship_date, complete) VALUES (?, ?, ?, ?, TRUE)",
        1_500,
    );
    sample(
        &|runner| {
            let row = (
                any_text(),
                any_text(),
                any::<[u8; 32]>(),
                any_text(),
                any::<i64>(),
            );
            let (caller, key, body, answer, end) = row.new_tree(runner).unwrap().current();
            vec![
                caller.into(),
                key.into(),
                body.to_vec().into(),
                answer.into(),
                end.into(),
            ]
        },
        "INSERT OR IGNORE INTO idempotency_keys (caller, operation, key, body, answer, expires_at) VALUES (?1, 'o', ?2, ?3, ?4, ?5)",
        500,
    );
    transaction.commit().unwrap();
}

#[test]
fn rows_at_random_come_back_as_they_were() {
    let Some(database) = TestDatabase::create("rows_at_random_come_back") else {
        return;
    };
    let directory = stopped_database();
    let path = directory.path();
    fill_at_random(&path.join("petstore.db"));
    copied(path, "petstore.db", database.url());
    copied(path, database.url(), "back.db");
    // By SQLite itself, not by the checksums of the command.
    let compare = Connection::open(path.join("petstore.db")).unwrap();
    compare
        .execute(
            "ATTACH ?1 AS back",
            [path.join("back.db").display().to_string()],
        )
        .unwrap();
    for (table, rows) in [
        ("categories", 101),
        ("orders", 1_500),
        ("idempotency_keys", 500),
        ("api_key_secrets", 2),
        ("api_keys", 2),
        ("api_key_changes", 1),
        ("sqlite_sequence", 3),
    ] {
        let both = format!(
            "SELECT count(*) FROM (SELECT * FROM main.{table} INTERSECT SELECT * FROM back.{table})"
        );
        let both: u32 = compare.query_row(&both, [], |row| row.get(0)).unwrap();
        let here: u32 = compare
            .query_row(&format!("SELECT count(*) FROM main.{table}"), [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!((both, here), (rows, rows), "{table}");
    }
}
