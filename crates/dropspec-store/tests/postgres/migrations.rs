//! Migrations: applied once however many servers start, and refused if they are not those that were applied.

use dropspec_store::postgres::{OpenError, PostgresEngine, Schema};
use futures::future::join_all;
use test_postgres::TestDatabase;

use crate::fixture::{SCHEMA, config, explain, ids, insert, open};

const SERVERS: usize = 12;

const CREATE: &str = SCHEMA.migrations[0][0];
const ALTER: &str = "ALTER TABLE notes ADD COLUMN author text";

const SECOND: Schema = Schema {
    migrations: &[&[CREATE], &[ALTER]],
    ..SCHEMA
};

async fn open_schema(database: &TestDatabase, schema: Schema) -> Result<PostgresEngine, OpenError> {
    PostgresEngine::open(schema, &config(database.url())).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_start_together_apply_each_migration_once() {
    let database = need!(TestDatabase::create("servers_start_together"));
    for schema in [SCHEMA, SECOND] {
        let starts = (0..SERVERS).map(|_| {
            let config = config(database.url());
            tokio::spawn(async move { PostgresEngine::open(schema, &config).await })
        });
        for engine in join_all(starts).await {
            let engine = engine.unwrap().unwrap();
            engine.check().await.unwrap();
            engine.close();
        }
    }
}

#[tokio::test]
async fn migration_that_fails_changes_nothing() {
    let database = need!(TestDatabase::create("migration_fails"));
    let engine = open(&database).await;
    insert(&engine, 1, "one").await.unwrap();
    let broken = Schema {
        migrations: &[&[
            CREATE,
            "DELETE FROM notes",
            "ALTER TABLE novels ADD COLUMN author text",
        ]],
        ..SCHEMA
    };
    let error = explain(&open_schema(&database, broken).await.unwrap_err());
    assert!(
        error.contains("to schema version 3; nothing was changed"),
        "{error}"
    );
    assert!(error.contains("\"novels\" does not exist"), "{error}");
    assert_eq!(ids(&engine).await.unwrap(), [1]);
    open_schema(&database, SECOND).await.unwrap();
}

#[tokio::test]
async fn edited_newer_and_foreign_migrations_are_refused() {
    let database = need!(TestDatabase::create("edited_migration"));
    let engine = open_schema(&database, SECOND).await.unwrap();
    let edited = Schema {
        migrations: &[&["CREATE TABLE notes (id bigint)", ALTER]],
        ..SCHEMA
    };
    let other = Schema {
        application: "novels",
        ..SECOND
    };
    let cases = [
        (edited, "migration 1 of postgres://postgres@"),
        (
            SCHEMA,
            "has schema version 2, this program supports versions up to 1",
        ),
        (other, "is the database of the application \"notes\""),
    ];
    for (schema, part) in cases {
        let error = open_schema(&database, schema)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
    }
    engine.check().await.unwrap();
}

#[tokio::test]
async fn database_that_was_migrated_further_is_not_ready() {
    let database = need!(TestDatabase::create("migrated_further"));
    let engine = open(&database).await;
    engine.check().await.unwrap();
    open_schema(&database, SECOND).await.unwrap();
    let error = explain(&engine.check().await.unwrap_err());
    assert!(error.contains("schema version 2 instead of 1"), "{error}");
}
