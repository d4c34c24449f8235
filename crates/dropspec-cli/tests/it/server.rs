//! A server on loopback that answers some requests, each on a connection of its own.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

pub struct Server {
    pub url: String,
    thread: JoinHandle<Vec<String>>,
}

impl Server {
    /// Answers one request with this status, media type and body.
    pub fn start(status: &str, media_type: &str, body: &str) -> Server {
        let head = format!("{status}\r\ncontent-type: {media_type}");
        Server::start_all(&[(&head, body)])
    }

    /// Answers one request with each of these responses: status with headers, and body. An empty response is none: the
    /// connection is closed.
    pub fn start_all(responses: &[(&str, &str)]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let responses = responses.iter().map(|(head, body)| match *head {
            "" => String::new(),
            // A body in chunks, which may lack its end.
            head if head.contains("transfer-encoding") => {
                format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n{body}")
            }
            head => {
                let length = body.len();
                format!(
                    "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                )
            }
        });
        let responses: Vec<String> = responses.collect();
        let thread = std::thread::spawn(move || {
            let answers = responses.iter().map(|response| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = Vec::new();
                let mut chunk = [0; 4096];
                while !is_complete(&request) {
                    let read = stream.read(&mut chunk).unwrap();
                    assert!(read > 0, "the request ends early");
                    request.extend_from_slice(&chunk[..read]);
                }
                stream.write_all(response.as_bytes()).unwrap();
                String::from_utf8(request).unwrap()
            });
            answers.collect()
        });
        Server { url, thread }
    }

    /// The text of the only request that came.
    pub fn request(self) -> String {
        let requests = self.requests();
        assert_eq!(requests.len(), 1);
        requests.concat()
    }

    /// The texts of all requests, when each response was sent.
    pub fn requests(self) -> Vec<String> {
        self.thread.join().unwrap()
    }
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    match length {
        Some(length) => body.len() >= length.trim().parse::<usize>().unwrap(),
        None => !head.contains("transfer-encoding: chunked") || body.ends_with("0\r\n\r\n"),
    }
}
