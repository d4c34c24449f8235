//! Formats the lines of slog, and puts them into the queue.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use slog::{Drain, FlushError, KV, Key, Level, Never, OwnedKVList, Record, Serializer};

use super::line::{Line, LineFormat};
use super::queue::Queue;

/// The end of a logger: all lines of the least severity and above go to the queue.
pub(super) struct LineDrain {
    /// slog asks for it. A panic with the lock held leaves lines behind that can be written.
    queue: AssertUnwindSafe<Arc<Queue>>,
    least: Level,
}

impl LineDrain {
    pub(super) fn new(queue: Arc<Queue>, least: Level) -> LineDrain {
        LineDrain {
            queue: AssertUnwindSafe(queue),
            least,
        }
    }
}

impl Drain for LineDrain {
    type Ok = ();
    type Err = Never;

    fn log(&self, record: &Record<'_>, context: &OwnedKVList) -> Result<(), Never> {
        if !self.is_enabled(record.level()) {
            return Ok(());
        }
        self.queue.push(record.level(), |out| {
            let format = self.queue.format();
            let mut line = Line::begin(format, out, record.level(), record.msg());
            let mut fields = Fields {
                format,
                fields: Vec::new(),
            };
            // The serializers never fail. slog has the last field first, and the context last.
            let _ = record.kv().serialize(record, &mut fields);
            let _ = context.serialize(record, &mut fields);
            for field in fields.fields.iter().rev() {
                line.add(field);
            }
            line.end();
        });
        Ok(())
    }

    fn is_enabled(&self, level: Level) -> bool {
        level.is_at_least(self.least)
    }

    fn flush(&self) -> Result<(), FlushError> {
        self.queue.flush();
        Ok(())
    }
}

/// A serializer that formats each field.
struct Fields {
    format: LineFormat,
    fields: Vec<Vec<u8>>,
}

impl Fields {
    fn field(&mut self, write: impl FnOnce(&mut Line<'_>)) {
        let mut field = Vec::new();
        write(&mut Line::part(self.format, &mut field));
        self.fields.push(field);
    }
}

/// Implements methods of `Serializer` for integers.
macro_rules! integers {
    ($($method:ident: $integer:ty),*) => {$(
        fn $method(&mut self, key: Key, value: $integer) -> slog::Result {
            self.field(|it| it.number(key.as_ref(), value));
            Ok(())
        }
    )*};
}

impl Serializer for Fields {
    integers!(emit_u8: u8, emit_u16: u16, emit_u32: u32, emit_u64: u64, emit_u128: u128, emit_usize: usize);
    integers!(emit_i8: i8, emit_i16: i16, emit_i32: i32, emit_i64: i64, emit_i128: i128, emit_isize: isize);

    fn emit_bool(&mut self, key: Key, value: bool) -> slog::Result {
        self.field(|it| it.flag(key.as_ref(), value));
        Ok(())
    }

    fn emit_none(&mut self, key: Key) -> slog::Result {
        self.field(|it| it.none(key.as_ref()));
        Ok(())
    }

    fn emit_arguments(&mut self, key: Key, value: &fmt::Arguments<'_>) -> slog::Result {
        self.field(|it| it.display(key.as_ref(), value));
        Ok(())
    }
}
