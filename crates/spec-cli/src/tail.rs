//! The command `tail`: shows the requests of one's own key as the service answers them (server-sent events of its `/tail`).

mod line;

use std::io::{self, BufRead, BufReader, Write};
use std::time::Duration;

use clap::Command;
use reqwest::StatusCode;
use reqwest::blocking::Client;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde_json::Value;

use self::line::Printer;
use crate::failure::Failure;
use crate::format::Format;
use crate::no_response;
use crate::send::with_causes;
use crate::service_error;
use crate::width::Width;

/// The name of the command.
pub const NAME: &str = "tail";

/// The path of the stream, below the base URL.
pub(crate) const PATH: &str = "/tail";

/// How long it may take to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause before the first attempt to connect again. Each failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Where the stream is, and with which credentials it is asked for.
pub struct Source {
    /// The URL, which messages may show.
    pub url: String,
    /// What the URL has in addition that may be secret: a query. Empty if there is none.
    pub query: String,
    /// The headers with the credentials.
    pub headers: Vec<(String, String)>,
}

/// How a connection ended.
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
pub fn command() -> Command {
    Command::new(NAME)
        .about("Show the requests of your key as the service answers them, until Ctrl-C")
        .long_about(
            "Show the requests of your key as the service answers them, until Ctrl-C.\n\n\
             Times are in UTC, and LEFT is what remains of the limit of a minute. The table has the columns for which the terminal has \
             room; `--output jsonl` has all. If several servers answer for one URL, these are the requests of the one that answered \
             the stream, which standard error names.",
        )
}

/// Prints requests until standard output is closed, and ends the process with exit code 0 at Ctrl-C. If the connection breaks, it is
/// made again. `note` takes lines for standard error.
///
/// # Errors
/// The first connection cannot be made, or the credentials are no longer valid.
pub fn follow(source: &Source, format: Format, note: impl Fn(&str)) -> Result<(), Failure> {
    exit_at_ctrl_c()?;
    let client = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        // The stream has no end.
        .timeout(None)
        .build()
        .map_err(|error| Failure::Usage(with_causes(&error)))?;
    let mut printer = Printer::new(format, io::stdout(), Width::of_stdout);
    let mut pause = FIRST_PAUSE;
    let mut was_connected = false;
    loop {
        let reason = match connect(&client, source) {
            Ok(stream) => {
                was_connected = true;
                match read(stream, &mut printer, &note, || pause = FIRST_PAUSE)? {
                    Ended::Unread => return Ok(()),
                    Ended::Broken(reason) => reason,
                }
            }
            Err(refused) if was_connected && refused.is_temporary => refused.failure.to_string(),
            Err(refused) => return Err(refused.failure),
        };
        let wait = pause.as_secs_f32();
        note(&format!("{reason}; connecting again in {wait:.1} seconds"));
        std::thread::sleep(pause);
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Ends the process with success when somebody presses Ctrl-C: that is how the command is meant to end.
fn exit_at_ctrl_c() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("cannot wait for Ctrl-C: {error}")))?;
    std::thread::spawn(move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            // A line that is being written is written to its end.
            let _stdout = io::stdout().lock();
            std::process::exit(0);
        }
    });
    Ok(())
}

fn connect(client: &Client, source: &Source) -> Result<impl BufRead + use<>, Refused> {
    let usage = |message: String| Refused {
        failure: Failure::Usage(message),
        is_temporary: false,
    };
    let shown = &source.url;
    let mut url = reqwest::Url::parse(shown)
        .map_err(|error| usage(format!("the URL {shown} is invalid: {error}")))?;
    url.set_query(Some(&source.query[..]).filter(|it| !it.is_empty()));
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    for (name, value) in &source.headers {
        let wrong = || {
            usage(format!(
                "the value for the header {name} has characters that a header cannot have, such as a line break: copy it again"
            ))
        };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.append(header, value);
    }
    let sent = client.get(url).headers(headers).send();
    // The URL of an error of reqwest may contain credentials.
    let response = sent.map_err(|error| Refused {
        failure: Failure::NoResponse(no_response::describe(&error.without_url(), shown)),
        is_temporary: true,
    })?;
    let status = response.status();
    if status == StatusCode::OK {
        return Ok(BufReader::new(response));
    }
    let id = response.headers().get("x-request-id");
    let id = id.and_then(|id| id.to_str().ok()).map(str::to_owned);
    let mut error = service_error::read(status, &response.bytes().unwrap_or_default(), id);
    if status == StatusCode::NOT_FOUND {
        error.message =
            "the service has no stream of requests: it needs no key, or its server is older"
                .to_owned();
    }
    let is_temporary = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    Err(Refused {
        failure: Failure::Service(error.to_string()),
        is_temporary,
    })
}

/// Reads the events of a connection, and prints them. Calls `received` for each request.
fn read(
    stream: impl BufRead,
    printer: &mut Printer<impl Write>,
    note: &impl Fn(&str),
    mut received: impl FnMut(),
) -> Result<Ended, Failure> {
    let mut name = String::new();
    for line in stream.lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) => return Ok(Ended::Broken(format!("the stream broke: {error}"))),
        };
        if let Some(event) = line.strip_prefix("event: ") {
            name = event.to_owned();
        }
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        let data: Value = serde_json::from_str(data)
            .map_err(|error| Failure::NoResponse(format!("an event is not JSON: {error}")))?;
        let text = |member: &str| data[member].as_str().unwrap_or_default();
        match name.as_str() {
            "request" => {
                received();
                match printer.print(&data) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                        return Ok(Ended::Unread);
                    }
                    Err(error) => {
                        let message = format!("cannot write to standard output: {error}");
                        return Err(Failure::Usage(message));
                    }
                }
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
                return Ok(Ended::Broken(format!(
                    "the service ended the stream ({})",
                    text("code")
                )));
            }
            // A newer server may send more.
            _ => {}
        }
    }
    Ok(Ended::Broken("the service ended the stream".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn read_text(text: &str) -> (Result<Ended, Failure>, String, Vec<String>) {
        let mut out = Vec::new();
        let notes = RefCell::new(Vec::new());
        let note = |text: &str| notes.borrow_mut().push(text.to_owned());
        let ended = read(
            text.as_bytes(),
            &mut Printer::new(Format::Jsonl, &mut out, || Width::Unlimited),
            &note,
            || {},
        );
        let out = String::from_utf8(out).expect("text");
        (ended, out, notes.into_inner())
    }

    #[test]
    fn requests_are_printed_and_everything_else_is_a_note() {
        let (ended, out, notes) = read_text(
            ":\n\nevent: server\ndata: {\"server\":\"web-1\"}\n\nevent: request\ndata: {\"status\":200}\n\n\
             event: lost\ndata: {\"requests\":3}\n\nevent: new\ndata: {}\n\n\
             event: end\ndata: {\"code\":\"stopping\",\"message\":\"connect again\"}\n\n",
        );
        assert_eq!(out, "{\"status\":200}\n");
        assert_eq!(
            notes,
            [
                "requests that the server web-1 answers",
                "3 requests are left out, as they came faster than they were read"
            ]
        );
        assert!(matches!(ended, Ok(Ended::Broken(reason)) if reason.contains("stopping")));
    }

    #[test]
    fn end_of_the_key_is_an_error_of_the_service() {
        let (ended, ..) = read_text(
            "event: end\ndata: {\"code\":\"invalid_credentials\",\"message\":\"the key is no longer valid\"}\n\n",
        );
        let failure = ended.err().expect("a failure");
        assert_eq!(
            (failure.exit_code(), failure.to_string().as_str()),
            (1, "the key is no longer valid")
        );
    }
}
