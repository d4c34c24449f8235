//! The configurations of docs/proxy, run: what they pass on, what they refuse, and that a client is served while others
//! attack.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustls::{ClientConnection, StreamOwned};
use test_postgres::free_port;
use test_support::{Response, ServerProcess, blocking_http, poll_until, programs, stay_in_minute};

use super::tls;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/proxy");

/// The requests that HAProxy and nginx forward at the same time.
const PLACES: [&str; 2] = ["maxconn 256", "max_conns=512"];

/// The client of most requests.
const CLIENT: &str = "127.0.0.1";

/// The begin of a ClientHello (RFC 8446), whose rest never comes.
const HALF_HELLO: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

/// How long the head of a request may take.
#[derive(Clone, Copy)]
enum HeadTimeout {
    /// Longer than any test takes.
    Long,
    /// For tests that wait for it.
    Short,
}

/// A running proxy with a server behind it. Dropped, it is killed.
struct Proxy {
    child: Child,
    address: SocketAddr,
    server: ServerProcess,
}

impl Proxy {
    fn nginx(timeout: HeadTimeout) -> Option<Proxy> {
        Proxy::nginx_with(timeout, PLACES[1])
    }

    fn nginx_with(timeout: HeadTimeout, places: &str) -> Option<Proxy> {
        if programs::are_missing(&["nginx"], "the server behind nginx") {
            return None;
        }
        let (server, address) = start_server();
        let folder = server.storage.path();
        let path = |name: &str| folder.join(name).display().to_string();
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {};", path(kind)))
            .join(" ");
        let file = write_configuration(
            "nginx.conf",
            folder,
            &[
                ("127.0.0.1:8080", server.public.to_string()),
                ("listen 443", format!("listen {address}")),
                (
                    "/etc/petstore/certificate.pem",
                    tls::file("certificate.pem"),
                ),
                ("/etc/petstore/key.pem", tls::file("key.pem")),
                ("/var/log/nginx/error.log", path("nginx.log")),
                ("/run/nginx.pid", path("nginx.pid")),
                // Those of the system belong to another user.
                ("http {", format!("http {{ {temporary}")),
                head_timeout("client_header_timeout 10s", timeout),
                (PLACES[1], places.to_owned()),
            ],
        );
        let mut nginx = Command::new("nginx");
        nginx.arg("-c").arg(file).args(["-e", &path("nginx.log")]);
        nginx.args(["-g", "daemon off; master_process off;"]);
        Some(Proxy::run(nginx, "-t", address, server))
    }

    fn haproxy(timeout: HeadTimeout) -> Option<Proxy> {
        Proxy::haproxy_with(timeout, PLACES[0])
    }

    fn haproxy_with(timeout: HeadTimeout, places: &str) -> Option<Proxy> {
        if programs::are_missing(&["haproxy"], "the server behind HAProxy") {
            return None;
        }
        let (server, address) = start_server();
        let folder = server.storage.path();
        let [certificate, key] =
            ["certificate.pem", "key.pem"].map(|name| fs::read_to_string(tls::file(name)).unwrap());
        let both = folder.join("haproxy.pem");
        fs::write(&both, certificate + &key).unwrap();
        let file = write_configuration(
            "haproxy.cfg",
            folder,
            &[
                ("127.0.0.1:8080", server.public.to_string()),
                ("bind :443", format!("bind {address}")),
                ("/etc/petstore/haproxy.pem", both.display().to_string()),
                // A test may have fewer files.
                ("maxconn 18000", "maxconn 1000".to_owned()),
                head_timeout("timeout http-request 10s", timeout),
                head_timeout("timeout client 10s", HeadTimeout::Long),
                head_timeout("wait-for-body time 10s", HeadTimeout::Long),
                (PLACES[0], places.to_owned()),
            ],
        );
        let mut haproxy = Command::new("haproxy");
        haproxy.arg("-f").arg(file).arg("-db");
        Some(Proxy::run(haproxy, "-c", address, server))
    }

    /// Checks the configuration with a flag of the command, then runs the command.
    fn run(mut command: Command, check: &str, address: SocketAddr, server: ServerProcess) -> Proxy {
        let mut checked = Command::new(command.get_program());
        let checked = checked
            .args(command.get_args())
            .arg(check)
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{messages}");
        let child = command.stderr(Stdio::null()).spawn().unwrap();
        poll_until("the proxy", || TcpStream::connect(address).ok());
        Proxy {
            child,
            address,
            server,
        }
    }

    /// A TLS connection from an address of this machine, with the first protocol that both speak.
    fn connect(&self, client: &str, protocol: &[u8]) -> StreamOwned<ClientConnection, TcpStream> {
        tls::wrap(
            self.connect_plain(client).unwrap(),
            "certificate.pem",
            &[protocol],
        )
    }

    fn connect_plain(&self, client: &str) -> io::Result<TcpStream> {
        blocking_http::connect_from(client.parse().unwrap(), self.address)
    }

    fn send(&self, client: &str, request: &str) -> Response {
        let mut stream = self.connect(client, b"http/1.1");
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

fn start_server() -> (ServerProcess, SocketAddr) {
    let server = ServerProcess::start_with(&["--trusted-proxy", "127.0.0.1/32"]);
    (server, SocketAddr::from(([127, 0, 0, 1], free_port())))
}

fn head_timeout(setting: &'static str, timeout: HeadTimeout) -> (&'static str, String) {
    let replaced = match timeout {
        HeadTimeout::Long => "300s",
        HeadTimeout::Short => "1s",
    };
    (setting, setting.replace("10s", replaced))
}

/// Writes a configuration of the docs into `folder`, with these parts replaced.
fn write_configuration(name: &str, folder: &Path, replaced: &[(&str, String)]) -> PathBuf {
    let mut text = fs::read_to_string(Path::new(DOCS).join(name)).unwrap();
    // The comments name ports, too.
    text = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    for (old, new) in replaced {
        assert!(text.contains(old), "{name} has no {old}");
        text = text.replace(old, new);
    }
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file
}

/// A frame of HTTP/2 (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The kinds of frames.
pub const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
pub const GOAWAY: u8 = 7;

/// The begin of an HTTP/2 connection, and of `GET /openapi.json` on each of these streams.
pub fn http2_requests(streams: &[u32], cancel: bool) -> Vec<u8> {
    const END_OF_STREAM_AND_HEADERS: u8 = 5;
    // RFC 7541: GET, https, then a new path and authority.
    let head = b"\x82\x87\x44\x0d/openapi.json\x41\x09localhost";
    let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    sent.extend(frame(SETTINGS, 0, 0, &[]));
    for stream in streams {
        sent.extend(frame(HEADERS, END_OF_STREAM_AND_HEADERS, *stream, head));
        if cancel {
            sent.extend(frame(RESET, 0, *stream, &8_u32.to_be_bytes()));
        }
    }
    sent
}

/// The kind and the payload of the next frame.
pub fn read_http2_frame(stream: &mut impl Read) -> (u8, Vec<u8>) {
    let mut head = [0; 9];
    stream.read_exact(&mut head).unwrap();
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; length as usize];
    stream.read_exact(&mut payload).unwrap();
    (head[3], payload)
}

/// The first byte of the head of the response on stream 1 that is not about the compression of heads.
fn read_http2_status(stream: &mut impl Read) -> u8 {
    loop {
        let (kind, payload) = read_http2_frame(stream);
        if kind == HEADERS {
            let is_table_size = |byte: &&u8| **byte >> 5 == 1;
            return *payload.iter().find(|it| !is_table_size(it)).unwrap();
        }
    }
}

fn assert_forwards(proxy: &Proxy) {
    let server = &proxy.server;
    let request = server.format_request("POST", "/categories", r#"{"name":"Cat"}"#, "");
    let created = proxy.send(CLIENT, &request);
    let location = created.header("location");
    assert_eq!((created.status, location), (201, Some("/categories/1")));

    let anonymous = |client: &str, claimed: &str| {
        let request =
            format!("GET /pets HTTP/1.1\r\nHost: petstore\r\nX-Forwarded-For: {claimed}\r\n\r\n");
        let response = proxy.send(client, &request);
        assert_eq!(response.status, 401);
        response.header("x-ratelimit-remaining").unwrap().to_owned()
    };
    // Each address has its own limit, whatever it claims to be.
    stay_in_minute();
    assert_eq!(anonymous("127.0.0.2", "203.0.113.1"), "59");
    assert_eq!(anonymous("127.0.0.2", "203.0.113.2"), "58");
    assert_eq!(anonymous("127.0.0.3", "127.0.0.2"), "59");
    assert_eq!(anonymous("127.0.0.2", "127.0.0.3, 127.0.0.3"), "57");

    let large = "x".repeat(100 * 1024);
    let rejected = proxy.send(
        CLIENT,
        &server.format_request("POST", "/categories", &large, ""),
    );
    assert_eq!(rejected.outcome(), "413 body_too_large");

    let mut stream = proxy.connect(CLIENT, b"h2");
    stream.write_all(&http2_requests(&[1], false)).unwrap();
    assert_eq!(stream.conn.alpn_protocol(), Some(b"h2".as_slice()));
    // The entry `:status: 200` of the static table.
    assert_eq!(read_http2_status(&mut stream), 0x88);
}

fn assert_serves_during_attack(proxy: &Proxy) {
    let others = |count: u8| (0..count).map(|number| format!("127.0.0.{}", 2 + number % 8));
    let [silent, stalled] = [250, 50].map(|count| {
        let streams = others(count).map(|it| proxy.connect_plain(&it).unwrap());
        streams.collect::<Vec<_>>()
    });
    for mut stream in &stalled {
        stream.write_all(HALF_HELLO).unwrap();
    }
    let unfinished: Vec<_> = others(50)
        .map(|client| {
            let mut stream = proxy.connect(&client, b"http/1.1");
            stream
                .write_all(b"GET /pets HTTP/1.1\r\nHost: pet")
                .unwrap();
            stream
        })
        .collect();
    let streams: Vec<u32> = (1..2000).step_by(2).collect();
    let floods: Vec<_> = others(4)
        .map(|client| {
            let mut stream = proxy.connect(&client, b"h2");
            // The proxy may refuse it at any time.
            let _ = stream.write_all(&http2_requests(&streams, true));
            stream
        })
        .collect();
    for _ in 0..20 {
        let request = proxy.server.format_request("GET", "/pets", "", "");
        assert_eq!(proxy.send(CLIENT, &request).status, 200);
        assert_eq!(proxy.server.get_panel("/readyz").status, 200);
    }
    drop((silent, stalled, unfinished, floods));
}

fn assert_closes_unfinished_heads(proxy: &Proxy) {
    let mut unfinished = proxy.connect(CLIENT, b"http/1.1");
    let head = b"GET /pets HTTP/1.1\r\nHost: pet";
    unfinished.write_all(head).unwrap();
    unfinished.flush().unwrap();
    // HAProxy says why.
    let mut response = Vec::new();
    let _ = unfinished.read_to_end(&mut response);
    let text = String::from_utf8_lossy(&response);
    assert!(text.is_empty() || text.contains(" 408 "), "{text}");
}

#[test]
fn nginx_forwards_requests_and_serves_a_client_while_others_attack() {
    if let Some(proxy) = Proxy::nginx(HeadTimeout::Long) {
        assert_forwards(&proxy);
        assert_serves_during_attack(&proxy);
    }
}

#[test]
fn haproxy_forwards_requests_and_serves_a_client_while_others_attack() {
    if let Some(proxy) = Proxy::haproxy(HeadTimeout::Long) {
        assert_forwards(&proxy);
        assert_serves_during_attack(&proxy);
    }
}

#[test]
fn slow_bodies_take_no_place_at_the_server() {
    let proxies = [
        Proxy::nginx_with(HeadTimeout::Long, "max_conns=1"),
        Proxy::haproxy_with(HeadTimeout::Long, "maxconn 1"),
    ];
    for proxy in proxies.iter().flatten() {
        let server = &proxy.server;
        let spaces = " ".repeat(60_000);
        let body = |name: &str| format!("{{\"name\":\"{name}\"{spaces}}}");
        let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", body("Cat").len(), body("Cat"));
        let chunked =
            server.format_request("POST", "/categories", "", "Transfer-Encoding: chunked\r\n");
        let chunked = chunked.replace("Content-Length: 0\r\n", "") + &chunk;
        let requests = [
            server.format_request("POST", "/categories", &body("Dog"), ""),
            chunked,
        ];
        let mut pending = requests.each_ref().map(|request| {
            let (begin, rest) = request.split_at(request.len() - 10_000);
            let mut stream = proxy.connect("127.0.0.9", b"http/1.1");
            stream.write_all(begin.as_bytes()).unwrap();
            stream.flush().unwrap();
            (stream, rest)
        });
        for _ in 0..10 {
            let request = server.format_request("GET", "/pets", "", "");
            assert_eq!(proxy.send(CLIENT, &request).status, 200);
        }
        for (stream, rest) in &mut pending {
            stream.write_all(rest.as_bytes()).unwrap();
            let response = blocking_http::read_response(stream);
            assert_eq!(response.status, 201, "{}", response.text());
        }
    }
}

#[test]
fn haproxy_refuses_the_33rd_request_of_an_address_at_the_same_time() {
    let Some(proxy) = Proxy::haproxy(HeadTimeout::Long) else {
        return;
    };
    let head = b"POST /categories HTTP/1.1\r\nHost: petstore\r\nContent-Length: 9\r\n\r\n";
    let mut streams: Vec<_> = (0..33)
        .map(|_| proxy.connect("127.0.0.9", b"http/1.1"))
        .collect();
    for stream in &mut streams {
        stream.write_all(head).unwrap();
        stream.flush().unwrap();
        stream.sock.set_nonblocking(true).unwrap();
    }
    // Its threads read them in any order.
    poll_until("a refused request", || {
        let mut answer = [0; 12];
        let is_refused = |it: &mut StreamOwned<_, _>| {
            it.read_exact(&mut answer).is_ok() && answer == *b"HTTP/1.1 429"
        };
        streams.iter_mut().any(is_refused).then_some(())
    });
    let request = proxy.server.format_request("GET", "/pets", "", "");
    assert_eq!(proxy.send(CLIENT, &request).status, 200);
}

#[test]
fn proxies_close_connections_with_an_unfinished_head() {
    let proxies = [Proxy::nginx, Proxy::haproxy].map(|start| start(HeadTimeout::Short));
    proxies
        .iter()
        .flatten()
        .for_each(assert_closes_unfinished_heads);
}

#[test]
fn haproxy_refuses_the_201st_connection_of_an_address() {
    let Some(proxy) = Proxy::haproxy(HeadTimeout::Long) else {
        return;
    };
    // Its threads accept them in any order, and may reset one before it is used.
    let connected: io::Result<Vec<_>> =
        (0..201).map(|_| proxy.connect_plain("127.0.0.9")).collect();
    let mut connected = connected.unwrap_or_default();
    for stream in &connected {
        stream.set_nonblocking(true).unwrap();
    }
    poll_until("a refused connection", || {
        let is_refused = connected.is_empty() || connected.iter_mut().any(blocking_http::is_closed);
        is_refused.then_some(())
    });
    let request = proxy.server.format_request("GET", "/pets", "", "");
    assert_eq!(proxy.send(CLIENT, &request).status, 200);
    drop(connected);
}
