//! Reads schemas and references to them.

use crate::fields::Read;
use crate::node::MAX_DEPTH;
use crate::reader::{Cursor, Reader};
use crate::reference::parse_component_pointer;
use crate::schema::{Schema, SchemaRef};

/// The maximal number of `$ref`s to schemas that are not components; each of them is read again.
const MAX_INLINED: usize = 10_000;

impl Read for SchemaRef {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let Some(link) = cursor.member("$ref") else {
            let depth = reader.depth.get();
            if depth >= MAX_DEPTH {
                let message = format!("schemas are nested deeper than {MAX_DEPTH} levels");
                reader.report(&cursor.place(), message, "");
                return None;
            }
            reader.depth.set(depth + 1);
            let schema = Schema::read(reader, cursor);
            reader.depth.set(depth);
            return Some(SchemaRef::Inline(Box::new(schema?)));
        };
        let target = reader.follow_reference(&link)?;
        match parse_component_pointer(&target.pointer) {
            Some(("schemas", name)) => Some(SchemaRef::Ref {
                name,
                at: link.place(),
            }),
            _ => reader.read_nested_target(&link, target),
        }
    }
}

impl<'d> Reader<'d> {
    /// Reads the target of a `$ref` that is not a component, such as `#/components/schemas/Pet/properties/status`.
    fn read_nested_target(&self, link: &Cursor<'d>, target: Cursor<'d>) -> Option<SchemaRef> {
        if self.inlining.borrow().contains(&target.pointer) {
            let help = "give the schema a name under `components/schemas` and refer to that";
            self.report(&link.place(), "the `$ref` refers to itself", help);
            return None;
        }
        self.inlined.set(self.inlined.get() + 1);
        if self.inlined.get() > MAX_INLINED {
            let message =
                format!("more than {MAX_INLINED} `$ref`s to schemas that are not components");
            self.report(&link.place(), message, "");
            return None;
        }
        self.inlining.borrow_mut().push(target.pointer.clone());
        let schema = SchemaRef::read(self, target);
        self.inlining.borrow_mut().pop();
        schema
    }
}
