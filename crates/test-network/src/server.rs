//! A server on loopback that keeps the requests. Each is on a connection of its own.

use std::future::{Future, ready};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;

use crate::Request;

/// A server, until the test ends.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server on a thread of its own. The answer to a request is sent as it is, and the connection closed.
    pub fn start(answer: impl FnMut(&Request) -> Vec<u8> + Send + 'static) -> Server {
        Server::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), answer)
    }

    /// Does so at an address.
    pub fn start_at(
        address: SocketAddr,
        mut answer: impl FnMut(&Request) -> Vec<u8> + Send + 'static,
    ) -> Server {
        let (server, listener) = Server::listen(address);
        let requests = Arc::clone(&server.requests);
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve(listener, requests, move |request| {
                ready(answer(&request))
            }));
        });
        server
    }

    /// Starts a server that gives these answers to one request each, and none to those that follow.
    pub fn start_all(answers: impl IntoIterator<Item = Vec<u8>>) -> Server {
        let answers: Vec<_> = answers.into_iter().collect();
        let mut answers = answers.into_iter();
        Server::start(move |_| answers.next().unwrap_or_default())
    }

    /// Starts a server on the runtime of the caller, whose clock may stand still. Its answers may come later, or never.
    pub fn spawn<F: Future<Output = Vec<u8>> + Send + 'static>(
        answer: impl FnMut(Request) -> F + Send + 'static,
    ) -> Server {
        let (server, listener) = Server::listen(SocketAddr::from(([127, 0, 0, 1], 0)));
        tokio::spawn(serve(listener, Arc::clone(&server.requests), answer));
        server
    }

    fn listen(address: SocketAddr) -> (Server, std::net::TcpListener) {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
        };
        (server, listener)
    }

    /// The URL of the server, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far. An answered one is among them.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// A response with a body. The head is the status with its reason, and headers after line ends.
pub fn response(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = match head {
        head if head.starts_with("204") || head.contains("transfer-encoding") => String::new(),
        _ => format!("content-length: {}\r\n", body.len()),
    };
    let head = format!("HTTP/1.1 {head}\r\n{length}connection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

async fn serve<F: Future<Output = Vec<u8>> + Send + 'static>(
    listener: std::net::TcpListener,
    requests: Arc<Mutex<Vec<Request>>>,
    mut answer: impl FnMut(Request) -> F,
) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let Some(request) = Request::read(&mut stream).await else {
            continue;
        };
        // Before the answer, after which the client may end and the test read.
        requests.lock().unwrap().push(request.clone());
        tokio::spawn(send(stream, answer(request)));
    }
}

async fn send(mut stream: TcpStream, answer: impl Future<Output = Vec<u8>>) {
    // The client may have closed the connection.
    let _ = stream.write_all(&answer.await).await;
    let _ = stream.shutdown().await;
}
