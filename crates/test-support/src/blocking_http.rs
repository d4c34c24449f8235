//! Blocking HTTP/1.1 over a socket: tests write each byte of a request, and read responses one by one.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};

use http::{HeaderMap, HeaderName};
use tokio::net::TcpSocket;
use tokio::runtime::Builder;

use crate::Response;
use crate::process::TIMEOUT;

/// Connects, with timeouts that fail a test whose server hangs.
pub fn connect(address: SocketAddr) -> TcpStream {
    with_timeouts(TcpStream::connect(address).unwrap())
}

/// Connects like [`connect`], from this address of the machine. On Linux, each in 127.0.0.0/8 is one.
pub fn connect_from(source: IpAddr, address: SocketAddr) -> io::Result<TcpStream> {
    let connecting = async {
        let socket = TcpSocket::new_v4()?;
        socket.bind((source, 0).into())?;
        socket.connect(address).await?.into_std()
    };
    let runtime = Builder::new_current_thread().enable_io().build().unwrap();
    let stream = runtime.block_on(connecting)?;
    stream.set_nonblocking(false).unwrap();
    Ok(with_timeouts(stream))
}

fn with_timeouts(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Sends a request on a connection of its own, and reads the response.
pub fn send(address: SocketAddr, request: &str) -> Response {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).unwrap();
    read_response(&mut stream)
}

/// Sends a GET without an API key.
pub fn get(address: SocketAddr, path: &str) -> Response {
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    send(address, &head)
}

/// Reads the next response of a connection. Its length must be declared.
pub fn read_response(stream: &mut impl Read) -> Response {
    try_read_response(stream).expect("a whole response")
}

/// Reads the next response of a connection; `None` if the connection ends before.
pub fn try_read_response(stream: &mut impl Read) -> Option<Response> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let mut headers = HeaderMap::new();
    for (name, value) in lines.map(|line| line.split_once(':').unwrap()) {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, value.trim().parse().unwrap());
    }
    let length = headers.get("content-length");
    let length = length.map_or(0, |length| length.to_str().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Response {
        status: status.parse().unwrap(),
        headers,
        body: body.into(),
    })
}

/// Whether the server has closed or reset the connection. Waits for either, or for a byte.
pub fn is_closed(stream: &mut impl Read) -> bool {
    match stream.read(&mut [0]) {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}
