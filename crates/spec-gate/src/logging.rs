//! Creates the loggers. No address, key or hash is logged: of dropshot's own context of a request only the request's
//! id is logged.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Chain;
use prometheus_client::metrics::counter::Counter;
use slog::{
    Drain, KV, Key, Level, LevelFilter, Logger, Never, OwnedKVList, Record, Serializer, b, o,
};
use slog_async::AsyncCore;

/// The format of the log on standard error.
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

/// The severity of a log line, for the option that sets the least severity to log.
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

/// The number of log lines that may wait for a slow standard error before further ones are dropped.
const LOG_QUEUE_LENGTH: usize = 4096;

/// Creates the logger of a server, which writes to standard error in this format. `dropped` counts the lines that are
/// lost because standard error is too slow.
pub(crate) fn logger(format: LogFormat, level: LogLevel, dropped: Counter) -> Logger {
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
            root_logger(drain.fuse(), level, dropped)
        }
        LogFormat::Json => {
            let drain = slog_json::Json::default(std::io::stderr());
            root_logger(drain.fuse(), level, dropped)
        }
    }
}

/// Creates the logger for dropshot. It logs warnings and errors only, and of each request only the id.
pub(crate) fn dropshot_logger(log: &Logger) -> Logger {
    let drain = OnlyRequestId(log.clone());
    Logger::root(LevelFilter::new(drain, Level::Warning).fuse(), o!())
}

/// Displays an error and all of its sources in one line, separated by colons.
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

/// The field `left_out` of a log line: the number of requests before it that have no line. The field is absent if there
/// are none.
pub(crate) struct LeftOut(pub(crate) u64);

impl KV for LeftOut {
    fn serialize(&self, _: &Record<'_>, serializer: &mut dyn Serializer) -> slog::Result {
        match self.0 {
            0 => Ok(()),
            count => serializer.emit_u64("left_out".into(), count),
        }
    }
}

/// A log drain that replaces the context of each line, in which dropshot puts the client's address, by the id of the
/// request.
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

/// A serializer that picks the id of the request from the context of a log line, under the name that dropshot uses.
struct RequestId(Option<String>);

impl Serializer for RequestId {
    fn emit_arguments(&mut self, key: Key, value: &fmt::Arguments<'_>) -> slog::Result {
        if key == "req_id" {
            self.0 = Some(value.to_string());
        }
        Ok(())
    }
}

/// Passes log lines to the thread that writes them. If it is too slow, lines are dropped and counted, and the number is
/// logged as soon as there is room.
struct LogQueue {
    thread: AsyncCore,
    dropped: Counter,
    unreported: AtomicU64,
}

impl Drain for LogQueue {
    type Ok = ();
    type Err = Never;

    fn log(&self, record: &Record<'_>, context: &OwnedKVList) -> Result<(), Never> {
        let lines = self.unreported.swap(0, Ordering::Relaxed);
        let text = format_args!("log lines were dropped, because standard error is too slow");
        let report = |values| {
            let report = slog::record!(Level::Warning, "", &text, values);
            self.thread.log(&report, &o!().into()).is_ok()
        };
        let has_room = lines == 0 || report(b!("lines" => lines));
        if !has_room {
            self.unreported.fetch_add(lines, Ordering::Relaxed);
        }
        if !has_room || self.thread.log(record, context).is_err() {
            self.unreported.fetch_add(1, Ordering::Relaxed);
            self.dropped.inc();
        }
        Ok(())
    }
}

fn root_logger<D>(drain: D, level: Level, dropped: Counter) -> Logger
where
    D: Drain<Ok = (), Err = Never> + Send + 'static,
{
    let queue = LogQueue {
        thread: AsyncCore::custom(drain).chan_size(LOG_QUEUE_LENGTH).build(),
        dropped,
        unreported: AtomicU64::new(0),
    };
    Logger::root(LevelFilter::new(queue, level).fuse(), o!())
}
