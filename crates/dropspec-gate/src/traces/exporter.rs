//! Exports batches of spans, and says in the log when the collector is away and when it is back.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter as OtlpExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use parking_lot::Mutex;
use reqwest::redirect::Policy;
use slog::Logger;
use tokio::runtime::Handle;

use super::endpoint::OtlpEndpoint;
use crate::logging::Causes;
use crate::metrics::{Metrics, SpanOutcome};

/// How long the collector may take to answer a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why the last request to the collector had no response. The exporter itself says only that there was none.
type Failure = Arc<Mutex<Option<String>>>;

/// Exports spans to a collector, and counts them.
#[derive(Debug)]
pub(super) struct CountingExporter {
    exporter: OtlpExporter,
    failure: Failure,
    /// The number of spans that wait.
    waiting: Arc<AtomicUsize>,
    metrics: Metrics,
    log: Logger,
    /// How many spans were lost since the collector went away; `None` while it takes them.
    lost: Mutex<Option<u64>>,
}

/// Sends the requests of the exporter. Its thread has no runtime, so they are sent on that of the server.
struct Client {
    client: reqwest::Client,
    runtime: Handle,
    failure: Failure,
}

/// Creates the exporter for a collector. `waiting` falls by the spans that it takes.
pub(super) fn create_exporter(
    endpoint: &OtlpEndpoint,
    waiting: Arc<AtomicUsize>,
    metrics: Metrics,
    log: Logger,
) -> Result<CountingExporter> {
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
        runtime: Handle::current(),
        failure: Arc::clone(&failure),
    };
    let exporter = OtlpExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_endpoint(endpoint.traces_url())
        .build()?;
    Ok(CountingExporter {
        exporter,
        failure,
        waiting,
        metrics,
        log,
        lost: Mutex::default(),
    })
}

impl SpanExporter for CountingExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        self.waiting.fetch_sub(count, Ordering::Relaxed);
        let count = count as u64;
        let exported = self.exporter.export(batch).await;
        let mut lost = self.lost.lock();
        match &exported {
            Ok(()) => {
                self.metrics.count_spans(SpanOutcome::Exported, count);
                if let Some(lost) = lost.take() {
                    slog::warn!(self.log, "the spans of requests are exported again"; "lost_spans" => lost);
                }
            }
            Err(error) => {
                self.metrics.count_spans(SpanOutcome::Failed, count);
                if lost.is_none() {
                    let failure = self.failure.lock().take();
                    let error = failure.unwrap_or_else(|| error.to_string());
                    slog::warn!(self.log, "the spans of requests cannot be exported; requests do not wait for it";
                        "error" => error);
                }
                *lost = Some(lost.unwrap_or(0) + count);
            }
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

async fn send(
    client: reqwest::Client,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, reqwest::Error> {
    let mut response = client.execute(request.try_into()?).await?;
    let mut reply = Response::new(Bytes::new());
    *reply.status_mut() = response.status();
    *reply.headers_mut() = std::mem::take(response.headers_mut());
    *reply.body_mut() = response.bytes().await?;
    Ok(reply)
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
        let sending = self.runtime.spawn(send(self.client.clone(), request));
        Box::pin(async move {
            // It is cancelled when the runtime ends.
            let sent = sending.await?;
            *self.failure.lock() = sent.as_ref().err().map(|it| Causes(it).to_string());
            sent.map_err(|error| Box::new(error) as Box<dyn Error + Send + Sync>)
        })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}
