//! Tests of the framings in both directions.
use proptest::collection::{hash_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::wire::server_sent_events::EventReader;

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            hash_map(".*", inner, 0..4).prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

/// An event as an object. Its texts have what the format can hold: no line ends but those of data, which are line feeds.
fn any_event() -> impl Strategy<Value = Value> {
    let json = any_json().prop_filter("texts are on the left", |it| !it.is_string());
    let data = prop_oneof!["[^\r]*".prop_map(Value::from), json];
    let name = option::of("[^\r\n]+");
    let id = option::of("[^\0\r\n]*");
    (data, name, id, option::of(any::<u64>())).prop_map(|(data, name, id, retry)| {
        let fields = [
            ("event", name.map(Value::from)),
            ("data", Some(data)),
            ("id", id.map(Value::from)),
            ("retry", retry.map(Value::from)),
        ];
        let fields = fields.into_iter();
        let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(fields.collect())
    })
}

/// The items of a body that arrives in chunks of this size.
fn read(framing: Framing, body: &str, chunk: usize) -> Result<Vec<Item>, ItemError> {
    let mut reader = ItemReader::new(framing, &content_type(framing, "")).unwrap();
    let mut items = Vec::new();
    for chunk in body.as_bytes().chunks(chunk) {
        reader.push(chunk);
        while let Some(item) = reader.next_item()? {
            items.push(item);
        }
    }
    items.extend(reader.finish()?);
    Ok(items)
}

fn write(framing: Framing, items: &[Value]) -> String {
    let (begin, end) = delimiters(framing);
    let items: String = items.iter().map(|it| write_item(framing, it)).collect();
    format!("{begin}{items}{end}")
}

fn texts(items: &[Item]) -> Vec<String> {
    let text = |item: &Item| item.to_values().unwrap().0.to_string();
    items.iter().map(text).collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        values in vec(any_json(), 0..5),
        events in vec(any_event(), 0..5),
        chunk in 1..40_usize,
    ) {
        for (framing, items) in [
            (Framing::Lines, &values),
            (Framing::Sequence, &values),
            (Framing::Parts, &values),
            (Framing::Events, &events),
        ] {
            let read = read(framing, &write(framing, items), chunk).unwrap();
            prop_assert_eq!(read.len(), items.len());
            for (read, written) in read.iter().zip(items) {
                let (value, text) = read.to_values().unwrap();
                let is_same = value == *written || text.as_ref() == Some(written);
                prop_assert!(is_same, "{:?}: {} for {}", framing, value, written);
            }
        }
    }
}

#[test]
fn each_item_is_read_when_it_arrives() {
    for framing in [
        Framing::Events,
        Framing::Lines,
        Framing::Sequence,
        Framing::Parts,
    ] {
        let mut reader = ItemReader::new(framing, &content_type(framing, "")).unwrap();
        reader.push(delimiters(framing).0.as_bytes());
        for number in 0..3 {
            assert_eq!(reader.next_item(), Ok(None), "{framing:?}");
            reader.push(write_item(framing, &json!({ "data": number })).as_bytes());
            let item = reader.next_item().unwrap().unwrap();
            assert_eq!(item.to_values().unwrap().0, json!({ "data": number }));
        }
    }
}

#[test]
fn body_that_ends_too_early_is_an_error_and_an_event_without_its_end_is_none() {
    let cut = Err(ItemError::Cut);
    assert_eq!(read(Framing::Lines, "{\"a\":1}\n{\"a\"", 4), cut);
    assert_eq!(read(Framing::Sequence, "\u{1e}1\n\u{1e}[1", 4), cut);
    for number in ["\u{1e}12", "\u{1e}true", "\u{1e}12\u{1e}34\n"] {
        assert_eq!(read(Framing::Sequence, number, 1), cut, "of 123 as well");
    }
    let whole = read(Framing::Sequence, "\u{1e}\"a\"\u{1e}12 \u{1e}[1]", 1).unwrap();
    assert_eq!(texts(&whole), ["\"a\"", "12", "[1]"]);
    assert_eq!(read(Framing::Parts, "--item\r\n\r\n1\r\n--item", 4), cut);
    assert_eq!(read(Framing::Events, "data: a\n", 4), Ok(Vec::new()));
    let lines = read(Framing::Lines, "1\r\n\n 2", 1).unwrap();
    assert_eq!(texts(&lines), ["1", "2"], "the last line needs no end");
    let parts = "preamble\r\n--item\r\nA: b\r\n\r\n{\"a\":\r\n1}\r\n--item \r\n\r\n2\r\n--item--";
    assert_eq!(
        texts(&read(Framing::Parts, parts, 3).unwrap()),
        ["{\"a\":1}", "2"]
    );
    let reader = ItemReader::new(Framing::Parts, "multipart/mixed");
    assert_eq!(reader.err(), Some(ItemError::NoBoundary));
}

#[test]
fn item_without_an_end_is_not_gathered_for_ever() {
    let line = "x".repeat(MAX_ITEM + 1);
    for (framing, body) in [
        (Framing::Lines, line.clone()),
        (Framing::Events, format!("data:{line}")),
        (Framing::Sequence, format!("\u{1e}\"{line}\"")),
    ] {
        assert_eq!(read(framing, &body, MAX_ITEM), Err(ItemError::TooLarge));
    }
}

/// An item of many lines that arrive one by one: reading all again for each would take hours.
#[test]
fn long_item_of_many_chunks_is_searched_once() {
    let lines = "  1,\n".repeat(MAX_ITEM / 8);
    let sequence = format!("\u{1e}[\n{lines}1]\n");
    let found = read(Framing::Sequence, &sequence, 5).unwrap();
    assert_eq!(found.len(), 1);
    let preamble = "-".repeat(MAX_ITEM + 1);
    let parts = format!("{preamble}\r\n--item\r\n\r\n1\r\n--item--");
    assert_eq!(texts(&read(Framing::Parts, &parts, 40).unwrap()), ["1"]);
}

#[test]
fn events_are_read_as_the_standard_says() {
    let read = |text: &str| {
        let mut reader = EventReader::default();
        // Byte by byte, so that each line end may be cut.
        let mut events = Vec::new();
        for byte in text.bytes() {
            reader.push(&[byte]);
            events.extend(std::iter::from_fn(|| reader.next_event()));
        }
        let shown = events.iter().map(|it| it.to_values().0.to_string());
        (
            shown.collect::<Vec<_>>().join(" "),
            format!("{:?}", reader.position()),
        )
    };
    for (text, events, position) in [
        (
            "\u{feff}data: a\r\rdata:b\r\n\r\ndata:  c\n\n",
            r#"{"data":"a"} {"data":"b"} {"data":" c"}"#,
            "(None, None)",
        ),
        (
            "data: a\ndata\ndata: b\n\n",
            r#"{"data":"a\n\nb"}"#,
            "(None, None)",
        ),
        ("data\n\n", r#"{"data":""}"#, "(None, None)"),
        (
            ": comment\n\nevent: a\nid: 1\n\n",
            "",
            r#"(Some("1"), None)"#,
        ),
        (
            "id: a\0b\nretry: 5\nretry: x\ndata: 1\n\n",
            r#"{"data":1,"retry":5}"#,
            "(None, Some(5))",
        ),
        (
            "id: 7\ndata: a\n\nid\ndata: b\n\nother: c\n\n",
            r#"{"data":"a","id":"7"} {"data":"b","id":""}"#,
            r#"(Some(""), None)"#,
        ),
        (
            "event: x\ndata: {\"a\": 1}\n\nid: 9\ndata: a\n",
            r#"{"event":"x","data":{"a":1}}"#,
            "(None, None)",
        ),
    ] {
        assert_eq!(
            read(text),
            (events.to_owned(), position.to_owned()),
            "{text:?}"
        );
    }
}

#[test]
fn data_that_look_like_json_are_a_text_where_the_type_has_one() {
    #[derive(serde::Deserialize)]
    struct OfText {
        data: String,
    }
    let event = Event {
        data: Some("[1]".to_owned()),
        ..Event::default()
    };
    assert_eq!(Item::Event(event).read::<OfText>().unwrap().data, "[1]");
}
