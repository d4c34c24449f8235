//! Tests of `config`.

use super::*;

#[test]
fn connection_is_encrypted_and_verified_unless_it_stays_on_this_machine() {
    let cases = [
        ("postgres://me@db.example/pets", TlsMode::System),
        ("postgres://me@10.0.0.1/pets", TlsMode::System),
        (
            "postgresql://me@db.example/pets?sslmode=require",
            TlsMode::System,
        ),
        (
            "postgres://me@db.example/pets?sslmode=disable",
            TlsMode::Off,
        ),
        (
            "postgres://me@db.example/pets?sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3",
            TlsMode::File("/etc/ca.pem".into()),
        ),
        ("postgres://me@localhost/pets", TlsMode::Off),
        ("postgres://me@127.0.0.1:5433/pets", TlsMode::Off),
        (
            "postgres:///pets?host=/run/postgresql&user=me",
            TlsMode::Off,
        ),
        ("postgres://me@localhost,db.example/pets", TlsMode::System),
        (
            "postgres://me@127.0.0.1/pets?sslmode=verify-full",
            TlsMode::System,
        ),
    ];
    for (url, expected) in cases {
        let config: PostgresConfig = url.parse().unwrap();
        assert_eq!(config.tls, expected, "{url}");
    }
}

#[test]
fn invalid_urls_are_explained() {
    let cases = [
        ("mysql://localhost/pets", "another beginning"),
        ("postgres://localhost:port/pets", "option `port`"),
        ("postgres://localhost/pets?sslmodes=disable", "sslmodes"),
        ("postgres://localhost", "names no database"),
        ("postgres://localhost/", "names no database"),
        ("postgres://me:p@ss/word@localhost/pets", "write @ as %40"),
        (
            "postgres://localhost/pets?sslmode=prefer",
            "fall back to plain text",
        ),
        (
            "postgres://localhost/pets?sslmode=verify-ca",
            "write verify-full",
        ),
        (
            "postgres://localhost/pets?sslmode=on",
            "write verify-full or disable",
        ),
        (
            "postgres://localhost/pets?sslmode=disable&sslrootcert=ca",
            "no effect",
        ),
        (
            "postgres://localhost/pets?max_connections=0",
            "from 1 to 10000",
        ),
        (
            "postgres://localhost/pets?max_connections=many",
            "from 1 to 10000",
        ),
    ];
    for (url, part) in cases {
        let message = url.parse::<PostgresConfig>().unwrap_err().to_string();
        assert!(message.contains(part), "{url}: {message}");
    }
}

#[test]
fn password_is_never_shown() {
    let url = "postgres://me:secret@db.example:5433,[::1]:5434/pets?max_connections=3";
    let config: PostgresConfig = url.parse().unwrap();
    assert_eq!(config.max_connections, 3);
    let expected = "postgres://me@db.example:5433,[::1]:5434/pets";
    assert_eq!(config.to_string(), expected);
    assert_eq!(format!("{config:?}"), format!("PostgresConfig({expected})"));
}
