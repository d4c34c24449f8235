//! A request as it arrives.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// A request as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The request line and the headers, with the empty line after them.
    pub head: String,
    /// The body, with the lengths of its chunks if it has them.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one request. `None` if the client leaves before its end.
    pub(crate) async fn read(stream: &mut TcpStream) -> Option<Request> {
        let mut request = Request {
            head: String::new(),
            body: Vec::new(),
        };
        while !request.head.ends_with("\r\n\r\n") {
            request.head.push(char::from(stream.read_u8().await.ok()?));
        }
        while !request.is_complete() {
            if stream.read_buf(&mut request.body).await.ok()? == 0 {
                return None;
            }
        }
        Some(request)
    }

    fn is_complete(&self) -> bool {
        match self.header("content-length") {
            Some(length) => self.body.len() >= length.parse().unwrap(),
            None => self.header("transfer-encoding").is_none() || self.body.ends_with(b"0\r\n\r\n"),
        }
    }

    /// The request line without the version: `GET /pets`.
    pub fn line(&self) -> &str {
        let line = self.head.lines().next().unwrap_or_default();
        line.trim_end_matches(" HTTP/1.1")
    }

    /// The path with the query.
    pub fn target(&self) -> &str {
        self.line().split(' ').nth(1).unwrap()
    }

    /// The value of a header, whose name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find_map(|(found, value)| found.eq_ignore_ascii_case(name).then_some(value))
    }

    /// The whole request as a text.
    pub fn text(&self) -> String {
        self.head.clone() + str::from_utf8(&self.body).unwrap()
    }
}
