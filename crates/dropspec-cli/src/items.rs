//! Prints the items of a stream as they come.

use std::sync::{Arc, Mutex};

use dropspec_client::{Error, ItemStream, Resume};
use futures::StreamExt;
use serde_json::Value;

use crate::console::{self, Failure};
use crate::format::{Format, format_next};
use crate::request::Request;
use crate::send::{Response, Session};

/// Sends a request, and prints the items of its response until standard output is closed. A response that is no stream of items is
/// read and returned. `is_item`: whether the document declares such an item.
pub(crate) async fn print_items(
    session: &Session,
    request: &Request,
    format: Format,
    is_item: impl Fn(&Value) -> bool,
) -> Result<Option<Response>, Failure> {
    let response = session.open(request, true, None).await?;
    let (status, headers) = (response.status(), response.headers().clone());
    if !ItemStream::<Value>::is_stream(&headers) {
        let bytes = response.bytes().await;
        let bytes = bytes.map_err(|error| Failure::NoResponse(error.to_string()))?;
        let bytes = bytes.to_vec();
        return Ok(Some(Response {
            status,
            headers,
            bytes,
        }));
    }
    let refused = Arc::new(Mutex::new(None));
    let resume = resume_by(session.clone(), request.clone(), Arc::clone(&refused));
    let mut items = ItemStream::<Value>::of_response(response, Some(resume));
    // A table would need the widths of what comes later.
    let format = match format {
        Format::Table => Format::Jsonl,
        other => other,
    };
    let mut head = String::new();
    while let Some(item) = items.next().await {
        let item = item.map_err(|error| {
            let failure = refused.lock().ok().and_then(|mut failure| failure.take());
            failure.unwrap_or_else(|| Failure::NoResponse(error.to_string()))
        })?;
        // By it some services say that no more items follow.
        if item["data"] == "[DONE]" && !is_item(&item) {
            break;
        }
        let text = format_next(&item, format, &mut head);
        if !console::print_if_read(text.as_bytes())? {
            break;
        }
    }
    Ok(None)
}

/// The function that requests a stream of events again. It keeps why it failed, which decides the exit code.
fn resume_by(session: Session, request: Request, refused: Arc<Mutex<Option<Failure>>>) -> Resume {
    Box::new(move |broken| {
        let (session, request, refused) = (session.clone(), request.clone(), Arc::clone(&refused));
        Box::pin(async move {
            let response = session.open(&request, true, Some(broken)).await;
            response.map_err(|failure| {
                let error = Error::GaveUp(failure.to_string());
                if let Ok(mut refused) = refused.lock() {
                    *refused = Some(failure);
                }
                error
            })
        })
    })
}
