//! Sends the request of a call, and that of a stream again which broke.

use reqwest::{Request, Response};
use tracing::Instrument;

use crate::error::{Error, redact};
use crate::item_stream::{Break, Resume};
use crate::operation::Operation;
use crate::outgoing::Outgoing;
use crate::sending::insert_trace_context;
use crate::transport::Transport;

/// Sends a request, with retries. `broken`: it is that of a stream which broke.
pub(crate) async fn execute_once<C: Transport>(
    client: &C,
    operation: &'static Operation,
    mut request: Request,
    broken: Option<Break>,
) -> Result<Response, Error> {
    insert_trace_context(request.headers_mut());
    let mut outgoing = Outgoing::begin(operation, false, &request);
    outgoing.broken = broken;
    let sent = client.execute(request, &outgoing);
    let result = sent.instrument(outgoing.span.clone()).await.map_err(redact);
    outgoing.end(&result);
    result
}

/// The function that sends the request of a stream again.
pub(crate) fn resume_by<C: Transport>(
    client: C,
    operation: &'static Operation,
    request: Request,
) -> Resume {
    Box::new(move |broken| {
        let (client, request) = (client.clone(), request.try_clone());
        Box::pin(async move {
            // What was copied once is copied again.
            let mut request = request.ok_or(Error::Custom(broken.reason.clone()))?;
            broken.name_last_event(&mut request);
            execute_once(&client, operation, request, Some(broken)).await
        })
    })
}
