//! Reads the items of a stream as their bytes arrive.

use bytes::{Buf, Bytes, BytesMut};
use serde::de::IgnoredAny;

use super::{Item, ItemError, MAX_ITEM, RECORD_SEPARATOR};
use crate::Framing;
use crate::wire::multipart::split_part;
use crate::wire::server_sent_events::EventReader;

/// Reads the items of a stream as their bytes arrive.
#[derive(Debug)]
pub struct ItemReader {
    source: Source,
    bytes: BytesMut,
    /// How many bytes are known to have no end of an item.
    searched: usize,
    /// Where the text that waits in a sequence is open.
    nesting: Nesting,
}

/// What is open at the end of a JSON text.
#[derive(Debug, Default)]
struct Nesting {
    /// How many bytes were read.
    read: usize,
    depth: usize,
    in_string: bool,
    after_backslash: bool,
    /// Whether the text was whole and no JSON, so that no more of it becomes JSON.
    is_wrong: bool,
}

#[derive(Debug)]
enum Source {
    Events(EventReader),
    Lines,
    Sequence,
    Parts { delimiter: Vec<u8>, is_ended: bool },
}

impl ItemReader {
    /// The reader of a body with this content type.
    ///
    /// # Errors
    ///
    /// [`ItemError::NoBoundary`]
    pub fn new(framing: Framing, content_type: &str) -> Result<Self, ItemError> {
        let source = match framing {
            Framing::Events => Source::Events(EventReader::default()),
            Framing::Lines => Source::Lines,
            Framing::Sequence => Source::Sequence,
            Framing::Parts => {
                let mut parameters = content_type.split(';').skip(1);
                let boundary = parameters.find_map(|it| {
                    let (name, value) = it.split_once('=')?;
                    let is_boundary = name.trim().eq_ignore_ascii_case("boundary");
                    is_boundary.then(|| value.trim().trim_matches('"'))
                });
                let boundary = boundary.ok_or(ItemError::NoBoundary)?;
                Source::Parts {
                    delimiter: format!("--{boundary}").into(),
                    is_ended: false,
                }
            }
        };
        Ok(Self {
            source,
            bytes: BytesMut::new(),
            searched: 0,
            nesting: Nesting::default(),
        })
    }

    /// Adds bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        match &mut self.source {
            Source::Events(events) => events.push(bytes),
            _ => self.bytes.extend_from_slice(bytes),
        }
    }

    /// The next item that arrived as a whole; `None` if more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`ItemError::TooLarge`]; of a sequence also [`ItemError::Cut`]
    pub fn next_item(&mut self) -> Result<Option<Item>, ItemError> {
        let item = match &mut self.source {
            Source::Events(events) => events.next_event().map(Item::Event),
            Source::Lines => self.take_until(b'\n').map(|line| Item::Json(trim(&line))),
            Source::Sequence => self.take_of_sequence()?.map(Item::Json),
            Source::Parts { .. } => self.take_part().map(Item::Json),
        };
        let is_too_large = match &self.source {
            Source::Events(events) => events.is_too_large(),
            _ => self.bytes.len() > MAX_ITEM,
        };
        if item.is_none() && is_too_large {
            return Err(ItemError::TooLarge);
        }
        Ok(item)
    }

    /// The last item of a body that has ended, if its end is the end of the body.
    ///
    /// # Errors
    ///
    /// [`ItemError::Cut`]
    pub fn finish(&mut self) -> Result<Option<Item>, ItemError> {
        let raw = self.bytes.split().freeze();
        let rest = trim(&raw);
        match self.source {
            // An event without its end is none.
            Source::Events(_) | Source::Parts { is_ended: true, .. } => Ok(None),
            Source::Parts { .. } => Err(ItemError::Cut),
            Source::Lines | Source::Sequence if rest.is_empty() => Ok(None),
            Source::Sequence if is_cut(&raw) => Err(ItemError::Cut),
            Source::Lines | Source::Sequence if is_json(&rest) => Ok(Some(Item::Json(rest))),
            Source::Lines | Source::Sequence => Err(ItemError::Cut),
        }
    }

    /// The reader of events, if they are.
    pub fn events(&mut self) -> Option<&mut EventReader> {
        match &mut self.source {
            Source::Events(events) => Some(events),
            _ => None,
        }
    }

    /// Takes what stands before the next of these bytes; nothing that is only space.
    fn take_until(&mut self, end: u8) -> Option<Bytes> {
        loop {
            let rest = &self.bytes[self.searched..];
            let Some(found) = rest.iter().position(|byte| *byte == end) else {
                self.searched = self.bytes.len();
                return None;
            };
            let text = self.bytes.split_to(self.searched + found).freeze();
            self.bytes.advance(1);
            (self.searched, self.nesting) = (0, Nesting::default());
            if !text.trim_ascii().is_empty() {
                return Some(text);
            }
        }
    }

    fn take_of_sequence(&mut self) -> Result<Option<Bytes>, ItemError> {
        if let Some(text) = self.take_until(RECORD_SEPARATOR) {
            let whole = Some(trim(&text)).filter(|_| !is_cut(&text));
            return whole.map(Some).ok_or(ItemError::Cut);
        }
        // The last text that arrived is whole if its line is. The next one may be far away.
        let nesting = &mut self.nesting;
        nesting.read_on(&self.bytes);
        if nesting.is_open() || nesting.is_wrong || !self.bytes.ends_with(b"\n") {
            return Ok(None);
        }
        if !is_json(&self.bytes) {
            nesting.is_wrong = !self.bytes.trim_ascii().is_empty();
            return Ok(None);
        }
        (self.searched, self.nesting) = (0, Nesting::default());
        Ok(Some(trim(&self.bytes.split().freeze())))
    }

    fn take_part(&mut self) -> Option<Bytes> {
        let Source::Parts {
            delimiter,
            is_ended,
        } = &mut self.source
        else {
            return None;
        };
        // The delimiter before a part stays until the part is there. What stands before the first one is no part.
        let start = find(&self.bytes, delimiter);
        self.bytes
            .advance(start.unwrap_or((self.bytes.len() + 1).saturating_sub(delimiter.len())));
        start?;
        let rest = &self.bytes[delimiter.len()..];
        if *is_ended || rest.starts_with(b"--") {
            *is_ended = true;
            return None;
        }
        // All but the end of what was searched before.
        let from = self.searched.saturating_sub(delimiter.len() + 4);
        self.searched = rest.len();
        let (_, content, after) = split_part(rest, delimiter, from)?;
        let content = Bytes::copy_from_slice(content.trim_ascii());
        let end = self.bytes.len() - after.len() - delimiter.len();
        self.bytes.advance(end);
        self.searched = 0;
        Some(content)
    }
}

impl Nesting {
    /// Reads what was added to a text.
    fn read_on(&mut self, text: &[u8]) {
        for byte in &text[self.read..] {
            match byte {
                _ if std::mem::take(&mut self.after_backslash) => {}
                b'\\' => self.after_backslash = self.in_string,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.read = text.len();
    }

    fn is_open(&self) -> bool {
        self.in_string || self.depth > 0
    }
}

/// Whether a text of a sequence may be cut: after a number, `true`, `false` or `null` only space shows that it is whole (RFC 7464,
/// section 2.4).
fn is_cut(text: &[u8]) -> bool {
    let shows_its_end = matches!(text.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    !shows_its_end && !text.last().is_some_and(u8::is_ascii_whitespace)
}

fn trim(text: &Bytes) -> Bytes {
    text.slice_ref(text.trim_ascii())
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|it| it == wanted)
}
