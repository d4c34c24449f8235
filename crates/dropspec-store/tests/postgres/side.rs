//! A database as one side of a copy: rows of every kind, ids, triggers, and other connections.

use dropspec_store::EngineError;
use dropspec_store::postgres::{PostgresEngine, PostgresSide, Schema};
use dropspec_store::transfer::{Row, Side, Table, Value};
use test_postgres::TestDatabase;

use crate::fixture::config;

/// A table with a column of every kind, one with rows of its own, and a trigger that adds to it.
const KINDS: Schema = Schema {
    application: "kinds",
    migrations: &[&[
        "CREATE TABLE kinds (
            name varchar, number smallint, is_true boolean, part double precision, bytes bytea, note text,
            doubled integer GENERATED ALWAYS AS (number * 2) STORED, PRIMARY KEY (name, number)
         );
         CREATE TABLE logs (line text);
         INSERT INTO logs VALUES ('created');
         CREATE TABLE ids (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
         CREATE FUNCTION log_it() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO logs VALUES ('inserted'); RETURN NULL; END $$;
         CREATE TRIGGER log_it AFTER INSERT ON kinds FOR EACH ROW EXECUTE FUNCTION log_it()",
    ]],
};

async fn open(database: &TestDatabase) -> PostgresSide {
    let config = config(database.url());
    PostgresSide::open_target(KINDS, &config).await.unwrap()
}

async fn open_source(database: &TestDatabase) -> PostgresSide {
    let config = config(database.url());
    PostgresSide::open_source(KINDS, &config).await.unwrap()
}

async fn read(side: &PostgresSide, table: &Table) -> Vec<Row> {
    let mut rows = Vec::new();
    let push = async |row| {
        rows.push(row);
        Ok::<(), EngineError>(())
    };
    side.read_rows(table, push).await.unwrap();
    rows
}

async fn find(side: &PostgresSide, name: &str) -> Table {
    let tables = side.tables().await.unwrap();
    tables.into_iter().find(|table| table.name == name).unwrap()
}

#[tokio::test]
async fn rows_of_every_kind_are_read_as_inserted() {
    let database = need!(TestDatabase::create("rows_of_every_kind"));
    let side = open(&database).await;
    let (kinds, logs) = (find(&side, "kinds").await, find(&side, "logs").await);
    let text = |text: &str| Value::Text(text.to_owned());
    // In the order of their names: bytes, is_true, name, note, number, part.
    let row = |bytes: &[u8], is_true, number, part| {
        let bytes = Value::Bytes(bytes.to_vec());
        let (is_true, number) = (Value::Integer(is_true), Value::Integer(number));
        let note = text("'\"\\\u{1}");
        vec![bytes, is_true, text("B"), note, number, Value::Real(part)]
    };
    let mut rows = vec![
        row(&[0, 255], 1, 1, f64::MIN_POSITIVE),
        row(&[], 0, -32_768, -0.0),
        row(b"x", 0, 32_767, f64::MAX),
        row(b"y", 1, 0, 0.1),
    ];
    for column in [0, 1, 3, 5] {
        rows[3][column] = Value::Null;
    }
    side.insert(&kinds, &rows).await.unwrap();
    assert_eq!(read(&side, &kinds).await, rows);
    // Triggers are off, and what migrations inserted is gone.
    assert_eq!(read(&side, &logs).await, Vec::<Row>::new());
    side.finish().await.unwrap();
    database.execute("INSERT INTO kinds VALUES ('later', 1)");
    let source = open_source(&database).await;
    assert_eq!(read(&source, &logs).await.len(), 1, "triggers are on again");
}

#[tokio::test]
async fn ids_go_on_after_the_last_one_of_the_source() {
    let database = need!(TestDatabase::create("ids_go_on"));
    let side = open(&database).await;
    let ids = find(&side, "ids").await;
    let large = i64::MAX - 1;
    for (row, last, expected) in [
        (None, 0, 0),
        (Some(7), 0, 7),
        (None, 9, 9),
        (Some(large), 3, large),
    ] {
        let row: Vec<Row> = row.into_iter().map(|id| vec![Value::Integer(id)]).collect();
        side.insert(&ids, &row).await.unwrap();
        side.set_last_id(&ids, last).await.unwrap();
        assert_eq!(side.last_id(&ids).await.unwrap(), expected, "{row:?}");
    }
    let kinds = find(&side, "kinds").await;
    assert_eq!(side.last_id(&kinds).await.unwrap(), 0);
    side.finish().await.unwrap();
    database.execute("INSERT INTO ids DEFAULT VALUES");
    let source = open_source(&database).await;
    assert_eq!(source.last_id(&ids).await.unwrap(), i64::MAX);
}

#[tokio::test]
async fn unfinished_copy_leaves_an_empty_database_and_a_finished_one_is_never_a_target() {
    let database = need!(TestDatabase::create("unfinished_copy"));
    let config = config(database.url());
    drop(open(&database).await);
    open(&database).await.finish().await.unwrap();
    let engine = PostgresEngine::open(KINDS, &config).await.unwrap();
    engine.check().await.unwrap();
    let in_use = PostgresSide::open_source(KINDS, &config)
        .await
        .err()
        .unwrap();
    assert!(in_use.to_string().contains("is in use"), "{in_use}");
    engine.close();
    drop(engine);
    let full = PostgresSide::open_target(KINDS, &config)
        .await
        .err()
        .unwrap();
    assert!(full.to_string().contains("is not empty"), "{full}");
}

#[tokio::test]
async fn nobody_writes_to_a_source_while_it_is_copied() {
    let database = need!(TestDatabase::create("nobody_writes_to_a_source"));
    open(&database).await.finish().await.unwrap();
    let source = open_source(&database).await;
    let logs = find(&source, "logs").await;
    let before = read(&source, &logs).await;
    let write = "SET lock_timeout = 10; INSERT INTO logs VALUES ('late')";
    let refused = test_postgres::execute(database.url(), write).unwrap_err();
    let message = refused.as_db_error().unwrap().message();
    assert!(message.contains("lock timeout"), "{refused}");
    assert_eq!(read(&source, &logs).await, before);
}
