//! The nginx configuration of docs/operations.md, run.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command};

use test_support::{Response, ServerProcess, blocking_http, poll_until, programs};

use super::tls;

/// A running nginx. Dropped, it is killed.
struct Proxy {
    child: Child,
    address: SocketAddr,
}

impl Proxy {
    fn start(server: &ServerProcess) -> Proxy {
        let guide = include_str!("../../../../../docs/operations.md");
        let (_, configuration) = guide.split_once("```nginx\n").unwrap();
        let (configuration, _) = configuration.split_once("```").unwrap();
        let address = free_address();
        let configuration = configuration
            .replace("127.0.0.1:8080", &server.public.to_string())
            .replace("listen 443 ssl", &format!("listen {address} ssl"))
            .replace(
                "/etc/petstore/certificate.pem",
                &tls::file("certificate.pem"),
            )
            .replace("/etc/petstore/key.pem", &tls::file("key.pem"))
            // The test waits for this timeout.
            .replace("client_header_timeout 10s", "client_header_timeout 1s");
        let folder = server.directory.path();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {}/{kind};", folder.display()))
            .join("\n");
        let file = folder.join("nginx.conf");
        let whole = format!(
            "daemon off; master_process off; pid {0}/nginx.pid; error_log {0}/nginx.log;
             events {{}} http {{ access_log off; {temporary} {configuration} }}",
            folder.display()
        );
        std::fs::write(&file, whole).unwrap();
        let mut nginx = Command::new("nginx");
        nginx.arg("-c").arg(&file);
        nginx.arg("-e").arg(folder.join("nginx.log"));
        let child = nginx.spawn().unwrap();
        let proxy = Proxy { child, address };
        poll_until("nginx", || std::net::TcpStream::connect(address).ok());
        proxy
    }

    fn send(&self, request: &str) -> Response {
        let mut stream = tls::connect(self.address);
        stream.write_all(request.as_bytes()).unwrap();
        blocking_http::read_response(&mut stream)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

#[test]
fn nginx_forwards_client_addresses_and_closes_silent_connections() {
    if programs::are_missing(&["nginx"], "the server behind nginx") {
        return;
    }
    let server = ServerProcess::start_with(&["--trusted-proxy", "127.0.0.1/32"]);
    let proxy = Proxy::start(&server);

    let created =
        proxy.send(&server.format_request("POST", "/categories", r#"{"name":"Cat"}"#, ""));
    assert_eq!(
        (created.status, created.header("location")),
        (201, Some("/categories/1"))
    );

    let anonymous = |forwarded: &str| {
        let request =
            format!("GET /pets HTTP/1.1\r\nHost: petstore\r\nX-Forwarded-For: {forwarded}\r\n\r\n");
        let response = proxy.send(&request);
        assert_eq!(response.status, 401);
        response.header("x-ratelimit-remaining").unwrap().to_owned()
    };
    assert_eq!(anonymous("203.0.113.1"), "59");
    assert_eq!(anonymous("203.0.113.1"), "58");
    assert_eq!(anonymous("203.0.113.2"), "59");
    // Only what the proxy adds counts: a client cannot pass for another by claiming more.
    assert_eq!(anonymous("198.51.100.9, 203.0.113.2"), "58");

    let large = "x".repeat(100 * 1024);
    let rejected = proxy.send(&server.format_request("POST", "/categories", &large, ""));
    assert_eq!(rejected.outcome(), "413 body_too_large");

    let mut silent = tls::connect(proxy.address);
    silent
        .write_all(b"GET /pets HTTP/1.1\r\nHost: pet")
        .unwrap();
    silent.flush().unwrap();
    assert!(
        blocking_http::is_closed(&mut silent.sock),
        "nginx keeps the silent connection"
    );
}
