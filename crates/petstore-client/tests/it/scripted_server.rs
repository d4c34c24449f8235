//! A server that follows a script: one step for each request, in the order of their arrival.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The reaction to a request.
#[derive(Clone, Debug)]
pub enum Step {
    /// Responds with a status, headers and a body.
    Respond(u16, &'static [&'static str], &'static str),
    /// Closes the connection without a response.
    CloseConnection,
    /// Writes this text and closes the connection.
    RawBytes(&'static str),
    /// Keeps the connection open without a response.
    NoResponse,
    /// Responds with this body after other requests had time to arrive.
    RespondLater(&'static str),
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// `GET /pets`
    pub line: String,
    headers: Vec<(String, String)>,
}

impl ReceivedRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

pub struct ScriptedServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    in_flight: Arc<InFlight>,
}

/// Slow requests in flight: now, and at most.
#[derive(Default)]
struct InFlight {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl ScriptedServer {
    /// Starts a server that repeats the last step after the end of the script.
    pub async fn start(script: &[Step]) -> Self {
        let script = script.to_vec();
        Self::responding(move |number| script[number.min(script.len() - 1)].clone()).await
    }

    /// Starts a server whose step for each request, counted from 0, comes from a function.
    pub async fn responding(step: impl Fn(usize) -> Step + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        let in_flight = Arc::new(InFlight::default());
        let counted = Arc::clone(&in_flight);
        tokio::spawn(async move {
            let mut open = Vec::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                open.extend(serve(stream, &step, &log, &counted).await);
            }
        });
        Self {
            address,
            requests,
            in_flight,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The maximum number of slow requests that were in flight at once.
    pub fn max_in_flight_seen(&self) -> usize {
        self.in_flight.most.load(Ordering::Relaxed)
    }

    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

/// Serves one request of a connection. Returns the connection if it must stay open.
async fn serve(
    mut stream: TcpStream,
    step: &(impl Fn(usize) -> Step + Sync),
    log: &Mutex<Vec<ReceivedRequest>>,
    in_flight: &Arc<InFlight>,
) -> Option<TcpStream> {
    let request = read(&mut stream).await?;
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request);
        log.len() - 1
    };
    match step(number) {
        Step::Respond(status, headers, body) => {
            respond(&mut stream, status, headers, body).await;
            None
        }
        Step::RespondLater(body) => {
            let in_flight = Arc::clone(in_flight);
            let now = in_flight.now.fetch_add(1, Ordering::Relaxed) + 1;
            in_flight.most.fetch_max(now, Ordering::Relaxed);
            tokio::spawn(async move {
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
                in_flight.now.fetch_sub(1, Ordering::Relaxed);
                respond(&mut stream, 200, &[], body).await;
            });
            None
        }
        Step::CloseConnection => None,
        Step::RawBytes(bytes) => {
            stream.write_all(bytes.as_bytes()).await.ok();
            None
        }
        Step::NoResponse => Some(stream),
    }
}

async fn respond(stream: &mut TcpStream, status: u16, headers: &[&str], body: &str) {
    let mut text = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n");
    for header in headers {
        text += &format!("{header}\r\n");
    }
    if status != 204 {
        let length = body.len();
        text += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    }
    text += &format!("\r\n{body}");
    // The client may have closed the connection.
    stream.write_all(text.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

async fn read(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    let head = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_owned();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                break head;
            }
        }
    };
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    Some(ReceivedRequest {
        line,
        headers: headers.collect(),
    })
}
