//! Sends the requests of a command with the retries that all clients have, and reads the responses.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dropspec_client::Break;
use dropspec_client::sending::{
    Call, OUTCOME_UNKNOWN, RetryPolicy, Sender, Sent, body_of, build_http_client, root_cause,
};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Certificate, Client, StatusCode, redirect};

use crate::console::{Failure, note};
use crate::exchange;
use crate::invocation::Invocation;
use crate::no_response::{self, with_source};
use crate::options::{RETRIES, TIMEOUT, VERBOSE};
use crate::request::Request;
use crate::service_error;

/// How long it may take to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What is wrong with a file for `--cacert`.
const CACERT_HAS_NO_PEM: &str =
    "has no certificate in PEM, from `-----BEGIN CERTIFICATE-----` to `-----END CERTIFICATE-----`";

/// A response that is no error.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Response {
    /// The text of a header; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|it| it.to_str().ok()).unwrap_or_default()
    }

    /// The body, if it is JSON and says so.
    pub(crate) fn json(&self) -> Option<serde_json::Value> {
        let essence = self.header(CONTENT_TYPE.as_str()).split(';').next()?;
        let is_json = essence.trim().to_ascii_lowercase().ends_with("json");
        serde_json::from_slice(&self.bytes).ok().filter(|_| is_json)
    }
}

/// What the requests of a command share.
#[derive(Clone)]
pub(crate) struct Session {
    http: Client,
    sender: Sender,
    is_verbose: bool,
    /// Where the base URL comes from, for messages.
    url_source: String,
}

impl Session {
    pub(crate) fn new(invocation: &Invocation<'_>) -> Result<Session, Failure> {
        let mut sender = Sender::default();
        // An attempt may take as long as all of them.
        let timeout = Duration::from_secs(invocation.value(TIMEOUT)?);
        if timeout.is_zero() {
            let problem = "a timeout of 0 seconds allows no request";
            return Err(Failure::Usage(problem.to_owned()));
        }
        sender.set_policy(RetryPolicy {
            max_attempts: invocation.value::<u32>(RETRIES)?.saturating_add(1),
            deadline: timeout,
            attempt_timeout: timeout,
            ..RetryPolicy::default()
        });
        Ok(Session {
            http: http_client(invocation)?,
            sender,
            is_verbose: invocation.is_on(VERBOSE),
            url_source: invocation.url_source(),
        })
    }

    /// Sends a request, and sends it again as the policy says. Reads the response to its end.
    pub(crate) async fn send(&self, request: &Request) -> Result<Response, Failure> {
        let response = self.open(request, false, None).await?;
        Ok(Response {
            status: response.status(),
            headers: response.headers().clone(),
            bytes: body_of(&response).map(|it| it.to_vec()).unwrap_or_default(),
        })
    }

    /// Sends a request as [`Session::send`] does. The body of a success is not read if `streams_response`. `broken`: the request
    /// is that of a stream which broke.
    pub(crate) async fn open(
        &self,
        request: &Request,
        streams_response: bool,
        broken: Option<Break>,
    ) -> Result<reqwest::Response, Failure> {
        let mut http_request = request.to_http()?;
        let origin = http_request.url().origin().ascii_serialization();
        let sender = self.observed(request.url(), &origin);
        let call = Call {
            operation: "call",
            is_free: false,
            streams_response,
            // What a 503 of any service means is not known.
            is_gate: false,
        };
        if let Some(broken) = broken {
            broken.name_last_event(&mut http_request);
            let Break {
                breaks,
                reason,
                wait,
                ..
            } = broken;
            let waited = sender.wait_after_break(&call, &http_request, breaks, wait, &reason);
            waited.await.map_err(Failure::NoResponse)?;
        }
        let execute = |request| self.http.execute(request);
        let no_response = |text: String| Failure::NoResponse(with_source(&text, &self.url_source));
        let response = match sender.send(&call, http_request, execute).await {
            Ok(Sent::Response(response)) => response,
            Ok(Sent::Deleted(response)) => response.into_success(StatusCode::NO_CONTENT),
            Ok(Sent::OutcomeUnknown(_)) => {
                return Err(Failure::Service(OUTCOME_UNKNOWN.to_owned()));
            }
            Ok(Sent::Hopeless(text)) => {
                return Err(Failure::Usage(with_source(&text, &self.url_source)));
            }
            Ok(Sent::Exhausted(text)) => return Err(no_response(text)),
            Err(error) => return Err(no_response(no_response::describe(&error, &origin))),
        };
        let status = response.status();
        if status.is_client_error() || status.is_server_error() {
            let body = body_of(&response).cloned().unwrap_or_default();
            let text = service_error::describe(status, response.headers(), &body);
            return Err(Failure::Service(text));
        }
        Ok(response)
    }

    /// The sender, which says on standard error why a request to this URL waits, and with `--verbose` what is sent.
    fn observed(&self, url: String, origin: &str) -> Sender {
        let mut sender = self.sender.clone();
        let (policy, _) = sender.settings();
        let longest = policy.connect_deadline.min(policy.deadline).as_secs();
        let origin = origin.to_owned();
        // A server that is not there is said once.
        let was_said = AtomicBool::new(false);
        sender.set_observer(Arc::new(move |event| {
            let is_response = event.reason.starts_with(|c: char| c.is_ascii_digit());
            if is_response {
                let (reason, wait) = (&event.reason, event.delay.as_secs_f32());
                note(&format!("{reason}; trying again in {wait:.1} seconds"));
            } else if !was_said.load(Ordering::Relaxed) {
                note(&no_response::describe_retry(event, &origin, longest));
            }
            was_said.store(!is_response, Ordering::Relaxed);
        }));
        if self.is_verbose {
            sender.set_exchange_observer(Arc::new(move |exchange| {
                let _ = io::stderr().write_all(exchange::describe(exchange, &url).as_bytes());
            }));
        }
        sender
    }
}

/// The HTTP client. It follows no redirects, which could lead the credentials to another host.
pub(crate) fn http_client(invocation: &Invocation<'_>) -> Result<Client, Failure> {
    let settings = || {
        Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
    };
    let Some((path, source)) = invocation.cacert() else {
        return Ok(build_http_client(settings));
    };
    let wrong = |reason: String| Failure::Usage(format!("{source}: {path} {reason}"));
    let pem = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
    if certificates.is_empty() {
        return Err(wrong(CACERT_HAS_NO_PEM.to_owned()));
    }
    let client = settings().tls_certs_only(certificates).build();
    client.map_err(|error| {
        let cause = root_cause(&error);
        wrong(format!("has a certificate that cannot be used: {cause}"))
    })
}
