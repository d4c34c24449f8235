//! The command `tail`: shows the requests of one's own key as the service answers them (server-sent events of its `/tail`).

mod line;

use std::io::{self, Write};
use std::time::Duration;

use clap::Command;
use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{Client, StatusCode};
use serde_json::Value;

use self::line::Printer;
use crate::console::Notes;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::no_response::{self, with_source};
use crate::options::TAIL;
use crate::request::Request;
use crate::send::http_client;
use crate::service_error;
use crate::table;

/// The path of the stream, below the base URL.
pub(crate) const PATH: &str = "/tail";

/// The pause before the first attempt to connect again. Each failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// How a connection ended.
#[derive(Debug, PartialEq)]
enum Ended {
    /// Standard output is closed.
    Unread,
    /// The service ended it, or it broke. With the reason.
    Broken(String),
}

/// Why a connection could not be made.
struct Refused {
    failure: Failure,
    /// Whether a later attempt may succeed.
    is_temporary: bool,
}

/// The command for the parser.
pub(crate) fn command() -> Command {
    Command::new(TAIL)
        .about("Show the requests of your key as the service answers them, until Ctrl-C")
        .long_about(
            "Show the requests of your key as the service answers them, until Ctrl-C.\n\n\
             Times are in UTC, and LEFT is what remains of the limit of a minute. The table has the columns for which the terminal has \
             room; `--output jsonl` has all. If several servers answer for one URL, these are the requests of the one that answered \
             the stream, which standard error names.",
        )
}

/// Prints requests until standard output is closed, or somebody presses Ctrl-C. If the connection breaks, it is made again.
///
/// # Errors
/// The first connection cannot be made, or the credentials are no longer valid.
pub(crate) async fn follow(
    request: &Request,
    invocation: &Invocation<'_>,
    notes: &Notes,
) -> Result<(), Failure> {
    let printer = Printer::new(invocation.format()?, io::stdout(), table::columns_of_stdout);
    let url_source = invocation.url_source();
    let mut events = Events::new(printer, |text: &str| notes.print(text));
    tokio::select! {
        ended = follow_until_refused(request, &url_source, &mut events) => ended,
        pressed = tokio::signal::ctrl_c() => pressed
            .map_err(|error| Failure::Usage(format!("cannot wait for Ctrl-C: {error}"))),
    }
}

async fn follow_until_refused<W: Write, N: Fn(&str)>(
    request: &Request,
    url_source: &str,
    events: &mut Events<W, N>,
) -> Result<(), Failure> {
    let client = http_client();
    let mut pause = FIRST_PAUSE;
    let mut was_connected = false;
    loop {
        let reason = match connect(&client, request, url_source).await {
            Ok(stream) => {
                was_connected = true;
                let requests = events.requests;
                let ended = read(stream, events).await?;
                if events.requests > requests {
                    pause = FIRST_PAUSE;
                }
                match ended {
                    Ended::Unread => return Ok(()),
                    Ended::Broken(reason) => reason,
                }
            }
            Err(refused) if was_connected && refused.is_temporary => refused.failure.to_string(),
            Err(refused) => return Err(refused.failure),
        };
        let wait = pause.as_secs_f32();
        (events.note)(&format!("{reason}; connecting again in {wait:.1} seconds"));
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

async fn connect(
    client: &Client,
    request: &Request,
    url_source: &str,
) -> Result<reqwest::Response, Refused> {
    let lasting = |failure| Refused {
        failure,
        is_temporary: false,
    };
    let mut request = request.to_http().map_err(lasting)?;
    let accept = HeaderValue::from_static("text/event-stream");
    request.headers_mut().insert(ACCEPT, accept);
    let origin = request.url().origin().ascii_serialization();
    let response = client.execute(request).await.map_err(|error| {
        let text = no_response::describe(&error, &origin);
        Refused {
            failure: Failure::NoResponse(with_source(&text, url_source)),
            is_temporary: true,
        }
    })?;
    let status = response.status();
    if status == StatusCode::OK {
        return Ok(response);
    }
    if status == StatusCode::NOT_FOUND {
        let text = "the service has no stream of requests: it needs no key, or its server is older";
        return Err(lasting(Failure::Service(text.to_owned())));
    }
    let headers = response.headers().clone();
    let body = response.bytes().await.unwrap_or_default();
    Err(Refused {
        failure: Failure::Service(service_error::describe(status, &headers, &body)),
        is_temporary: status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS,
    })
}

/// Reads the events of a connection to its end.
async fn read<W: Write, N: Fn(&str)>(
    mut stream: reqwest::Response,
    events: &mut Events<W, N>,
) -> Result<Ended, Failure> {
    events.begin();
    loop {
        match stream.chunk().await {
            Ok(Some(chunk)) => {
                if let Some(ended) = events.receive(&chunk)? {
                    return Ok(ended);
                }
            }
            Ok(None) => return Ok(Ended::Broken("the service ended the stream".to_owned())),
            Err(error) => {
                let cause = spec_transport::root_cause(&error);
                return Ok(Ended::Broken(format!("the stream broke: {cause}")));
            }
        }
    }
}

/// Reads server-sent events: prints requests, and notes what else the service says.
struct Events<W, N> {
    printer: Printer<W>,
    /// Takes lines for standard error.
    note: N,
    /// The beginning of a line whose end has not come.
    partial: Vec<u8>,
    /// The name of the event whose data comes next.
    name: String,
    /// How many requests were printed.
    requests: u64,
}

impl<W: Write, N: Fn(&str)> Events<W, N> {
    fn new(printer: Printer<W>, note: N) -> Events<W, N> {
        Events {
            printer,
            note,
            partial: Vec::new(),
            name: String::new(),
            requests: 0,
        }
    }

    /// A new connection begins with a new line.
    fn begin(&mut self) {
        self.partial.clear();
        self.name.clear();
    }

    /// Takes what came. `Some` if nothing else is to be read from this connection.
    fn receive(&mut self, chunk: &[u8]) -> Result<Option<Ended>, Failure> {
        self.partial.extend_from_slice(chunk);
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\r', '\n']);
            if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut self.name);
            }
            if let Some(data) = line.strip_prefix("data: ")
                && let Some(ended) = self.take_event(data)?
            {
                return Ok(Some(ended));
            }
        }
        Ok(None)
    }

    fn take_event(&mut self, data: &str) -> Result<Option<Ended>, Failure> {
        let data: Value = serde_json::from_str(data)
            .map_err(|error| Failure::NoResponse(format!("an event is not JSON: {error}")))?;
        let text = |member: &str| data[member].as_str().unwrap_or_default();
        match self.name.as_str() {
            "request" => {
                self.requests += 1;
                match self.printer.print(&data) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                        return Ok(Some(Ended::Unread));
                    }
                    Err(error) => {
                        let message = format!("cannot write to standard output: {error}");
                        return Err(Failure::Usage(message));
                    }
                }
            }
            "server" => (self.note)(&format!(
                "requests that the server {} answers",
                text("server")
            )),
            "lost" => (self.note)(&format!(
                "{} requests are left out, as they came faster than they were read",
                data["requests"]
            )),
            "end" if text("code") == "invalid_credentials" => {
                return Err(Failure::Service(text("message").to_owned()));
            }
            "end" => {
                let reason = format!("the service ended the stream ({})", text("code"));
                return Ok(Some(Ended::Broken(reason)));
            }
            // A newer server may send more.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
