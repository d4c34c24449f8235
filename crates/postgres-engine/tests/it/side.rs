//! A database as one side of a copy: rows of every kind, ids, triggers, and the lock against servers.

use engine_types::EngineError;
use engine_types::transfer::{Checksums, Row, Side, Table, Value};
use postgres_engine::{OpenError, PostgresEngine, PostgresSide, Schema};
use test_postgres::TestDatabase;

use crate::fixture::config;

/// A table with a column of every kind, one with rows of its own and no key, and a trigger that adds to it.
const KINDS: Schema = Schema {
    application: "kinds",
    migrations: &[
        "CREATE TABLE kinds (
            name varchar COLLATE \"und-x-icu\", number smallint, is_true boolean, part double precision, bytes bytea, note text,
            doubled integer GENERATED ALWAYS AS (number * 2) STORED, PRIMARY KEY (name, number)
         );
         CREATE TABLE logs (line text);
         INSERT INTO logs VALUES ('created');
         CREATE TABLE ids (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
         CREATE FUNCTION log_it() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO logs VALUES ('inserted'); RETURN NULL; END $$;
         CREATE TRIGGER log_it AFTER INSERT ON kinds FOR EACH ROW EXECUTE FUNCTION log_it()",
    ],
};

const SOURCE: &str = "/data/source.db";

async fn open(database: &TestDatabase) -> PostgresSide {
    let config = config(database.url());
    let side = PostgresSide::open_target(KINDS, &config, SOURCE).await;
    side.unwrap()
}

async fn open_source(database: &TestDatabase) -> PostgresSide {
    let config = config(database.url());
    let side = PostgresSide::open_source(KINDS, &config).await;
    side.unwrap()
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

fn find<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|table| table.name == name).unwrap()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A row with the smallest or largest values of each column.
fn row(name: &str, number: i64, part: f64, bytes: &[u8]) -> Row {
    let is_true = Value::Integer(i64::from(number > 0));
    let (part, bytes) = (Value::Real(part), Value::Bytes(bytes.to_vec()));
    vec![
        text(name),
        Value::Integer(number),
        is_true,
        part,
        bytes,
        text("'\"\\\u{1}"),
    ]
}

#[tokio::test]
async fn rows_of_every_kind_are_read_as_inserted_in_the_order_of_bytes() {
    let Some(database) = TestDatabase::create("rows_of_every_kind") else {
        return;
    };
    let side = open(&database).await;
    let tables = side.tables().await.unwrap();
    let kinds = find(&tables, "kinds");
    assert_eq!(kinds.columns.len(), 6, "no generated column: {kinds:?}");
    side.begin(&tables).await.unwrap();
    // The collation of the column orders "a" before "B".
    let mut rows = vec![
        row("B", 1, f64::MIN_POSITIVE, &[0, 255]),
        row("a", -32_768, -0.0, &[]),
        row("a", 32_767, f64::MAX, b"x"),
        row("é", 0, 0.1, b"y"),
    ];
    rows[3][2..].fill(Value::Null);
    side.insert(kinds, &rows).await.unwrap();
    assert_eq!(read(&side, kinds).await, rows);
    // Triggers are off, and what migrations inserted is gone.
    let logs = find(&tables, "logs");
    assert_eq!(read(&side, logs).await, Vec::<Row>::new());
    let lines = vec![vec![Value::Null], vec![text("B")], vec![text("a")]];
    side.insert(logs, &lines).await.unwrap();
    assert_eq!(read(&side, logs).await, lines);
    side.finish(&tables).await.unwrap();
    database.execute("INSERT INTO kinds VALUES ('later', 1)");
    let source = open_source(&database).await;
    assert_eq!(read(&source, logs).await.len(), 4, "triggers are on again");
}

#[tokio::test]
async fn batch_is_inserted_whole_or_not_at_all() {
    let Some(database) = TestDatabase::create("batch_is_inserted_whole") else {
        return;
    };
    let side = open(&database).await;
    let tables = side.tables().await.unwrap();
    side.begin(&tables).await.unwrap();
    let kinds = find(&tables, "kinds");
    let rows = [row("a", 1, 0.5, b""), row("a", 1, 0.5, b"")];
    side.insert(kinds, &rows).await.unwrap_err();
    let too_large = [row("a", 1, 0.5, b""), row("a", 32_768, 0.5, b"")];
    side.insert(kinds, &too_large).await.unwrap_err();
    assert_eq!(read(&side, kinds).await, Vec::<Row>::new());
}

#[tokio::test]
async fn ids_go_on_after_the_last_one_of_the_source() {
    let Some(database) = TestDatabase::create("ids_go_on") else {
        return;
    };
    let side = open(&database).await;
    let tables = side.tables().await.unwrap();
    let ids = find(&tables, "ids");
    side.begin(&tables).await.unwrap();
    // A source that does not know its last id, an empty one, one whose last rows were deleted, and one that was set back.
    for (rows, last, expected) in [
        (vec![], None, 0),
        (vec![], Some(0), 0),
        (vec![1, 7], None, 7),
        (vec![], Some(9), 9),
        (vec![i64::MAX - 1], Some(3), i64::MAX - 1),
    ] {
        side.begin(&tables).await.unwrap();
        let rows: Vec<Row> = rows
            .into_iter()
            .map(|id| vec![Value::Integer(id)])
            .collect();
        side.insert(ids, &rows).await.unwrap();
        side.set_last_id(ids, last).await.unwrap();
        assert_eq!(
            side.last_id(ids).await.unwrap(),
            Some(expected),
            "{rows:?}, {last:?}"
        );
    }
    assert_eq!(side.last_id(find(&tables, "kinds")).await.unwrap(), None);
    side.finish(&tables).await.unwrap();
    database.execute("INSERT INTO ids DEFAULT VALUES");
    let source = open_source(&database).await;
    assert_eq!(source.last_id(ids).await.unwrap(), Some(i64::MAX));
}

#[tokio::test]
async fn servers_and_copies_keep_each_other_away() {
    let Some(database) = TestDatabase::create("servers_and_copies") else {
        return;
    };
    let config = config(database.url());
    let side = open(&database).await;
    assert!(!side.is_complete());
    let refused = PostgresEngine::open(KINDS, &config).await.unwrap_err();
    assert!(matches!(refused, OpenError::Copying { .. }), "{refused}");
    let second = PostgresSide::open_target(KINDS, &config, SOURCE).await;
    assert!(matches!(second.err().unwrap(), OpenError::InUse { .. }));
    drop(side);

    // The connection ends a moment after it is dropped.
    let unfinished = loop {
        match PostgresEngine::open(KINDS, &config).await.unwrap_err() {
            OpenError::Copying { .. } => tokio::task::yield_now().await,
            other => break other,
        }
    };
    let expected = "holds an unfinished copy";
    assert!(unfinished.to_string().contains(expected), "{unfinished}");
    let as_source = loop {
        match PostgresSide::open_source(KINDS, &config)
            .await
            .err()
            .unwrap()
        {
            OpenError::InUse { .. } => tokio::task::yield_now().await,
            other => break other,
        }
    };
    assert!(as_source.to_string().contains(expected), "{as_source}");
    let side = loop {
        match PostgresSide::open_target(KINDS, &config, SOURCE).await {
            Err(OpenError::InUse { .. }) => tokio::task::yield_now().await,
            other => break other.unwrap(),
        }
    };
    let tables = side.tables().await.unwrap();
    side.begin(&tables).await.unwrap();
    side.finish(&tables).await.unwrap();
    let engine = loop {
        match PostgresEngine::open(KINDS, &config).await {
            Err(OpenError::Copying { .. }) => tokio::task::yield_now().await,
            other => break other.unwrap(),
        }
    };
    let refused = PostgresSide::open_source(KINDS, &config).await;
    assert!(matches!(refused.err().unwrap(), OpenError::InUse { .. }));
    engine.check().await.unwrap();
}

#[tokio::test]
async fn writes_after_the_first_read_are_not_part_of_a_source() {
    let Some(database) = TestDatabase::create("writes_after_the_first_read") else {
        return;
    };
    let side = open(&database).await;
    let tables = side.tables().await.unwrap();
    side.finish(&tables).await.unwrap();
    let logs = find(&tables, "logs");
    let source = open_source(&database).await;
    let checksum = async || {
        let mut checksums = Checksums::default();
        read(&source, logs)
            .await
            .iter()
            .for_each(|row| checksums.add(row));
        checksums.current()
    };
    let before = checksum().await;
    // A client that knows nothing of locks.
    database.execute("INSERT INTO logs VALUES ('late')");
    assert_eq!(checksum().await, before);
}
