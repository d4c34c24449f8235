//! A service that follows a script: one step for each request, in the order in which they come in.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What happens to a request.
#[derive(Clone, Debug)]
pub enum Step {
    /// It is answered with a status, further headers and a body.
    Answer(u16, &'static [&'static str], &'static str),
    /// It is refused, for so many seconds.
    Refuse(u64),
    /// The connection is closed without an answer.
    Cut,
    /// This is written as it is, and the connection is closed.
    Raw(&'static str),
    /// Nothing happens; the connection stays open.
    Silence,
    /// It is answered with this body after others had time to come in.
    Slow(&'static str),
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `GET /pets`
    pub line: String,
    headers: Vec<(String, String)>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }
}

pub struct Service {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    crowd: Arc<Crowd>,
}

/// How many slow requests are under way, and how many were at most.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Service {
    /// Listens, and answers the last step for ever once the script is at its end.
    pub async fn start(script: &[Step]) -> Self {
        let script = script.to_vec();
        Self::answering(move |number| script[number.min(script.len() - 1)].clone()).await
    }

    /// Listens, and does with each request, counted from 0, what a function says.
    pub async fn answering(step: impl Fn(usize) -> Step + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let crowd = Arc::new(Crowd::default());
        let counted = Arc::clone(&crowd);
        tokio::spawn(async move {
            let mut open = Vec::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                open.extend(serve(stream, &step, &log, &counted).await);
            }
        });
        Self {
            address,
            seen,
            crowd,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many slow requests were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.crowd.most.load(Ordering::Relaxed)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// One request per connection. Gives back a connection that has to stay open.
async fn serve(
    mut stream: TcpStream,
    step: &(impl Fn(usize) -> Step + Sync),
    log: &Mutex<Vec<Seen>>,
    crowd: &Arc<Crowd>,
) -> Option<TcpStream> {
    let seen = read(&mut stream).await?;
    let number = {
        let mut log = log.lock().unwrap();
        log.push(seen);
        log.len() - 1
    };
    match step(number) {
        Step::Answer(status, headers, body) => {
            answer(&mut stream, status, headers, body).await;
            None
        }
        Step::Refuse(seconds) => {
            let wait = format!("retry-after: {seconds}");
            answer(&mut stream, 429, &[&wait], crate::EXCEEDED).await;
            None
        }
        Step::Slow(body) => {
            let crowd = Arc::clone(crowd);
            let now = crowd.now.fetch_add(1, Ordering::Relaxed) + 1;
            crowd.most.fetch_max(now, Ordering::Relaxed);
            tokio::spawn(async move {
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
                crowd.now.fetch_sub(1, Ordering::Relaxed);
                answer(&mut stream, 200, &[], body).await;
            });
            None
        }
        Step::Cut => None,
        Step::Raw(bytes) => {
            stream.write_all(bytes.as_bytes()).await.ok();
            None
        }
        Step::Silence => Some(stream),
    }
}

async fn answer(stream: &mut TcpStream, status: u16, headers: &[&str], body: &str) {
    let mut text = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n");
    for header in headers {
        text += &format!("{header}\r\n");
    }
    if status != 204 {
        let length = body.len();
        text += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    }
    text += &format!("\r\n{body}");
    // A client that has gone has its reasons.
    stream.write_all(text.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
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
    Some(Seen {
        line,
        headers: headers.collect(),
    })
}
