//! The service from outside: its program on a free port, called by the generated client.
#![allow(clippy::unwrap_used)]

use std::process::Command;

use dropspec_service::testing::TestProcess;
use futures::{StreamExt, TryStreamExt};
use recordings_client::bodies::UploadRecordingPart;
use recordings_client::{Client, File, RetryPolicy};

/// The server on a free port, with a database of its own, and a client that sends each request once.
fn serve() -> (TestProcess, Client) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_recordings"));
    let server = TestProcess::serve(program.arg("serve")).unwrap();
    let client = Client::new(server.url()).with_retries(RetryPolicy::off());
    (server, client)
}

fn parts(title: &str, audio: impl Into<Vec<u8>>) -> [UploadRecordingPart; 2] {
    let audio = File::from_bytes("song.ogg", audio.into());
    [
        UploadRecordingPart::Title(title.to_owned()),
        UploadRecordingPart::Audio(audio),
    ]
}

#[tokio::test]
async fn what_is_uploaded_can_be_downloaded() {
    let (_server, client) = serve();
    let audio: Vec<u8> = (0..=255).cycle().take(50_000).collect();
    let stored = client
        .upload_recording()
        .body(parts("Rain", audio.clone()))
        .send()
        .await
        .unwrap();
    assert_eq!((stored.title.as_str(), stored.bytes), ("Rain", 50_000));
    let found = client
        .download_recording()
        .id(stored.id)
        .send()
        .await
        .unwrap();
    assert_eq!(found.headers()["content-type"], "audio/ogg");
    let chunks: Vec<_> = found.into_inner().into_inner().try_collect().await.unwrap();
    assert_eq!(chunks.concat(), audio);
    let missing = client
        .download_recording()
        .id(stored.id + 1)
        .send()
        .await
        .err()
        .unwrap();
    assert_eq!(
        (missing.status().unwrap().as_u16(), missing.code()),
        (404, Some("unknown_recording"))
    );
}

#[tokio::test]
async fn wrong_uploads_are_refused() {
    let (_server, client) = serve();
    let video = File::from_bytes("rain.mp4", "RAIN").content_type("video/mp4");
    let [same, video] = [
        UploadRecordingPart::Title("Rain".to_owned()),
        UploadRecordingPart::Audio(video),
    ];
    for (body, status, part) in [
        (Vec::from(parts("Rain", vec![0; 100_000])), 413, "100000"),
        (vec![same, video], 415, "video/mp4"),
        (Vec::from(parts("", "RAIN")), 422, "title"),
    ] {
        let error = client
            .upload_recording()
            .body(body)
            .send()
            .await
            .unwrap_err();
        let found = error.status().map(|it| it.as_u16());
        assert_eq!(found, Some(status), "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    // What lacks a part that the document requires is not even sent.
    let title = UploadRecordingPart::Title("Rain".to_owned());
    let error = client.upload_recording().body([title]).send().await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("the part `audio` is required"), "{error}");
    let next = parts("Wind", "WIND");
    let stored = client.upload_recording().body(next).send().await.unwrap();
    assert_eq!(stored.id, 1, "nothing else was stored");
}

#[tokio::test]
async fn those_who_watch_see_each_recording_once() {
    let (_server, client) = serve();
    let upload = async |title| {
        client
            .upload_recording()
            .body(parts(title, "A"))
            .send()
            .await
            .unwrap()
    };
    let first = upload("Rain").await;
    let mut events = client.watch_recordings().send().await.unwrap().into_inner();
    let event = events.next().await.unwrap().unwrap();
    assert_eq!((event.id.as_str(), &event.data), ("1", &*first));
    let second = upload("Wind").await;
    let event = events.next().await.unwrap().unwrap();
    assert_eq!(event.data, *second);

    let later = client
        .watch_recordings()
        .last_event_id(event.id)
        .send()
        .await
        .unwrap();
    let third = upload("Snow").await;
    let event = later.into_inner().next().await.unwrap().unwrap();
    assert_eq!(event.data, *third);
}
