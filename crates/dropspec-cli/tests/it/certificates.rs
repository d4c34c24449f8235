//! The option `--cacert`, against a server whose certificate is signed by itself.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::run;

const DOCUMENT: &str = "
openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths: {/pets: {get: {operationId: listPets, responses: {'200': {description: They.}}}}}
";

/// A certificate for localhost, its key, and others.
fn file(name: &str) -> String {
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../petstore-server/tests/it");
    format!("{tests}/process/tls/{name}")
}

/// Starts a server that answers each connection, as long as the test runs. Returns its URL.
fn start() -> String {
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            // A client that trusts no such certificate sends nothing.
            if stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                let response = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                stream.write_all(response).unwrap();
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            }
        }
    });
    url
}

#[test]
fn certificate_is_trusted_if_the_option_names_it() {
    let url = start();
    let trusted = format!("list-pets --cacert {}", file("certificate.pem"));
    run(DOCUMENT, &trusted, &url).unwrap();
    let other = format!(
        "list-pets --retries 0 --cacert {}",
        file("other_certificate.pem")
    );
    for line in ["list-pets --retries 0", &other] {
        let failure = run(DOCUMENT, line, &url).unwrap_err();
        assert_eq!(failure.exit_code(), 2, "{failure}");
        let help = "trusted certificates of this machine, or to a file for --cacert; ";
        assert!(failure.to_string().contains(help), "{failure}");
    }
}

#[test]
fn file_without_a_certificate_is_named_with_what_is_wrong() {
    for (name, reason) in [
        ("no-such.pem", "cannot be read: No such file or directory"),
        (
            "key.pem",
            "has no certificate in PEM, from `-----BEGIN CERTIFICATE-----` to ",
        ),
        ("cut_certificate.pem", "has "),
    ] {
        let line = format!("list-pets --cacert {}", file(name));
        let failure = run(DOCUMENT, &line, "https://127.0.0.1:9").unwrap_err();
        assert_eq!(failure.exit_code(), 2, "{failure}");
        let expected = format!("--cacert: {} {reason}", file(name));
        assert!(failure.to_string().starts_with(&expected), "{failure}");
    }
}
