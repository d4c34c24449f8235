//! The limits of connections: of their number, in all and by address, and of the time until their first request.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use test_support::{ServerProcess, blocking_http};

use super::proxy::{GOAWAY, HEADERS, http2_requests, read_http2_frame};
use super::stop::{BODY, begin_request};
use super::tls;

const REQUEST: &[u8] = b"GET /pets HTTP/1.1\r\nhost: petstore\r\n\r\n";

/// A connection from an address of this machine.
fn connect_from(server: &ServerProcess, source: &str) -> TcpStream {
    blocking_http::connect_from(source.parse().unwrap(), server.public).unwrap()
}

/// Sends a request without a key on a connection that stays open.
fn assert_answers(stream: &mut TcpStream) {
    stream.write_all(REQUEST).unwrap();
    assert_eq!(blocking_http::read_response(stream).status, 401);
}

/// A connection from an address that is kept after a response.
fn open_idle(server: &ServerProcess, source: &str) -> TcpStream {
    let mut stream = connect_from(server, source);
    assert_answers(&mut stream);
    stream
}

/// A connection from an address with a request whose body the server waits for.
fn open_busy(server: &ServerProcess, source: &str) -> TcpStream {
    begin_request(server, connect_from(server, source))
}

fn refused(server: &ServerProcess, reason: &str) -> u64 {
    let sample = format!("petstore_connections_refused_total{{reason=\"{reason}\"}}");
    server.metric(&sample)
}

#[test]
fn silent_connections_and_unfinished_heads_are_closed_and_others_stay() {
    let server = ServerProcess::start_with(&["--head-timeout", "2s"]);
    let mut idle = open_idle(&server, "127.0.0.1");
    let mut silent = connect_from(&server, "127.0.0.1");
    let mut unfinished = connect_from(&server, "127.0.0.1");
    unfinished
        .write_all(b"GET /pets HTTP/1.1\r\nHost: p")
        .unwrap();
    let mut http2 = connect_from(&server, "127.0.0.1");
    http2.write_all(b"PRI * HTTP/2.0\r\n\r\nSM").unwrap();
    for stream in [&mut silent, &mut unfinished, &mut http2] {
        assert!(blocking_http::is_closed(stream));
    }
    assert_eq!(refused(&server, "no_head"), 3);
    assert_answers(&mut idle);
    server.stop();
}

#[test]
fn failed_handshakes_are_closed_and_one_log_line_names_them_all() {
    let (certificate, key) = (tls::file("certificate.pem"), tls::file("key.pem"));
    let arguments = [
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
        "--head-timeout",
        "300ms",
    ];
    let server = ServerProcess::start_with(&arguments);
    let begin = |number: usize| {
        let mut stream = connect_from(&server, "127.0.0.1");
        // The begin of a ClientHello (RFC 8446), no TLS at all, or nothing.
        let sent = [
            &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
            REQUEST,
            b"",
        ];
        stream.write_all(sent[number % 3]).unwrap();
        stream
    };
    let failed: Vec<_> = (0..30).map(begin).collect();
    for mut stream in failed {
        // It may get an alert before.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(refused(&server, "handshake"), 30);
    let is_about = |line: &serde_json::Value| line["handshake"].as_u64().is_some_and(|it| it > 0);
    let line = server.wait_for_log_line(is_about);
    assert_eq!(line["level"], "WARN");
    assert!(line["last_cause"].as_str().is_some_and(|it| !it.is_empty()));
    let log = server.read_log();
    assert_eq!(
        log.iter().filter(|it| it["level"] == "WARN").count(),
        1,
        "{log:?}"
    );
    server.stop();
}

#[test]
fn address_with_too_many_connections_loses_the_one_that_has_waited_longest() {
    let arguments = [
        "--max-connections-per-address",
        "3",
        "--trusted-proxy",
        "127.0.0.9",
    ];
    let server = ServerProcess::start_with(&arguments);
    let mut other = connect_from(&server, "127.0.0.3");
    let mut idle = open_idle(&server, "127.0.0.2");
    let mut first = connect_from(&server, "127.0.0.2");
    let mut second = connect_from(&server, "127.0.0.2");
    let mut new = open_idle(&server, "127.0.0.2");
    assert!(
        blocking_http::is_closed(&mut first),
        "the oldest without a request"
    );
    for stream in [&mut other, &mut idle, &mut second, &mut new] {
        assert_answers(stream);
    }
    assert_eq!(refused(&server, "address_limit"), 1);
    let proxied: Vec<_> = (0..10).map(|_| open_idle(&server, "127.0.0.9")).collect();
    proxied
        .into_iter()
        .for_each(|mut it| assert_answers(&mut it));

    drop((idle, second, new));
    let mut busy: Vec<_> = (0..3).map(|_| open_busy(&server, "127.0.0.2")).collect();
    let mut refused_one = connect_from(&server, "127.0.0.2");
    assert!(
        blocking_http::is_closed(&mut refused_one),
        "all have a request"
    );
    for stream in &mut busy {
        stream.write_all(BODY.as_bytes()).unwrap();
        let status = blocking_http::read_response(stream).status;
        assert!(
            [201, 409].contains(&status),
            "one has the name first: {status}"
        );
    }
    server.stop();
}

#[test]
fn new_connection_takes_the_place_of_one_without_a_request_if_there_are_too_many() {
    let server = ServerProcess::start_with(&["--max-connections", "3"]);
    let mut idle = open_idle(&server, "127.0.0.2");
    let mut silent = [3, 4].map(|it| connect_from(&server, &format!("127.0.0.{it}")));
    let mut new = open_idle(&server, "127.0.0.5");
    assert!(blocking_http::is_closed(&mut silent[0]));
    for stream in [&mut silent[1], &mut idle, &mut new] {
        assert_answers(stream);
    }
    assert_eq!(refused(&server, "limit"), 1);
    server.stop();
}

#[test]
fn clients_of_http2_are_told_at_a_stop_to_go_away() {
    let server = ServerProcess::start_with(&["--drain-delay", "1h"]);
    let send_request = || {
        let mut stream = connect_from(&server, "127.0.0.1");
        stream.write_all(&http2_requests(&[1], false)).unwrap();
        stream
    };
    let mut before = send_request();
    while read_http2_frame(&mut before).0 != HEADERS {}
    server.process.signal("TERM");
    while read_http2_frame(&mut before).0 != GOAWAY {}
    // On a new connection, as of a load balancer that has not noticed yet.
    let mut after = send_request();
    let kinds = std::iter::repeat_with(|| read_http2_frame(&mut after).0);
    let mut expected = BTreeSet::from([HEADERS, GOAWAY]);
    kinds
        .take_while(|kind| {
            expected.remove(kind);
            !expected.is_empty()
        })
        .for_each(drop);
}
