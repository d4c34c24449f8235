//! Exports spans in the background, and says in the log when the collector is away and when it is back.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter as OtlpExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};
use reqwest::redirect::Policy;
use slog::Logger;

use super::endpoint::OtlpEndpoint;
use super::queue::SpanQueue;
use crate::logging::Causes;
use crate::metrics::{Metrics, SpanOutcome};

/// How long the collector may take to answer a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why the last request to the collector had no response. The exporter itself says only that there was none.
type Failure = Arc<Mutex<Option<String>>>;

/// Exports spans to a collector, and counts them.
pub(super) struct Exporter {
    exporter: OtlpExporter,
    failure: Failure,
    metrics: Metrics,
    log: Logger,
    /// How many spans were lost since the collector went away; `None` while it takes them.
    lost: Option<u64>,
}

/// Sends the requests of the exporter.
struct Client {
    client: reqwest::Client,
    failure: Failure,
}

/// Creates the exporter for a collector, and the place where it says why a request failed.
///
/// # Errors
///
/// If the authorities of the system cannot be read, or a variable of the environment is invalid.
pub(super) fn create_exporter(
    endpoint: &OtlpEndpoint,
    resource: &Resource,
) -> Result<(OtlpExporter, Failure)> {
    let client = reqwest::Client::builder()
        .timeout(TIMEOUT)
        // Another address would get the headers of this one, which may be secret.
        .redirect(Policy::none());
    let client = if endpoint.is_encrypted() {
        client
    } else {
        // The system may have no authorities, and needs none.
        client.tls_certs_only([])
    };
    let client = client.build().context("cannot prepare HTTPS")?;
    let failure = Failure::default();
    let client = Client {
        client,
        failure: Arc::clone(&failure),
    };
    let mut exporter = OtlpExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_endpoint(endpoint.traces_url())
        .build()?;
    opentelemetry_sdk::trace::SpanExporter::set_resource(&mut exporter, resource);
    Ok((exporter, failure))
}

impl Exporter {
    pub(super) fn new(
        exporter: OtlpExporter,
        failure: Failure,
        metrics: Metrics,
        log: Logger,
    ) -> Exporter {
        Exporter {
            exporter,
            failure,
            metrics,
            log,
            lost: None,
        }
    }

    /// Exports the spans of a queue until it is closed and empty.
    pub(super) async fn run(mut self, queue: Arc<SpanQueue>, delay: Duration) {
        loop {
            let is_closing = queue.wait(delay).await;
            loop {
                let batch = queue.take_batch();
                if batch.is_empty() {
                    break;
                }
                self.export(batch).await;
            }
            if is_closing {
                return;
            }
        }
    }

    async fn export(&mut self, batch: Vec<SpanData>) {
        let count = batch.len() as u64;
        match (self.exporter.export(batch).await, self.lost) {
            (Ok(()), None) => self.metrics.count_spans(SpanOutcome::Exported, count),
            (Ok(()), Some(lost)) => {
                self.metrics.count_spans(SpanOutcome::Exported, count);
                self.lost = None;
                slog::warn!(self.log, "the spans of requests are exported again"; "lost_spans" => lost);
            }
            (Err(error), lost) => {
                self.metrics.count_spans(SpanOutcome::Failed, count);
                if lost.is_none() {
                    let failure = self.failure.lock().ok().and_then(|mut it| it.take());
                    let error = failure.unwrap_or_else(|| error.to_string());
                    slog::warn!(self.log, "the spans of requests cannot be exported; requests do not wait for it";
                        "error" => error);
                }
                self.lost = Some(lost.unwrap_or(0) + count);
            }
        }
    }
}

impl Client {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, reqwest::Error> {
        let mut response = self.client.execute(request.try_into()?).await?;
        let mut reply = Response::new(Bytes::new());
        *reply.status_mut() = response.status();
        *reply.headers_mut() = std::mem::take(response.headers_mut());
        *reply.body_mut() = response.bytes().await?;
        Ok(reply)
    }
}

impl HttpClient for Client {
    fn send_bytes<'c, 'f>(
        &'c self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        'c: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let sent = self.send(request).await;
            if let Ok(mut failure) = self.failure.lock() {
                *failure = sent.as_ref().err().map(|it| Causes(it).to_string());
            }
            sent.map_err(|error| Box::new(error) as Box<dyn Error + Send + Sync>)
        })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
