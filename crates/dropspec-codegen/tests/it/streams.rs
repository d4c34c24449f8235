//! Streams of items: the types of both sides, and what is not kept.

use crate::{diagnose, formatted, generate_files};

const DOCUMENT: &str = include_str!("../documents/streams.yaml");

#[test]
fn items_and_the_data_of_events_have_types() {
    let files = generate_files(DOCUMENT);
    let lines = |file: &str, wanted: &str| {
        let text = formatted(&files, file);
        let lines = text.lines().filter(|line| line.contains(wanted));
        let lines = lines.map(|line| line.trim().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(lines("responses.rs", "(ItemStream"), @r"
    OkEventStream(ItemStream<WatchItem>),
    OkJsonl(ItemStream<Book>),
    Ok(ItemStream<Texts>),
    ");
    insta::assert_snapshot!(lines("client/responses.rs", "items("), @r"
    0 => Self::OkEventStream(items(payload)?),
    _ => Self::OkJsonl(items(payload)?),
    ");
    // The components stay as they are; the data of `WatchItem` are typed.
    insta::assert_snapshot!(lines("types.rs", "pub data:"), @r"
    pub data: Option<String>,
    pub data: Option<String>,
    pub data: Option<Book>,
    pub data: Option<i64>,
    ");
}

#[test]
fn what_is_not_kept_is_a_warning() {
    insta::assert_snapshot!(diagnose(DOCUMENT), @r"
    api.yaml:17:33: an error is read as a whole, so that no type is made of the schema of its items (/paths/~1events/get/responses/503/content/application~1jsonl/itemSchema)
      help: the body is a stream of bytes
    api.yaml:22:50: a request is not sent item by item, so that no type is made of the schema of its items (/paths/~1events/post/requestBody/content/application~1jsonl/itemSchema/$ref)
      help: the body is a stream of bytes
    api.yaml:35:52: the schema of the items is not that of an event (/paths/~1others/get/responses/200/content/text~1event-stream/itemSchema/$ref)
      help: describe the event: an object with `data`, `event`, `id` and `retry`
    api.yaml:36:24: `text/csv` is not read item by item, so that no type is made of the schema of its items (/paths/~1others/get/responses/200/content/text~1csv/itemSchema)
      help: the body is a stream of bytes
    ");
}
