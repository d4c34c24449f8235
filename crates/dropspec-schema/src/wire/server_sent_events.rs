//! The format of server-sent events (HTML Living Standard, section 9.2), in both directions.

use std::fmt;

use bytes::{Buf, BytesMut};
use serde_json::Value;

use crate::wire::encode::plain;

/// The media type.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// The largest event that is read, in bytes.
pub(crate) const MAX_EVENT: usize = 16 * 1024 * 1024;

/// What keeps a connection open while there is no event.
pub const COMMENT: &str = ":\n\n";

/// An event, with the fields that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its type. Without one it is a `message`.
    pub event: Option<String>,
    /// Without it nobody is told of the event; its other fields count.
    pub data: Option<String>,
    /// What a client sends as `Last-Event-ID` when it connects again.
    pub id: Option<String>,
    /// How many milliseconds a client waits before it connects again.
    pub retry: Option<u64>,
}

/// Writes an event without an id.
pub fn event(name: &str, data: impl fmt::Display) -> String {
    let event = Event {
        event: Some(name.to_owned()),
        data: Some(data.to_string()),
        ..Event::default()
    };
    event.to_string()
}

impl Event {
    /// The event that a JSON object means: `data` is a text, or else JSON.
    pub fn of_value(value: &Value) -> Self {
        let text = |name: &str| value.get(name).filter(|it| !it.is_null()).map(plain);
        let data = match value.get("data") {
            // As JSON, which for null and compounds differs from a plain text.
            Some(data) if !data.is_string() => Some(data.to_string()),
            _ => text("data"),
        };
        Self {
            event: text("event"),
            data,
            id: text("id"),
            retry: value.get("retry").and_then(Value::as_u64),
        }
    }

    /// The JSON object that the event means, with its data read as JSON where they are JSON and no string; then also the object with
    /// the data as a text.
    pub fn to_values(&self) -> (Value, Option<Value>) {
        let fields = [
            ("event", self.event.clone().map(Value::from)),
            ("data", self.data.clone().map(Value::from)),
            ("id", self.id.clone().map(Value::from)),
            ("retry", self.retry.map(Value::from)),
        ];
        let fields = fields.into_iter();
        let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let text = Value::Object(fields.collect());
        let data = self.data.as_deref().unwrap_or_default();
        match serde_json::from_str::<Value>(data) {
            Ok(data) if !data.is_string() => {
                let mut value = text.clone();
                value["data"] = data;
                (value, Some(text))
            }
            _ => (text, None),
        }
    }
}

/// As it is sent.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line end would begin another field.
        let line = |text: &str| text.replace(['\r', '\n'], " ");
        if let Some(event) = &self.event {
            writeln!(f, "event: {}", line(event))?;
        }
        if let Some(data) = &self.data {
            let data = data.replace("\r\n", "\n").replace('\r', "\n");
            data.split('\n')
                .try_for_each(|it| writeln!(f, "data: {it}"))?;
        }
        if let Some(id) = &self.id {
            writeln!(f, "id: {}", line(id))?;
        }
        if let Some(retry) = self.retry {
            writeln!(f, "retry: {retry}")?;
        }
        f.write_str("\n")
    }
}

/// Reads events as their bytes arrive.
#[derive(Debug, Default)]
pub struct EventReader {
    bytes: BytesMut,
    /// How many bytes are known to have no line end.
    searched: usize,
    /// Whether a line feed that comes next belongs to the line end before it.
    after_return: bool,
    begun: bool,
    partial: Event,
    last_id: Option<String>,
    retry: Option<u64>,
}

impl EventReader {
    /// Adds bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether more bytes wait for the end of their event than an item may have.
    pub fn is_too_large(&self) -> bool {
        self.bytes.len() + self.partial.data.as_ref().map_or(0, String::len) > MAX_EVENT
    }

    /// The next event that arrived as a whole.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            let line = self.next_line()?;
            if !line.is_empty() {
                self.read_field(&line);
                continue;
            }
            let mut event = std::mem::take(&mut self.partial);
            // Not before: an event that breaks off comes again.
            if event.id.is_some() {
                self.last_id.clone_from(&event.id);
            }
            if event.data.is_some() {
                event.event = event.event.filter(|name| !name.is_empty());
                return Some(event);
            }
        }
    }

    /// The id of the last event that had one, and the last wait that the server asked for, in milliseconds.
    pub fn position(&self) -> (Option<&str>, Option<u64>) {
        (self.last_id.as_deref(), self.retry)
    }

    /// Forgets what arrived of an event, as a new connection begins with another one.
    pub fn restart(&mut self) {
        *self = Self {
            last_id: self.last_id.take(),
            retry: self.retry,
            ..Self::default()
        };
    }

    fn next_line(&mut self) -> Option<String> {
        if self.after_return && !self.bytes.is_empty() {
            self.after_return = false;
            if self.bytes[0] == b'\n' {
                self.bytes.advance(1);
            }
        }
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let Some(found) = self.bytes[self.searched..].iter().position(is_end) else {
            self.searched = self.bytes.len();
            return None;
        };
        let line = self.bytes.split_to(self.searched + found);
        self.searched = 0;
        self.after_return = self.bytes[0] == b'\r';
        self.bytes.advance(1);
        let line = String::from_utf8_lossy(&line);
        let is_first = !std::mem::replace(&mut self.begun, true);
        let line = line
            .strip_prefix('\u{feff}')
            .filter(|_| is_first)
            .unwrap_or(&line);
        Some(line.to_owned())
    }

    fn read_field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let event = &mut self.partial;
        match name {
            "event" => event.event = Some(value.to_owned()),
            "data" => match &mut event.data {
                Some(data) => data.extend(["\n", value]),
                None => event.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => event.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|it| it.is_ascii_digit()) => {
                event.retry = value.parse().ok();
                self.retry = event.retry.or(self.retry);
            }
            // A comment, or a field of a later standard.
            _ => {}
        }
    }
}
