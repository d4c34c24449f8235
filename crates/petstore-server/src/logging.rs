//! Builds the loggers. No address, key or hash is logged at info: what dropshot
//! itself says about a request names the address, so it is kept at warn.

use std::error::Error;
use std::fmt;

use slog::{Drain, Level, LevelFilter, Logger, o};

use crate::config::{LogFormat, LogLevel};

/// Lines that may wait for a slow standard error before further ones are dropped.
const QUEUE: usize = 4096;

/// The logger of this server, writing to standard error.
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

/// The logger that dropshot gets.
pub fn for_dropshot(log: &Logger) -> Logger {
    Logger::root(LevelFilter::new(log.clone(), Level::Warning).fuse(), o!())
}

/// An error and what lies behind it, in one line: what to do often depends on the last of its causes.
#[derive(Debug)]
pub struct Causes<'a>(pub &'a dyn Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut error = self.0;
        while let Some(source) = error.source() {
            write!(f, ": {source}")?;
            error = source;
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
