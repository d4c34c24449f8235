//! Formats a log line as bytes. A line has no line break before its end and no other control characters, whatever its
//! values are.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::Duration;

use chrono::{DateTime, Local};
use itoa::Integer;
use slog::Level;

use crate::logging::server_name::ServerName;

/// The longest value of a field, in bytes. What is longer is cut.
const MAX_VALUE: usize = 16 << 10;

/// How a line is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineFormat {
    /// Time, level, message and fields, with or without colours.
    Text { coloured: bool },
    /// A JSON object.
    Json,
}

/// The beginning of each line: its time, whose seconds are formatted once a second, and the name of the server.
#[derive(Debug, Default)]
pub(super) struct Stamp {
    /// What follows the time.
    server: String,
    second: u64,
    /// The beginning of a line, up to the dot before the fraction of the second.
    text: String,
}

/// A line without its time, of which fields are written.
pub(super) struct Line<'a> {
    format: LineFormat,
    out: &'a mut Vec<u8>,
}

impl Stamp {
    /// The stamp of a server; `None` if its lines do not name it.
    pub(super) fn new(format: LineFormat, server: Option<&ServerName>) -> Stamp {
        let server = server.map(|server| match format {
            LineFormat::Text { .. } => format!(" {server}"),
            LineFormat::Json => format!(",\"server\":\"{server}\""),
        });
        Stamp {
            server: server.unwrap_or_default(),
            ..Stamp::default()
        }
    }

    /// Begins a line with the time since 1970.
    pub(super) fn write(&mut self, format: LineFormat, now: Duration, out: &mut Vec<u8>) {
        if self.second != now.as_secs() || self.text.is_empty() {
            self.second = now.as_secs();
            self.renew(format);
        }
        out.extend_from_slice(self.text.as_bytes());
        let micros = now.subsec_micros();
        match format {
            LineFormat::Text { .. } => push_digits(out, micros / 1000, 100),
            LineFormat::Json => {
                push_digits(out, micros, 100_000);
                out.extend_from_slice(b"Z\"");
            }
        }
        out.extend_from_slice(self.server.as_bytes());
    }

    fn renew(&mut self, format: LineFormat) {
        let second = i64::try_from(self.second).unwrap_or_default();
        let time = DateTime::from_timestamp(second, 0).unwrap_or_default();
        self.text.clear();
        // Writing to a string does not fail.
        let _ = match format {
            LineFormat::Text { .. } => {
                let local = time.with_timezone(&Local);
                write!(self.text, "{}", local.format("%b %d %H:%M:%S."))
            }
            LineFormat::Json => write!(self.text, "{}", time.format("{\"ts\":\"%FT%T.")),
        };
    }
}

impl<'a> Line<'a> {
    /// Begins the part of a line that follows its time.
    pub(super) fn begin(
        format: LineFormat,
        out: &'a mut Vec<u8>,
        level: Level,
        message: &fmt::Arguments<'_>,
    ) -> Line<'a> {
        let mut line = Line { format, out };
        let name = level.as_short_str();
        match format {
            LineFormat::Text { coloured } => {
                line.push(" ");
                if coloured {
                    line.push(colour(level));
                }
                line.push(name);
                line.push(if coloured { "\x1b[0m " } else { " " });
                line.push_value(message);
            }
            LineFormat::Json => {
                line.push(",\"level\":\"");
                line.push(name);
                line.push("\",\"msg\":\"");
                line.push_value(message);
                line.push("\"");
            }
        }
        line
    }

    /// Some fields of a line.
    pub(super) fn part(format: LineFormat, out: &'a mut Vec<u8>) -> Line<'a> {
        Line { format, out }
    }

    /// Adds a text.
    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.begin_field(name);
        self.quote();
        push_escaped(self.out, self.format, cut(value, MAX_VALUE));
        self.quote();
    }

    /// Adds what is displayed, as a text.
    pub(super) fn display(&mut self, name: &str, value: &fmt::Arguments<'_>) {
        self.begin_field(name);
        self.quote();
        self.push_value(value);
        self.quote();
    }

    /// Adds an integer.
    pub(super) fn number(&mut self, name: &str, value: impl Integer) {
        self.begin_field(name);
        self.push(itoa::Buffer::new().format(value));
    }

    /// Adds `true` or `false`.
    pub(super) fn flag(&mut self, name: &str, value: bool) {
        self.begin_field(name);
        self.push(if value { "true" } else { "false" });
    }

    /// Adds a field without a value: `null` for programs, and nothing for people.
    pub(super) fn none(&mut self, name: &str) {
        if matches!(self.format, LineFormat::Json) {
            self.begin_field(name);
            self.push("null");
        }
    }

    /// Adds fields that are formatted already.
    pub(super) fn add(&mut self, fields: &[u8]) {
        self.out.extend_from_slice(fields);
    }

    pub(super) fn end(self) {
        self.out.extend_from_slice(match self.format {
            LineFormat::Text { .. } => b"\n",
            LineFormat::Json => b"}\n",
        });
    }

    /// Names are those of this program, and need no escapes.
    fn begin_field(&mut self, name: &str) {
        let (before, after) = match self.format {
            LineFormat::Text { .. } => (", ", ": "),
            LineFormat::Json => (",\"", "\":"),
        };
        self.push(before);
        self.push(name);
        self.push(after);
    }

    fn quote(&mut self) {
        if matches!(self.format, LineFormat::Json) {
            self.push("\"");
        }
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn push_value(&mut self, value: &fmt::Arguments<'_>) {
        let mut out = Escaped {
            format: self.format,
            out: self.out,
            room: MAX_VALUE,
        };
        // It fails where a value is cut, or is broken itself. The line is complete in any case.
        let _ = out.write_fmt(*value);
    }
}

/// Escapes what is written to it, up to the longest value.
struct Escaped<'a> {
    format: LineFormat,
    out: &'a mut Vec<u8>,
    room: usize,
}

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let fitting = cut(text, self.room);
        push_escaped(self.out, self.format, fitting);
        self.room -= fitting.len();
        if fitting.len() == text.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

fn cut(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}

fn push_escaped(out: &mut Vec<u8>, format: LineFormat, text: &str) {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\');
    // Without a branch for each byte, so that many are checked at once.
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    for character in text.chars() {
        let mut bytes = [0; 4];
        // Writing to a vector does not fail.
        let _ = match (format, character) {
            (LineFormat::Json, '"' | '\\') => write!(out, "\\{character}"),
            (LineFormat::Json, _) if character.is_control() => {
                write!(out, "\\u{:04x}", u32::from(character))
            }
            (LineFormat::Text { .. }, _) if character.is_control() => {
                write!(out, "{}", character.escape_default())
            }
            _ => out.write_all(character.encode_utf8(&mut bytes).as_bytes()),
        };
    }
}

/// Writes a number below ten times `unit`, with leading zeros.
fn push_digits(out: &mut Vec<u8>, number: u32, mut unit: u32) {
    while unit > 0 {
        // Below ten, so nothing is cut off.
        out.push(b'0' + (number / unit % 10) as u8);
        unit /= 10;
    }
}

/// The code that colours what follows it on a terminal.
fn colour(level: Level) -> &'static str {
    match level {
        Level::Critical | Level::Error => "\x1b[31m",
        Level::Warning => "\x1b[33m",
        Level::Info => "\x1b[32m",
        Level::Debug | Level::Trace => "\x1b[36m",
    }
}
