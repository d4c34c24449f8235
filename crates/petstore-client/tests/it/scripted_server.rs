//! A server that follows a script: one step for each request, in the order of their arrival.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use test_network::{Request, Server, response};

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

pub struct ScriptedServer {
    server: Server,
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
    pub fn start(script: &[Step]) -> Self {
        let script = script.to_vec();
        Self::responding(move |number| script[number.min(script.len() - 1)].clone())
    }

    /// Starts a server whose step for each request, counted from 0, comes from a function.
    pub fn responding(step: impl Fn(usize) -> Step + Send + 'static) -> Self {
        let in_flight = Arc::new(InFlight::default());
        let counted = Arc::clone(&in_flight);
        let mut numbers = 0..;
        let server = Server::spawn(move |_| {
            let number = numbers.next().unwrap_or_default();
            step(number).perform(Arc::clone(&counted))
        });
        Self { server, in_flight }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The maximum number of slow requests that were in flight at once.
    pub fn max_in_flight_seen(&self) -> usize {
        self.in_flight.most.load(Ordering::Relaxed)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }
}

impl Step {
    async fn perform(self, in_flight: Arc<InFlight>) -> Vec<u8> {
        match self {
            Step::Respond(status, headers, body) => respond(status, headers, body),
            Step::CloseConnection => Vec::new(),
            Step::RawBytes(bytes) => bytes.into(),
            Step::NoResponse => pending().await,
            Step::RespondLater(body) => {
                let now = in_flight.now.fetch_add(1, Ordering::Relaxed) + 1;
                in_flight.most.fetch_max(now, Ordering::Relaxed);
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
                in_flight.now.fetch_sub(1, Ordering::Relaxed);
                respond(200, &[], body)
            }
        }
    }
}

fn respond(status: u16, headers: &[&str], body: &str) -> Vec<u8> {
    let status = format!("{status} X");
    let head = [&[&*status], headers, &["content-type: application/json"]].concat();
    response(&head.join("\r\n"), body)
}
