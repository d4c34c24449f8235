//! The command `tail`: shows the requests of one's own key as the service answers them (server-sent events of its `/tail`).

mod line;

use std::time::Duration;

use clap::Command;
use dropspec_schema::wire::items::ItemError;
use dropspec_schema::wire::server_sent_events::{Event, EventReader, MEDIA_TYPE};
use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{Client, StatusCode};
use serde_json::Value;

use self::line::Printer;
use crate::console::{self, Failure, note};
use crate::invocation::Invocation;
use crate::no_response::{self, with_source};
use crate::options::TAIL;
use crate::request::Request;
use crate::send::http_client;
use crate::service_error;

/// The path of the stream, below the base URL.
pub(crate) const PATH: &str = "/tail";

/// The pause before the first attempt to connect again. Each failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(30);

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
pub(crate) async fn follow(request: &Request, invocation: &Invocation<'_>) -> Result<(), Failure> {
    let mut events = Events {
        printer: Printer::new(invocation.format()?),
        reader: EventReader::default(),
        requests: 0,
    };
    let (client, url_source) = (http_client(invocation)?, invocation.url_source());
    tokio::select! {
        ended = events.follow(&client, request, &url_source) => ended,
        pressed = tokio::signal::ctrl_c() => pressed
            .map_err(|error| Failure::Usage(format!("cannot wait for Ctrl-C: {error}"))),
    }
}

/// Connects to the stream. The error says with the failure whether a later attempt may succeed.
async fn connect(
    client: &Client,
    request: &Request,
    url_source: &str,
) -> Result<reqwest::Response, (Failure, bool)> {
    let mut request = request.to_http().map_err(|failure| (failure, false))?;
    let accept = HeaderValue::from_static(MEDIA_TYPE);
    request.headers_mut().insert(ACCEPT, accept);
    let origin = request.url().origin().ascii_serialization();
    let response = client.execute(request).await.map_err(|error| {
        let text = no_response::describe(&error, &origin);
        (Failure::NoResponse(with_source(&text, url_source)), true)
    })?;
    let status = response.status();
    if status == StatusCode::OK {
        return Ok(response);
    }
    if status == StatusCode::NOT_FOUND {
        let text = "the service has no stream of requests: it needs no key, or its server is older";
        return Err((Failure::Service(text.to_owned()), false));
    }
    let headers = response.headers().clone();
    let body = response.bytes().await.unwrap_or_default();
    let text = service_error::describe(status, &headers, &body);
    let is_temporary = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    Err((Failure::Service(text), is_temporary))
}

/// Why nothing else is read from a connection.
enum Ended {
    /// Standard output is closed.
    Unread,
    /// The service ended it, or it broke. With the reason.
    Broken(String),
}

/// Reads server-sent events: prints requests, and notes what else the service says.
struct Events {
    printer: Printer,
    reader: EventReader,
    /// How many requests were printed.
    requests: u64,
}

impl Events {
    async fn follow(
        &mut self,
        client: &Client,
        request: &Request,
        url_source: &str,
    ) -> Result<(), Failure> {
        let mut pause = FIRST_PAUSE;
        let mut was_connected = false;
        loop {
            let reason = match connect(client, request, url_source).await {
                Ok(stream) => {
                    was_connected = true;
                    let requests = self.requests;
                    let ended = self.read(stream).await?;
                    if self.requests > requests {
                        pause = FIRST_PAUSE;
                    }
                    match ended {
                        Ended::Unread => return Ok(()),
                        Ended::Broken(reason) => reason,
                    }
                }
                Err((failure, true)) if was_connected => failure.to_string(),
                Err((failure, _)) => return Err(failure),
            };
            let wait = pause.as_secs_f32();
            let text = format!("{reason}; connecting again in {wait:.1} seconds");
            note(&text);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Reads the events of a connection to its end.
    async fn read(&mut self, mut stream: reqwest::Response) -> Result<Ended, Failure> {
        self.reader.restart();
        loop {
            let chunk = match stream.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(Ended::Broken("the service ended the stream".to_owned())),
                Err(error) => {
                    let cause = dropspec_client::sending::root_cause(&error);
                    return Ok(Ended::Broken(format!("the stream broke: {cause}")));
                }
            };
            self.reader.push(&chunk);
            while let Some(event) = self.reader.next_event() {
                if let Some(ended) = self.take_event(&event)? {
                    return Ok(ended);
                }
            }
            if self.reader.is_too_large() {
                return Ok(Ended::Broken(ItemError::TooLarge.to_string()));
            }
        }
    }

    fn take_event(&mut self, event: &Event) -> Result<Option<Ended>, Failure> {
        let data = event.data.as_deref().unwrap_or_default();
        let data: Value = serde_json::from_str(data)
            .map_err(|error| Failure::NoResponse(format!("an event is not JSON: {error}")))?;
        let text = |member: &str| data[member].as_str().unwrap_or_default();
        match event.event.as_deref().unwrap_or_default() {
            "request" => {
                self.requests += 1;
                let is_read = console::print_if_read(self.printer.format(&data).as_bytes())?;
                return Ok((!is_read).then_some(Ended::Unread));
            }
            "server" => note(&format!(
                "requests that the server {} answers",
                text("server")
            )),
            "lost" => note(&format!(
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
