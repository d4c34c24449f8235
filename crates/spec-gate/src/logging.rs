//! Creates the loggers. No address, key or hash is logged: of dropshot's own context of a request only the request's
//! id is logged.

use std::error::Error;
use std::fmt;

use anyhow::Chain;
use slog::{Drain, KV, Key, Level, LevelFilter, Logger, OwnedKVList, Record, Serializer, o};

/// The form of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people, coloured on a terminal.
    Terminal,
    /// One JSON object a line.
    Json,
    /// No log at all, for tests.
    #[value(skip)]
    Silent,
}

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogLevel {
    /// Something broke; someone should look.
    Error,
    /// Something unusual that the server could handle.
    Warn,
    /// One line a request.
    Info,
    /// Details for developers of the server.
    Debug,
}

/// The number of lines that may wait for a slow standard error before further ones are dropped.
const QUEUE: usize = 4096;

/// Creates the logger of a server. It writes to standard error.
pub fn logger(format: LogFormat, level: LogLevel) -> Logger {
    let level = match level {
        LogLevel::Error => Level::Error,
        LogLevel::Warn => Level::Warning,
        LogLevel::Info => Level::Info,
        LogLevel::Debug => Level::Debug,
    };
    match format {
        LogFormat::Silent => Logger::root(slog::Discard, o!()),
        LogFormat::Terminal => {
            let decorator = slog_term::TermDecorator::new().stderr().build();
            let drain = slog_term::FullFormat::new(decorator)
                .use_original_order()
                .build();
            root(drain.fuse(), level)
        }
        LogFormat::Json => root(slog_json::Json::default(std::io::stderr()).fuse(), level),
    }
}

/// Creates the logger for dropshot: it logs warnings and errors, and of a request its id only.
pub(crate) fn dropshot_logger(log: &Logger) -> Logger {
    let drain = OnlyRequestId(log.clone());
    Logger::root(LevelFilter::new(drain, Level::Warning).fuse(), o!())
}

/// Displays an error and its sources in one line.
#[derive(Debug)]
pub struct Causes<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        Chain::new(self.0)
            .skip(1)
            .try_for_each(|cause| write!(f, ": {cause}"))
    }
}

/// Replaces the context of a line, in which dropshot logs the client's address, by the id of the request.
struct OnlyRequestId<D>(D);

impl<D: Drain> Drain for OnlyRequestId<D> {
    type Ok = D::Ok;
    type Err = D::Err;

    fn log(&self, record: &Record<'_>, context: &OwnedKVList) -> Result<D::Ok, D::Err> {
        let mut found = RequestId(None);
        // The serializer never fails.
        let _ = context.serialize(record, &mut found);
        let context = match found.0 {
            Some(id) => o!("request_id" => id).into(),
            None => o!().into(),
        };
        self.0.log(record, &context)
    }
}

/// Finds the id of the request in the context of a line, under the name that dropshot uses.
struct RequestId(Option<String>);

impl Serializer for RequestId {
    fn emit_arguments(&mut self, key: Key, value: &fmt::Arguments<'_>) -> slog::Result {
        if key == "req_id" {
            self.0 = Some(value.to_string());
        }
        Ok(())
    }
}

fn root<D>(drain: D, level: Level) -> Logger
where
    D: Drain<Ok = (), Err = slog::Never> + Send + 'static,
{
    let queue = slog_async::Async::new(LevelFilter::new(drain, level).fuse())
        .chan_size(QUEUE)
        .build();
    Logger::root(queue.fuse(), o!())
}
