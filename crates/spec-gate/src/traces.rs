//! Traces: each request that the gate serves is a span of OpenTelemetry, which a task in the background exports by OTLP over
//! HTTP.
//!
//! A span has the attributes of the conventions for HTTP servers (OpenTelemetry semantic conventions 1.43, "HTTP spans"). It
//! never has a key or a query, and the path and the address of the client only if the log has them, too.

mod endpoint;
mod exporter;
mod parent;
mod queue;
mod span;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use opentelemetry::trace::{SpanContext, SpanKind, TraceFlags};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    IdGenerator, RandomIdGenerator, Sampler, SamplingDecision, ShouldSample,
};
use slog::Logger;
use tokio::task::JoinHandle;

use self::exporter::{Exporter, create_exporter};
use self::parent::find_parent;
use self::queue::SpanQueue;
pub(crate) use self::span::{RequestSpan, SpanStart};
use crate::metrics::Metrics;
use crate::server_name::ServerName;

pub use self::endpoint::{OtlpEndpoint, OtlpEndpointError};

/// How long a span waits for others, so that many are exported at once, usually.
pub const EXPORT_DELAY: Duration = Duration::from_secs(5);

/// How long the last spans may take to be exported at the stop.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Where the spans of requests go, and how many of them.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// The collector.
    pub endpoint: OtlpEndpoint,
    /// The share of the traces that begin at this server which are exported, from 0 to 1. Of a trace that began elsewhere its
    /// beginning has decided.
    pub sample_ratio: f64,
    /// How long a span waits for others; usually [`EXPORT_DELAY`].
    pub export_delay: Duration,
}

/// Who sends the spans: the attributes that all of them share.
pub struct Origin<'a> {
    /// The name of the service.
    pub service: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The name of the server.
    pub server: &'a ServerName,
    /// `http` or `https`.
    pub scheme: &'static str,
}

/// Makes the spans of one server, and exports them.
#[derive(Debug)]
pub struct Traces {
    sampler: Sampler,
    ids: RandomIdGenerator,
    scope: InstrumentationScope,
    scheme: &'static str,
    queue: Arc<SpanQueue>,
    export: std::sync::Mutex<Option<JoinHandle<()>>>,
    log: Logger,
}

impl Traces {
    /// Starts the task that exports spans, in the current runtime.
    ///
    /// # Errors
    ///
    /// If a variable of the environment that OpenTelemetry defines, such as `OTEL_EXPORTER_OTLP_TIMEOUT`, cannot be used.
    pub fn start(
        settings: &TraceSettings,
        origin: &Origin<'_>,
        metrics: &Metrics,
        log: Logger,
    ) -> Result<Traces> {
        // The builder adds `OTEL_RESOURCE_ATTRIBUTES`.
        let resource = Resource::builder()
            .with_service_name(origin.service)
            .with_attribute(KeyValue::new("service.version", origin.version))
            .with_attribute(KeyValue::new(
                "service.instance.id",
                origin.server.to_string(),
            ))
            .build();
        let (exporter, failure) = create_exporter(&settings.endpoint, &resource)
            .context("cannot prepare the export of traces")?;
        let queue = Arc::new(SpanQueue::new(metrics.clone()));
        let exporter = Exporter::new(exporter, failure, metrics.clone(), log.clone());
        let export = exporter.run(Arc::clone(&queue), settings.export_delay);
        Ok(Traces {
            sampler: Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(
                settings.sample_ratio,
            ))),
            ids: RandomIdGenerator::default(),
            scope: InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
                .with_version(env!("CARGO_PKG_VERSION"))
                .build(),
            scheme: origin.scheme,
            queue,
            export: std::sync::Mutex::new(Some(tokio::spawn(export))),
            log,
        })
    }

    /// Begins the span of a request. Its parent is the one that the request names.
    pub(crate) fn begin(&self, start: SpanStart<'_>) -> Box<RequestSpan> {
        let parent = find_parent(start.headers);
        let trace_id = match &parent {
            Some(parent) => parent.span_context().trace_id(),
            None => self.ids.new_trace_id(),
        };
        let sampled = self.sampler.should_sample(
            parent.as_ref().map(parent::Parent::context),
            trace_id,
            "",
            &SpanKind::Server,
            &[],
            &[],
        );
        let is_sampled = sampled.decision == SamplingDecision::RecordAndSample;
        let flags = TraceFlags::default().with_sampled(is_sampled);
        let id = self.ids.new_span_id();
        let context = SpanContext::new(trace_id, id, flags, false, sampled.trace_state);
        let parent = parent.map(|parent| parent.span_context().span_id());
        let scope = is_sampled.then(|| self.scope.clone());
        let queue = Arc::clone(&self.queue);
        Box::new(RequestSpan::new(
            start,
            self.scheme,
            context,
            parent,
            scope,
            queue,
        ))
    }

    /// Exports the spans that are waiting, within two seconds, and ends the task.
    pub(crate) async fn close(&self) {
        let export = self.export.lock().ok().and_then(|mut it| it.take());
        let Some(mut export) = export else {
            return;
        };
        self.queue.close();
        if tokio::time::timeout(FLUSH_TIMEOUT, &mut export)
            .await
            .is_err()
        {
            export.abort();
            slog::warn!(self.log, "the last spans of requests are lost: the collector did not take them in time";
                "seconds" => FLUSH_TIMEOUT.as_secs());
        }
    }
}
