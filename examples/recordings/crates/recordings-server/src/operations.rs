//! The operations: an upload in parts, a download, and a stream of events.

use std::sync::Arc;

use dropshot::{
    Body, ErrorStatusCode, Header, HttpError, HttpResponseCreated, Path, RequestContext,
};
use dropspec_runtime::{ItemStream, Multipart, OperationError};
use recordings_api::api::RecordingsApi;
use recordings_api::bodies::UploadRecordingPart;
use recordings_api::parameters::{IdPath, WatchRecordingsRequestHeaders};
use recordings_api::responses::{DownloadRecordingResponse, WatchRecordingsResponse};
use recordings_api::types::{Error, Recording, WatchRecordingsItem};

use crate::store;

/// The same number as `x-max-body-bytes` of the document, which counts all parts together.
const MOST_BYTES: usize = 100_000;

impl RecordingsApi for crate::App {
    type Context = Arc<dropspec_gate::Gate<crate::App>>;

    async fn upload_recording(
        rqctx: RequestContext<Self::Context>,
        mut body: Multipart<UploadRecordingPart>,
    ) -> Result<HttpResponseCreated<Recording>, OperationError<Error>> {
        let (mut title, mut audio) = (String::new(), Vec::new());
        // After the last part it is checked that none is missing.
        while let Some(part) = body.next().await.map_err(HttpError::from)? {
            match part {
                UploadRecordingPart::Title(text) => title = text,
                UploadRecordingPart::Audio(file) => {
                    let bytes = file.collect(MOST_BYTES).await;
                    audio = bytes.map_err(HttpError::from)?.to_vec();
                }
            }
        }
        let recording = store::add(rqctx.context().service(), title, audio).await?;
        Ok(HttpResponseCreated(recording))
    }

    async fn download_recording(
        rqctx: RequestContext<Self::Context>,
        path: Path<IdPath>,
    ) -> Result<DownloadRecordingResponse, OperationError<Error>> {
        let IdPath { id } = path.into_inner();
        match store::audio(rqctx.context().service(), id)? {
            Some(audio) => Ok(DownloadRecordingResponse::Ok(Body::from(audio))),
            None => {
                let error = Error::new("unknown_recording", format!("there is no recording {id}"));
                Err(OperationError::new(ErrorStatusCode::NOT_FOUND, error))
            }
        }
    }

    async fn watch_recordings(
        rqctx: RequestContext<Self::Context>,
        headers: Header<WatchRecordingsRequestHeaders>,
    ) -> Result<WatchRecordingsResponse, OperationError<Error>> {
        let last = headers.into_inner().last_event_id;
        let last = last.and_then(|id| id.parse().ok()).unwrap_or(0);
        let gate = Arc::clone(rqctx.context());
        let changes = gate.service().last.subscribe();
        let state = (gate, changes, last);
        let events = futures::stream::try_unfold(state, |(gate, mut changes, last)| async move {
            loop {
                if let Some(recording) = store::next(gate.service(), last)? {
                    let id = recording.id;
                    let event = WatchRecordingsItem::new(id.to_string(), recording);
                    return Ok::<_, HttpError>(Some((event, (gate, changes, id))));
                }
                if changes.changed().await.is_err() {
                    return Ok(None);
                }
            }
        });
        Ok(WatchRecordingsResponse::Ok(ItemStream::new(events)))
    }
}
