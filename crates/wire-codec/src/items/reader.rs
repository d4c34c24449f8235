//! Reads the items of a stream as their bytes arrive.

use bytes::{Buf, Bytes, BytesMut};
use serde::de::IgnoredAny;
use spec_schema::Framing;

use super::{Item, ItemError, MAX_ITEM, RECORD_SEPARATOR};
use crate::multipart::split_part;
use crate::server_sent_events::EventReader;

/// Reads the items of a stream as their bytes arrive.
#[derive(Debug)]
pub struct ItemReader {
    source: Source,
    bytes: BytesMut,
    /// How many bytes are known to have no end of an item.
    searched: usize,
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
    /// [`ItemError::TooLarge`]
    pub fn next_item(&mut self) -> Result<Option<Item>, ItemError> {
        let item = match &mut self.source {
            Source::Events(events) => events.next_event().map(Item::Event),
            Source::Lines => self.take_until(b'\n').map(Item::Json),
            Source::Sequence => self.take_of_sequence().map(Item::Json),
            Source::Parts { .. } => self.take_part().map(Item::Json),
        };
        let waiting = match &self.source {
            Source::Events(events) => events.waiting(),
            _ => self.bytes.len(),
        };
        if item.is_none() && waiting > MAX_ITEM {
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
        let rest = self.bytes.split().freeze();
        let rest = rest.slice_ref(rest.trim_ascii());
        match self.source {
            // An event without its end is none.
            Source::Events(_) | Source::Parts { is_ended: true, .. } => Ok(None),
            Source::Parts { .. } => Err(ItemError::Cut),
            Source::Lines | Source::Sequence if rest.is_empty() => Ok(None),
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

    /// Takes what stands before the next of these bytes, without space around it; nothing that is only space.
    fn take_until(&mut self, end: u8) -> Option<Bytes> {
        loop {
            let rest = &self.bytes[self.searched..];
            let Some(found) = rest.iter().position(|byte| *byte == end) else {
                self.searched = self.bytes.len();
                return None;
            };
            let text = self.bytes.split_to(self.searched + found).freeze();
            self.bytes.advance(1);
            self.searched = 0;
            let text = text.slice_ref(text.trim_ascii());
            if !text.is_empty() {
                return Some(text);
            }
        }
    }

    fn take_of_sequence(&mut self) -> Option<Bytes> {
        if let Some(text) = self.take_until(RECORD_SEPARATOR) {
            return Some(text);
        }
        // The last text that arrived is whole if its line is. The next one may be far away.
        let is_whole = self.bytes.ends_with(b"\n") && is_json(&self.bytes);
        is_whole.then(|| {
            self.searched = 0;
            let text = self.bytes.split().freeze();
            text.slice_ref(text.trim_ascii())
        })
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
        let start = find(&self.bytes, delimiter)?;
        self.bytes.advance(start);
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

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|it| it == wanted)
}
