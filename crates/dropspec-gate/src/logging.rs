//! The log on standard error: one line for each request, and the lines of slog for everything else, in one order and
//! format. No key or hash is logged, and the address of a client and the path of a request only if the settings say so: of
//! dropshot's own context of a request only the request's id is logged.
//!
//! A line costs its thread no allocation: it is formatted into a buffer of the thread and copied into the bounded queue, which
//! one thread writes.

mod causes;
mod drain;
mod line;
mod queue;
mod request_line;
pub mod request_log;
pub mod server_name;
mod tail;
#[cfg(test)]
mod tests;

use std::hash::Hasher;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use rustc_hash::FxHasher;
use slog::{Discard, Level, Logger, o};

pub use self::causes::Causes;
use self::drain::LineDrain;
use self::line::LineFormat;
use self::queue::Queue;
pub use self::request_line::RequestLine;
pub use self::tail::TailLine;
use crate::logging::server_name::ServerName;

/// The format of the log on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people, with coloured levels on a terminal.
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

/// What is logged, and how.
#[derive(Clone, Copy, Debug)]
pub struct LogSettings {
    /// The format of a line.
    pub format: LogFormat,
    /// The least severity that is logged.
    pub level: LogLevel,
    /// Of so many requests that succeed in time, one has a line.
    pub sample: NonZeroU32,
    /// Whether the line of a request has the address of its client.
    pub client: bool,
    /// Whether the line of a request has its path, without the query.
    pub path: bool,
}

/// What the line of a request can have beside its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogField {
    /// The address of the client, behind trusted proxies.
    Client,
    /// The path as it was sent, without the query.
    Path,
}

/// The log of a server. Clones write to the same output. When the last clone and the last of its loggers is dropped, all
/// lines have been written.
#[derive(Clone)]
pub struct Log {
    /// `None` if nothing is logged.
    queue: Option<Arc<Queue>>,
    settings: LogSettings,
}

/// A request that took as long has a line, whatever the sample is.
const SLOW: Duration = Duration::from_millis(250);

impl LogSettings {
    /// No log at all, for tests.
    pub const SILENT: LogSettings = LogSettings {
        format: LogFormat::Silent,
        level: LogLevel::Error,
        sample: NonZeroU32::MIN,
        client: false,
        path: false,
    };
}

impl LogLevel {
    fn to_slog(self) -> Level {
        match self {
            LogLevel::Error => Level::Error,
            LogLevel::Warn => Level::Warning,
            LogLevel::Info => Level::Info,
            LogLevel::Debug => Level::Debug,
        }
    }
}

impl Log {
    /// Starts the log of a server, which goes to standard error and names the server in each line. `dropped` counts the lines that are lost because
    /// standard error does not take them.
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread.
    pub fn to_standard_error(
        settings: LogSettings,
        server: &ServerName,
        dropped: Counter,
    ) -> io::Result<Log> {
        let output = io::stderr();
        let coloured = dropspec_command_line::has_colours(&output);
        Log::to_output(settings, output, coloured, Some(server), dropped)
    }

    /// Starts a log that goes to this output. Without a server its lines do not name one.
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread.
    pub fn to_output(
        settings: LogSettings,
        output: impl Write + Send + 'static,
        coloured: bool,
        server: Option<&ServerName>,
        dropped: Counter,
    ) -> io::Result<Log> {
        let format = match settings.format {
            LogFormat::Silent => None,
            LogFormat::Terminal => Some(LineFormat::Text { coloured }),
            LogFormat::Json => Some(LineFormat::Json),
        };
        let queue = format.map(|format| Queue::start(format, output, server, dropped));
        let queue = queue.transpose()?.map(Arc::new);
        Ok(Log { queue, settings })
    }

    /// Whether lines of requests have the address of the client.
    pub fn has_client(&self) -> bool {
        self.settings.client
    }

    /// Whether lines of requests have the path.
    pub fn has_path(&self) -> bool {
        self.settings.path
    }

    /// Logs a request, unless the level or the sample leaves it out. A request that failed or was slow has a line in any
    /// sample. A line that stands for several requests has their number in the field `sample`.
    pub fn request(&self, request: &RequestLine<'_>) {
        let Some(queue) = &self.queue else {
            return;
        };
        let sample = self.settings.sample;
        if !Level::Info.is_at_least(self.settings.level.to_slog()) {
            return;
        }
        let in_any_sample = request.status >= 400 || request.latency >= SLOW;
        if !in_any_sample && !is_sampled(request.request_id, sample) {
            return;
        }
        queue.push(Level::Info, |out| {
            let mut line = request.begin(queue.format(), out);
            line.text("request_id", request.request_id);
            line.text("operation", request.operation);
            line.number("status", request.status);
            let latency = u64::try_from(request.latency.as_micros());
            line.number("latency_us", latency.unwrap_or(u64::MAX));
            match request.key {
                Some(key) => line.text("key", key),
                None => line.none("key"),
            }
            if let Some(client) = request.client {
                line.display("client", &format_args!("{client}"));
            }
            if let Some(path) = request.path.filter(|_| self.has_path()) {
                line.text("path", path);
            }
            if let Some(trace_id) = request.trace_id {
                line.display("trace_id", &format_args!("{trace_id:032x}"));
            }
            if request.left_out > 0 {
                line.number("left_out", request.left_out);
            }
            if !in_any_sample && sample > NonZeroU32::MIN {
                line.number("sample", sample.get());
            }
            line.end();
        });
    }

    /// The last lines after the first `seen`, without those that are being written, and how many lines there were in all.
    pub fn recent_lines(&self, seen: u64) -> (Vec<TailLine>, u64) {
        match &self.queue {
            None => (Vec::new(), 0),
            Some(queue) => queue.tail().lines_after(seen),
        }
    }

    /// Creates a logger for all other lines.
    pub fn logger(&self) -> Logger {
        match &self.queue {
            None => Logger::root(Discard, o!()),
            Some(queue) => {
                let drain = LineDrain::new(Arc::clone(queue), self.settings.level.to_slog());
                Logger::root(drain, o!())
            }
        }
    }
}

/// Whether the request with this random id is the one of `sample` that has a line. The id decides, so that no counter is
/// shared by all requests.
fn is_sampled(request_id: &str, sample: NonZeroU32) -> bool {
    if sample == NonZeroU32::MIN {
        return true;
    }
    let mut hasher = FxHasher::default();
    hasher.write(request_id.as_bytes());
    // The upper half of the product is a number below `sample`.
    (u128::from(hasher.finish()) * u128::from(sample.get())) >> 64 == 0
}
