//! Calls every operation of a document, and reports what is wrong.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use dropspec_client::reqwest;
use dropspec_runtime::{Interface, ResponseValidator};
use http::StatusCode;

use crate::answer::Answer;
use crate::body::Body;
use crate::called::{Called, REFUSED};
use crate::check::{Checker, Exchange};
use crate::comparison::Comparison;
use crate::declared::{Declared, DeclaredParameter};
use crate::echo::{Echo, Seen};
use crate::given::Given;
use crate::invalid::plan_invalid;
use crate::mock::Mock;
use crate::operation::Operation;
use crate::plan::{Answers, plan_answers, plan_requests};
use crate::readings::{has_no_text, is_shared};
use crate::report::{Failure, Report};
use crate::sampler::Sampler;
use crate::server::Server;

/// How long a call may take before it counts as hanging.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// The most failures of an operation that are reported, each of another kind.
const MOST_FAILURES: usize = 4;

/// Makes a client for the URL of a server.
type Connect<C> = fn(&str) -> C;

/// Serves the interface `I`, calls all operations by the client that `connect` makes for the URL of the server, and those
/// that need credentials by the one of `connect_anonymously`, too; and then a mock of the document, if the argument of the
/// program is its URL. Prints the [`Report`] as JSON.
pub fn run<I, C>(
    operations: &[Operation<C>],
    connect: Connect<C>,
    connect_anonymously: Connect<C>,
) -> anyhow::Result<ExitCode>
where
    I: Interface<Context = Arc<Echo>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mock = std::env::args().nth(1);
    let calls = call_all::<I, C>(operations, connect, connect_anonymously, mock.as_deref());
    let report = runtime.block_on(calls)?;
    serde_json::to_writer(std::io::stdout(), &report).context("the report cannot be written")?;
    Ok(ExitCode::from(u8::from(!report.failures.is_empty())))
}

async fn call_all<I, C>(
    operations: &[Operation<C>],
    connect: Connect<C>,
    connect_anonymously: Connect<C>,
    mock: Option<&str>,
) -> anyhow::Result<Report>
where
    I: Interface<Context = Arc<Echo>>,
{
    let server = Server::start::<I>(None)?;
    let base_url = server.base_url();
    let with_credentials = (&server, &connect(&base_url));
    let anonymous = (&server, &connect_anonymously(&base_url));
    let mock = mock.map(|url| Server::start::<I>(Some(Mock::new(url)?)));
    let mock = mock.transpose()?;
    let mock = mock.map(|server| (connect(&server.base_url()), server));
    let document = I::document();
    let mut run = Run {
        raw_client: reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()?,
        base_url,
        checker: Checker {
            document: document.json(),
            comparison: Comparison::new(document.json()),
            responses: ResponseValidator::new(document, I::operations())?,
        },
        sampler: Sampler::new(document.json()),
        report: Report::default(),
    };
    for (index, info) in I::operations()
        .iter()
        .enumerate()
        .filter(|(_, info)| info.generated)
    {
        let name = format!("{} {}", info.method, info.path);
        let found = operations
            .iter()
            .find(|of| of.method == info.method.as_str() && of.path == info.path);
        let (Some(operation), Some(declared)) = (found, Declared::read(document, info)) else {
            run.fail(&name, "the client has no such operation".to_owned());
            continue;
        };
        let requests = plan_requests(document, &declared, &mut run.sampler);
        let answers = plan_answers(&declared, operation.variants, &mut run.sampler);
        let target = (index, name.as_str(), operation);
        let plan = (&declared, requests.as_slice(), &answers);
        run.call_operation(with_credentials, target, plan).await;
        if declared.is_protected {
            run.call_without_credentials(anonymous, target, &requests)
                .await;
        }
        if let Some((client, server)) = &mock {
            run.call_mock((server, client), target, plan).await;
        }
        for invalid in plan_invalid(document, info.path, &declared, &mut run.sampler) {
            server.echo.plan([]);
            let sent = invalid.send(&run.raw_client, &run.base_url, info, &declared);
            match sent.await {
                Ok(None) => {}
                Ok(Some(400 | 422)) => run.report.refused += 1,
                Ok(Some(401)) if declared.is_protected && invalid.has_parts() => {
                    run.report.refused += 1;
                }
                Ok(Some(status)) => run.fail(
                    &name,
                    format!("an invalid request gets {status}: {}", invalid.problem),
                ),
                Err(error) => run.fail(
                    &name,
                    format!("an invalid request fails: {}: {error}", invalid.problem),
                ),
            }
        }
    }
    Ok(run.report)
}

struct Run {
    /// For requests that the generated client would not send.
    raw_client: reqwest::Client,
    base_url: String,
    checker: Checker,
    sampler: Sampler,
    report: Report,
}

/// A server and a client for it.
type Ends<'e, C> = (&'e Server, &'e C);

/// An operation: its position, its name in the report, and how it is called.
type Target<'t, C> = (usize, &'t str, &'t Operation<C>);

/// What the document declares for an operation, and what is planned for it.
type Plan<'p> = (&'p Declared, &'p [Given], &'p Answers);

impl Run {
    fn fail(&mut self, operation: &str, reason: String) {
        let own = self
            .report
            .failures
            .iter()
            .filter(|of| of.operation == operation);
        // The values differ, the kind of the failure does not.
        let begins_value = |c: char| c.is_ascii_digit() || "{[\"".contains(c);
        let kind = |reason: &str| reason.split(begins_value).next().map(str::to_owned);
        let repeated = own.clone().any(|of| kind(&of.reason) == kind(&reason));
        if !repeated && own.count() < MOST_FAILURES {
            let operation = operation.to_owned();
            self.report.failures.push(Failure { operation, reason });
        }
    }

    /// Calls an operation until every request was sent and every answer was given.
    async fn call_operation<C>(
        &mut self,
        ends: Ends<'_, C>,
        target: Target<'_, C>,
        plan: Plan<'_>,
    ) {
        let ((index, name, operation), (declared, requests, answers)) = (target, plan);
        self.report.responses += declared.responses.len();
        if answers.planned.is_empty() {
            return self.fail(name, "no response can be given".to_owned());
        }
        let failures = self.report.failures.len();
        let mut good = 0;
        for step in 0..requests.len().max(answers.planned.len()) {
            let given = &requests[step % requests.len()];
            let answer = &answers.planned[step % answers.planned.len()];
            let sent = self.send(ends, target, (declared, given), Some(answer));
            let Some((called, seen)) = sent.await else {
                continue;
            };
            let exchange = Exchange {
                operation: index,
                method: operation.method,
                declared,
                variant: &operation.variants[answer.variant],
                given,
                answer,
                seen: &seen,
            };
            let checked = self.checker.check_request(&exchange).and_then(|()| {
                let called = called?;
                self.checker.check_response(&exchange, &called)
            });
            match checked {
                Ok(()) => {
                    good += 1;
                    let body = usize::from(answer.body != Body::Empty);
                    self.report.values +=
                        given.parameters.len() + usize::from(given.body.is_some()) + body;
                }
                Err(problem) => self.fail(name, problem),
            }
        }
        if good > 0 {
            self.report.called += 1;
        }
        if self.report.failures.len() == failures {
            self.report.covered += answers.covered;
        }
    }

    /// Sends a request by the client. `None` if the client refuses it, or the server does not see it once, which is reported.
    async fn send<C>(
        &mut self,
        (server, client): Ends<'_, C>,
        (_, name, operation): Target<'_, C>,
        (declared, given): (&Declared, &Given),
        answer: Option<&Answer>,
    ) -> Option<(Result<Called, String>, Seen)> {
        let value_of = |of: &DeclaredParameter| given.parameters.get(&(of.location, of.name));
        let is_read_otherwise = declared.parameters.iter().any(|of| {
            value_of(of).is_some_and(|value| {
                is_shared(self.checker.document, &declared.parameters, of, value)
            })
        });
        if is_read_otherwise {
            self.report.unsendable += 1;
            return None;
        }
        server.echo.plan(answer.cloned());
        let called = tokio::time::timeout(CALL_TIMEOUT, (operation.call)(client, given));
        let called = called
            .await
            .unwrap_or_else(|_| Err("the call hangs".to_owned()));
        let mut seen = server.echo.take_seen();
        self.report.calls += 1;
        if let Err(problem) = &called
            && problem.starts_with(REFUSED)
        {
            let mut parameters = declared.parameters.iter();
            if parameters.any(|of| value_of(of).is_some_and(|value| has_no_text(of, value))) {
                self.report.unsendable += 1;
            } else {
                self.fail(name, problem.clone());
            }
            return None;
        }
        if seen.len() == 1 {
            return Some((called, seen.remove(0)));
        }
        let (count, problem) = (seen.len(), called.err().unwrap_or_default());
        self.fail(name, format!("the server sees {count} requests: {problem}"));
        None
    }

    /// Calls an operation without credentials, with the first request that can be sent: the server must deny it.
    async fn call_without_credentials<C>(
        &mut self,
        (server, client): Ends<'_, C>,
        (_, name, operation): Target<'_, C>,
        requests: &[Given],
    ) {
        for given in requests {
            server.echo.plan([]);
            let call = (operation.call)(client, given);
            let called = tokio::time::timeout(CALL_TIMEOUT, call).await;
            let seen = server.echo.take_seen();
            match (seen.as_slice(), called) {
                ([seen], _) if seen.status == StatusCode::UNAUTHORIZED => self.report.denied += 1,
                ([seen], _) => {
                    let status = seen.status;
                    self.fail(name, format!("a call without credentials gets {status}"));
                }
                ([], Ok(Err(problem))) if problem.starts_with(REFUSED) => continue,
                (seen, _) => {
                    let count = seen.len();
                    let problem = format!("without credentials: the server sees {count} requests");
                    self.fail(name, problem);
                }
            }
            return;
        }
        self.fail(
            name,
            "no request can be sent without credentials".to_owned(),
        );
    }
}

mod mocked;
#[cfg(test)]
mod tests;
