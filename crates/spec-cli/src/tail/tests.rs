//! Tests of `tail`.

use std::cell::RefCell;

use super::*;
use crate::format::Format;

fn receive(text: &str) -> (Result<Option<Ended>, Failure>, String, Vec<String>) {
    let mut out = Vec::new();
    let notes = RefCell::new(Vec::new());
    let note = |text: &str| notes.borrow_mut().push(text.to_owned());
    let printer = Printer::new(Format::Jsonl, &mut out, || None);
    let mut events = Events::new(printer, note);
    // In pieces, as a network delivers it.
    let mut ended = Ok(None);
    for piece in text.as_bytes().chunks(7) {
        ended = events.receive(piece);
    }
    let out = String::from_utf8(out).expect("text");
    (ended, out, notes.into_inner())
}

#[test]
fn requests_are_printed_and_everything_else_is_a_note() {
    let (ended, out, notes) = receive(
        ":\n\nevent: server\ndata: {\"server\":\"web-1\"}\n\nevent: request\ndata: {\"status\":200}\n\n\
         event: lost\ndata: {\"requests\":3}\n\nevent: new\ndata: {}\n\n\
         event: end\ndata: {\"code\":\"stopping\",\"message\":\"connect again\"}\n\n",
    );
    assert_eq!(out, "{\"status\":200}\n");
    assert_eq!(
        notes,
        [
            "requests that the server web-1 answers",
            "3 requests are left out, as they came faster than they were read"
        ]
    );
    let reason = "the service ended the stream (stopping)".to_owned();
    assert_eq!(ended.ok(), Some(Some(Ended::Broken(reason))));
}
