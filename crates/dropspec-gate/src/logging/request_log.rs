//! The log of one request. It costs nothing until a line is written.

use slog::{Logger, o};

/// The log of one request, whose lines carry the id of the request.
#[derive(Clone, Copy)]
pub struct RequestLog<'a> {
    log: &'a Logger,
    request_id: &'a str,
}

impl<'a> RequestLog<'a> {
    /// The log of the request with this id, which writes to `log`.
    pub fn new(log: &'a Logger, request_id: &'a str) -> RequestLog<'a> {
        RequestLog { log, request_id }
    }

    /// Creates a logger whose lines carry the id of the request. It allocates, so create it for a line that is rare.
    pub fn logger(&self) -> Logger {
        self.log.new(o!("request_id" => self.request_id.to_owned()))
    }
}
