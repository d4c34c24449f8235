//! Connections that cannot be opened, and TLS.

use std::path::Path;

use dropspec_store::postgres::PostgresEngine;
use test_postgres::{TestDatabase, TestServer};

use crate::fixture::{NONE, SCHEMA, config, ids, open_with};

/// The certificates of the tests of HTTPS: one for `localhost`, and one that nobody has signed.
const CERTIFICATES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../petstore-server/tests/it/process/tls"
);

async fn open_error(url: &str) -> String {
    let opened = PostgresEngine::open(SCHEMA, &config(url)).await;
    crate::fixture::explain(&opened.unwrap_err())
}

#[tokio::test]
async fn address_without_a_server_and_missing_database_are_named() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = unused.local_addr().unwrap().port();
    drop(unused);
    let error = open_error(&format!("postgres://me:secret@127.0.0.1:{port}/pets")).await;
    let start = format!("there is no PostgreSQL server at postgres://me@127.0.0.1:{port}/pets");
    assert!(error.starts_with(&start), "{error}");
    assert!(!error.contains("secret"), "{error}");

    let database = need!(TestDatabase::create("missing_database"));
    let (server, _) = database.url().rsplit_once('/').unwrap();
    let error = open_error(&format!("{server}/no_such_database")).await;
    assert!(
        error.contains("create it first, for example by `createdb no_such_database`"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn busy_server_has_longer_to_answer_the_first_connection_than_a_request_waits() {
    // The system accepts the connection; nobody answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://me@{}/pets", silent.local_addr().unwrap());
    let start = tokio::time::Instant::now();
    let error = open_error(&url).await;
    assert!(
        error.contains(": nothing answered there within 10 seconds; "),
        "{error}"
    );
    let waited = start.elapsed();
    assert!(waited >= 3 * config(&url).pool_timeout, "{waited:?}");
}

#[tokio::test]
async fn server_that_refuses_the_password_is_named() {
    let name = "server_that_refuses_the_password";
    let server = need!(TestServer::start(name));
    let add = "CREATE ROLE clerk LOGIN PASSWORD 'right'";
    test_postgres::execute(&server.url("postgres"), add).unwrap();
    let rule = "host all clerk 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
    server.replace_file("pg_hba.conf", rule);
    test_postgres::execute(&server.url("postgres"), "SELECT pg_reload_conf()").unwrap();
    let url = |password| {
        format!(
            "postgres://clerk:{password}@127.0.0.1:{}/postgres",
            server.port()
        )
    };
    // The server reads its files again in the background.
    let mut error = String::new();
    for _ in 0..1000 {
        error = open_error(&url("wrong")).await;
        if error.contains("refuses") {
            break;
        }
    }
    assert!(
        error.contains("refuses the user: password authentication failed"),
        "{error}"
    );
    assert!(!error.contains("wrong"), "{error}");
}

#[tokio::test]
async fn encrypted_connection_is_verified() {
    let name = "encrypted_connection_is_verified";
    let (certificate, key) = (
        format!("{CERTIFICATES}/certificate.pem"),
        format!("{CERTIFICATES}/key.pem"),
    );
    let settings = [
        "ssl=on",
        "ssl_cert_file=certificate.pem",
        "ssl_key_file=key.pem",
    ];
    let files = [Path::new(&certificate), Path::new(&key)];
    let Some(server) = TestServer::start_with(name, &settings, &files) else {
        return;
    };
    let url = |host: &str, parameters: &str| {
        format!(
            "postgres://postgres@{host}:{}/postgres?{parameters}",
            server.port()
        )
    };
    let trusted = format!("sslrootcert={certificate}");
    let engine = open_with(&config(&url("localhost", &trusted))).await;
    let encrypted = engine.read(&(), |db, ()| {
        Box::pin(async move {
            let rows = db
                .query(
                    "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
                    &[],
                )
                .await?;
            rows[0].get::<bool>(0)
        })
    });
    assert!(encrypted.await.unwrap());
    assert_eq!(ids(&engine).await.unwrap(), NONE);

    let error = open_error(&url("localhost", "sslmode=verify-full")).await;
    assert!(error.contains("cannot be encrypted"), "{error}");
    let other = format!("sslrootcert={CERTIFICATES}/other_certificate.pem");
    let error = open_error(&url("localhost", &other)).await;
    assert!(error.contains("cannot be encrypted"), "{error}");
    let error = open_error(&url("db.example", &format!("{trusted}&hostaddr=127.0.0.1"))).await;
    assert!(
        error.contains("cannot be encrypted"),
        "another name: {error}"
    );
}

#[tokio::test]
async fn server_without_tls_and_files_without_certificates_are_named() {
    let error = open_error("postgres://me@localhost/pets?sslrootcert=/no/such/file").await;
    assert!(
        error.starts_with("/no/such/file cannot be used as sslrootcert"),
        "{error}"
    );
    let error = open_error(&format!(
        "postgres://me@localhost/pets?sslrootcert={CERTIFICATES}/key.pem"
    ))
    .await;
    assert!(
        error.contains("holds no certificate in PEM form"),
        "{error}"
    );

    let server = need!(TestServer::start("server_without_tls"));
    let url = format!(
        "postgres://postgres@localhost:{}/postgres?sslmode=verify-full",
        server.port()
    );
    let error = open_error(&url).await;
    assert!(error.contains("cannot be encrypted"), "{error}");
    assert!(error.contains("does not support TLS"), "{error}");
}
