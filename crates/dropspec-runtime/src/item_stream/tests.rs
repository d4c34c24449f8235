//! Tests of what is sent, and when. The time of tokio is paused.
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::*;
use crate::respond;

/// Endless items, counted as they are asked for.
fn endless(asked: &Arc<AtomicUsize>) -> ItemStream<Value> {
    let asked = Arc::clone(asked);
    let next = move || Ok::<_, Infallible>(json!({ "data": asked.fetch_add(1, Ordering::SeqCst) }));
    ItemStream::new(stream::repeat_with(next))
}

fn frames(media_type: &str, items: ItemStream<Value>) -> BodyDataStream<Body> {
    let response = respond::items(200, media_type, items).unwrap();
    BodyDataStream::new(response.into_body())
}

async fn next(frames: &mut BodyDataStream<Body>) -> String {
    let frame = frames.next().await.unwrap().unwrap();
    String::from_utf8(frame.to_vec()).unwrap()
}

#[tokio::test]
async fn items_are_asked_for_as_they_are_read_and_dropped_with_the_body() {
    let asked = Arc::new(AtomicUsize::new(0));
    let mut frames = frames("application/jsonl", endless(&asked));
    assert_eq!(next(&mut frames).await, "");
    assert_eq!(next(&mut frames).await, "{\"data\":0}\n");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "none is made ahead");
    assert_eq!(Arc::strong_count(&asked), 2);
    drop(frames);
    assert_eq!(Arc::strong_count(&asked), 1, "the stream is dropped");
}

#[tokio::test(start_paused = true)]
async fn silent_events_are_kept_alive_by_comments() {
    let silent = || ItemStream::<Value>::new(stream::pending::<Result<_, Infallible>>());
    for (items, seconds) in [
        (silent(), 15),
        (silent().keep_alive(Duration::from_secs(3)), 3),
    ] {
        let mut frames = frames("text/event-stream", items);
        assert_eq!(next(&mut frames).await, "");
        for _ in 0..2 {
            let start = tokio::time::Instant::now();
            assert_eq!(next(&mut frames).await, COMMENT);
            assert_eq!(start.elapsed(), Duration::from_secs(seconds));
        }
    }
    let mut lines = frames("application/jsonl", silent());
    assert_eq!(next(&mut lines).await, "");
    let longer = tokio::time::timeout(Duration::from_secs(60), lines.next());
    assert!(longer.await.is_err(), "lines have no comments");
}

#[tokio::test]
async fn error_breaks_the_body_and_an_end_does_not() {
    let items =
        |last: Result<Value, &'static str>| ItemStream::new(stream::iter([Ok(json!(1)), last]));
    let sent = |items| {
        let response = respond::items(200, "multipart/mixed", items).unwrap();
        response
            .into_body()
            .collect()
            .map(|it| it.map(|it| it.to_bytes()))
    };
    let body = sent(items(Ok(json!(2)))).await.unwrap();
    let part = "\r\nContent-Type: application/json\r\n\r\n";
    let expected = format!("--item{part}1\r\n--item{part}2\r\n--item--\r\n");
    assert_eq!(body, expected.as_bytes());
    let error = sent(items(Err("the database is gone"))).await.unwrap_err();
    assert_eq!(error.to_string(), "the database is gone");
}

#[tokio::test]
async fn stream_breaks_off_when_the_server_stops_and_other_responses_do_not() {
    let stop = Arc::new(Notify::new());
    let at_stop = |response| {
        let stop = Arc::clone(&stop);
        break_off_at(response, || async move { stop.notified().await })
    };
    let asked = Arc::default();
    let items = respond::items(200, "text/event-stream", endless(&asked)).unwrap();
    let whole = respond::text(200, "text/plain", "whole").unwrap();
    let [items, whole] = [items, whole].map(|it| BodyDataStream::new(at_stop(it).into_body()));
    let mut items = items;
    assert_eq!(next(&mut items).await, "");
    assert_eq!(next(&mut items).await, "data: 0\n\n");
    stop.notify_one();
    assert!(items.next().await.unwrap().is_err());
    assert!(items.next().await.is_none());
    assert_eq!(Arc::strong_count(&asked), 1, "the stream is dropped");
    let whole: Vec<_> = whole.collect().await;
    assert_eq!(whole.len(), 1);
}

#[test]
fn only_streams_of_items_are_responses_of_items() {
    let asked = Arc::default();
    assert!(respond::items(200, "text/plain", endless(&asked)).is_err());
}
