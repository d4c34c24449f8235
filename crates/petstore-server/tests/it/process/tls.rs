//! TLS of the server, with a client that trusts its certificate.

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;
use tempfile::TempDir;
use test_support::{ServerProcess, blocking_http, error_line, run_petstore};

/// The path of a file of this test: a certificate for 127.0.0.1, its key, and another key.
pub fn file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/process/tls");
    folder.join(name).display().to_string()
}

type TlsStream = StreamOwned<ClientConnection, TcpStream>;

/// A TLS connection to a server with this certificate, with these protocols.
fn connect(address: SocketAddr, certificate: &str, protocols: &[&[u8]]) -> TlsStream {
    wrap(blocking_http::connect(address), certificate, protocols)
}

/// TLS over a connection to a server with this certificate, with these protocols (RFC 7301) in order of preference.
pub fn wrap(stream: TcpStream, certificate: &str, protocols: &[&[u8]]) -> TlsStream {
    let certificate = CertificateDer::from_pem_file(file(certificate)).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
    let name = ServerName::from(stream.peer_addr().unwrap().ip());
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(connection, stream)
}

#[test]
fn server_uses_tls_with_h2_and_http_1_1() {
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let server = ServerProcess::start_with(&["--tls-cert", &certificate, "--tls-key", &key]);
    // A client without a handshake must not block others.
    let _silent = blocking_http::connect(server.public);
    let mut stream = connect(server.public, "certificate.pem", &[]);
    let request = server.format_request("GET", "/pets", "", "");
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let response = blocking_http::read_response(&mut stream);
    assert_eq!(response.text(), "[]");
    let transport = response.header("Strict-Transport-Security");
    assert_eq!(transport, Some("max-age=31536000"));
    for spoken in [&[b"h2".as_slice(), b"http/1.1"][..], &[b"http/1.1"]] {
        let mut stream = connect(server.public, "certificate.pem", spoken);
        stream.conn.complete_io(&mut stream.sock).unwrap();
        assert_eq!(stream.conn.alpn_protocol(), Some(spoken[0]));
    }
}

#[test]
fn sighup_reloads_the_certificate_for_new_connections() {
    let directory = TempDir::new().unwrap();
    let install = |certificate: &str, key: &str| {
        std::fs::copy(file(certificate), directory.path().join("certificate.pem")).unwrap();
        std::fs::copy(file(key), directory.path().join("key.pem")).unwrap();
    };
    install("certificate.pem", "key.pem");
    let paths = ["certificate.pem", "key.pem"]
        .map(|name| directory.path().join(name).display().to_string());
    let server = ServerProcess::start_with(&["--tls-cert", &paths[0], "--tls-key", &paths[1]]);
    let request = server.format_request("GET", "/pets", "", "");
    let serves = |stream: &mut TlsStream| {
        std::io::Write::write_all(stream, request.as_bytes()).unwrap();
        assert_eq!(blocking_http::read_response(stream).status, 200);
    };
    let mut before = connect(server.public, "certificate.pem", &[]);
    serves(&mut before);

    install("other_certificate.pem", "other_key.pem");
    server.process.signal("HUP");
    server.wait_for_log_line(|line| line["msg"] == json!("the certificate is reloaded"));
    let connect_with_new = || connect(server.public, "other_certificate.pem", &[]);
    serves(&mut connect_with_new());
    serves(&mut before);

    // A pair that does not belong together.
    install("certificate.pem", "other_key.pem");
    server.process.signal("HUP");
    let refused = "the certificate cannot be reloaded; the previous one stays in use";
    let line = server.wait_for_log_line(|line| line["msg"] == json!(refused));
    let error = line["error"].as_str().unwrap();
    assert!(error.contains("cannot serve TLS with"), "{error}");
    serves(&mut connect_with_new());
    serves(&mut before);
    server.stop();
}

#[test]
fn invalid_tls_files_are_named_and_no_file_is_created() {
    for (certificate, key, expected) in [
        ("certificate.pem", "other_key.pem", "cannot serve TLS with"),
        (
            "certificate.pem",
            "certificate.pem",
            "certificate.pem: it holds no private key in PEM form, or an encrypted one",
        ),
        (
            "key.pem",
            "key.pem",
            "key.pem: it holds no certificate in PEM form",
        ),
        (
            "cut_certificate.pem",
            "key.pem",
            "cut_certificate.pem: it is cut short, a section has no end",
        ),
        (
            "certificate.pem",
            "no_such_file.pem",
            "cannot read a private key from",
        ),
    ] {
        let directory = TempDir::new().unwrap();
        let (certificate, key) = (file(certificate), file(key));
        let arguments = ["serve", "--tls-cert", &certificate, "--tls-key", &key];
        let line = error_line(&run_petstore(directory.path(), &arguments));
        assert!(line.contains(expected), "{line}");
        assert_eq!(directory.path().read_dir().unwrap().count(), 0, "{key}");
    }
}
