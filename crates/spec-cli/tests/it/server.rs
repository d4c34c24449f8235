//! A server on loopback that answers one request.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

pub struct Server {
    pub url: String,
    thread: JoinHandle<String>,
}

impl Server {
    /// Answers with this status, media type and body.
    pub fn start(status: &str, media_type: &str, body: &str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/base", listener.local_addr().unwrap());
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        let response = format!("{head}{body}");
        let thread = std::thread::spawn(move || {
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
        Server { url, thread }
    }

    /// The text of the request that came.
    pub fn request(self) -> String {
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
