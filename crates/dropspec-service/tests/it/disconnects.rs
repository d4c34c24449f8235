//! Clients that disconnect before their response: a read is cancelled, a write is not, and both are counted.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use dropspec_service::Server;
use futures::poll;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::tiny_service::{Notes, TOKEN, send, start, three_a_day};

const READ: &str =
    "GET /status HTTP/1.1\r\nhost: notes\r\nauthorization: Bearer token-of-ann\r\n\r\n";
const WRITE: &str = "POST /notes HTTP/1.1\r\nhost: notes\r\nauthorization: Bearer token-of-ann\r\n\
    content-type: application/json\r\ncontent-length: 16\r\n\r\n{\"text\": \"milk\"}";

async fn connect_and_send(server: &Server<Notes>, request: &str) -> TcpStream {
    let mut client = TcpStream::connect(server.address()).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    client
}

/// Sends a request, and disconnects when it has reached its handler, which must be kept waiting. The server has noticed it
/// when this returns.
async fn send_and_leave(server: &Server<Notes>, request: &str) {
    let client = connect_and_send(server, request).await;
    let mut begun = server.gate().service().begun.subscribe();
    begun.wait_for(|it| *it > 0).await.unwrap();
    drop(client);
    // Both sides share one thread, and the server reads from its connections in turn.
    assert_eq!(send(server, "/openapi.json", None, None).await.status, 200);
}

/// Waits until the panel reports a request with this operation and status.
async fn wait_for_request(server: &Server<Notes>, operation: &str, status: u16) {
    let panel = format!("http://{}/metrics", server.panel_address());
    let labels = format!("{{operation=\"{operation}\",status=\"{status}\"}}");
    let line = format!("notes_requests_total{labels} 1\n");
    let latency = format!("notes_request_seconds_count{{operation=\"{operation}\"}} 1\n");
    loop {
        let metrics = reqwest::get(&panel).await.unwrap().text().await.unwrap();
        if metrics.contains(&line) {
            assert!(metrics.contains(&latency), "{metrics}");
            return;
        }
        let other = format!("notes_requests_total{{operation=\"{operation}\"");
        assert!(!metrics.contains(&other), "{labels} is expected: {metrics}");
    }
}

#[tokio::test]
async fn read_is_cancelled_and_counted_and_charged_once() {
    let server = start(three_a_day());
    let gate = Arc::clone(server.gate());
    let busy = gate.service().free.lock().await;
    send_and_leave(&server, READ).await;
    wait_for_request(&server, "getStatus", 499).await;
    drop(busy);
    let next = send(&server, "/status", Some(TOKEN), None).await;
    assert_eq!(next.header("x-ratelimit-remaining"), Some("2"), "of four");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn write_runs_to_its_end_and_is_counted_with_its_status() {
    let server = start(three_a_day());
    let gate = Arc::clone(server.gate());
    let busy = gate.service().free.lock().await;
    send_and_leave(&server, WRITE).await;
    drop(busy);
    wait_for_request(&server, "createNote", 200).await;
    assert_eq!(gate.service().created.load(Ordering::SeqCst), 1);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn stop_waits_for_a_write_whose_client_has_left() {
    let server = start(three_a_day());
    let gate = Arc::clone(server.gate());
    let busy = gate.service().free.lock().await;
    send_and_leave(&server, WRITE).await;
    let mut stop = pin!(server.stop());
    for _ in 0..10_000 {
        assert!(poll!(&mut stop).is_pending(), "the write is under way");
        tokio::task::yield_now().await;
    }
    drop(busy);
    stop.await.unwrap();
    assert_eq!(gate.service().created.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn write_whose_body_breaks_off_does_not_begin_and_is_counted_as_malformed() {
    let server = start(three_a_day());
    let client = connect_and_send(&server, WRITE.trim_end_matches('}')).await;
    drop(client);
    wait_for_request(&server, "createNote", 400).await;
    assert_eq!(*server.gate().service().begun.borrow(), 0);
    server.stop().await.unwrap();
}
