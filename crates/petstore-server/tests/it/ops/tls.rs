//! TLS by the server itself, and by a client that trusts its certificate.

use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

use crate::ops::server::{Server, run};
use crate::wire;

/// A file of this test: a certificate for 127.0.0.1, its key, and one that is not its key.
pub fn file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/ops/tls");
    folder.join(name).display().to_string()
}

/// An encrypted connection, to a server with that certificate.
pub fn connect(address: SocketAddr) -> StreamOwned<ClientConnection, TcpStream> {
    connect_for(address, &[])
}

/// The same, of a client that speaks these protocols (RFC 7301), the best first.
fn connect_for(
    address: SocketAddr,
    protocols: &[&[u8]],
) -> StreamOwned<ClientConnection, TcpStream> {
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
    let name = ServerName::from(address.ip());
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(connection, wire::connect(address))
}

#[test]
fn the_server_speaks_tls() {
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let server = Server::start_with(&["--tls-cert", &certificate, "--tls-key", &key]);
    // Someone who never says hello keeps nobody waiting.
    let _silent = wire::connect(server.public);
    let mut stream = connect(server.public);
    let request = server.request("GET", "/pets", "", "");
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    assert_eq!(wire::answer(&mut stream).text(), "[]");
    for spoken in [&[b"h2".as_slice(), b"http/1.1"][..], &[b"http/1.1"]] {
        let mut stream = connect_for(server.public, spoken);
        stream.conn.complete_io(&mut stream.sock).unwrap();
        assert_eq!(stream.conn.alpn_protocol(), Some(spoken[0]));
    }
}

#[test]
fn files_that_do_not_do_are_named_and_nothing_is_made() {
    for (certificate, key, complaint) in [
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
        let output = run(
            directory.path(),
            &["serve", "--tls-cert", &certificate, "--tls-key", &key],
        );
        assert_eq!(output.status.code(), Some(2), "{key}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.contains(complaint) && error.lines().count() == 1,
            "{error}"
        );
        assert_eq!(directory.path().read_dir().unwrap().count(), 0, "{key}");
    }
}
