//! The spans of one server, and their export.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use http::{HeaderMap, StatusCode};
use opentelemetry::context::ContextGuard;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{
    SpanBuilder, SpanKind, Status, TraceContextExt, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider, Span, SpanData,
    SpanProcessor,
};
use slog::Logger;

use super::attributes::{attributes, span_name};
use super::exporter::create_exporter;
use super::{Origin, SpanStart, TraceSettings};
use crate::metrics::{Metrics, SpanOutcome};

/// The largest number of spans that wait. Further ones are dropped, so that a collector that is away costs no memory.
const MAX_WAITING: usize = 2048;

/// The longest header of a parent that is read, in bytes: what the recommendation asks for (W3C Trace Context, section 3.3.1.5).
/// Longer ones would fill the memory with what callers choose.
const MAX_HEADER: usize = 512;

/// How long the last spans may take to be exported at the stop.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Makes the spans of one server, and exports them.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    scheme: &'static str,
    log: Logger,
}

/// The span of a request that is being served.
pub(crate) struct RequestSpan {
    /// The context whose span is this one.
    context: Context,
    start: SystemTime,
}

/// Passes spans on to the queue, and counts those for which there is no room: the queue itself drops them unseen.
#[derive(Debug)]
struct CountDropped {
    next: BatchSpanProcessor,
    /// The number of spans that wait.
    waiting: Arc<AtomicUsize>,
    metrics: Metrics,
}

impl Traces {
    /// Starts the thread that exports spans. Requests to the collector are sent on the current runtime.
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
        let waiting = Arc::new(AtomicUsize::new(0));
        let taken = Arc::clone(&waiting);
        let exporter = create_exporter(&settings.endpoint, taken, metrics.clone(), log.clone())
            .context("cannot prepare the export of traces")?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(MAX_WAITING)
            .with_scheduled_delay(settings.export_delay);
        let processor = CountDropped {
            next: BatchSpanProcessor::builder(exporter)
                .with_batch_config(batches.build())
                .build(),
            waiting,
            metrics: metrics.clone(),
        };
        let sampler = Sampler::TraceIdRatioBased(settings.sample_ratio);
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(sampler)))
            .with_resource(resource)
            .with_span_processor(processor)
            .build();
        Ok(Traces {
            tracer: provider.tracer(env!("CARGO_PKG_NAME")),
            provider,
            scheme: origin.scheme,
            log,
        })
    }

    /// Begins the span of a request. Its parent is the one that the request names.
    pub(crate) fn begin(&self, start: SpanStart<'_>) -> Box<RequestSpan> {
        let builder = SpanBuilder::default()
            .with_kind(SpanKind::Server)
            .with_start_time(start.time);
        let span = self
            .tracer
            .build_with_context(builder, &find_parent(start.headers));
        let (context, time) = (Context::new().with_span(span), start.time);
        let span = context.span();
        if span.is_recording() {
            span.update_name(span_name(start.method, start.route.as_deref()));
            span.set_attributes(attributes(start, self.scheme));
        }
        Box::new(RequestSpan {
            context,
            start: time,
        })
    }

    /// Exports the spans that are waiting, within two seconds, and ends the thread.
    pub(crate) async fn close(&self) {
        let provider = self.provider.clone();
        let closing = move || provider.shutdown_with_timeout(FLUSH_TIMEOUT);
        let closed = tokio::task::spawn_blocking(closing).await;
        if !matches!(closed, Ok(Ok(()))) {
            slog::warn!(self.log, "the last spans of requests are lost: the collector did not take them in time";
                "seconds" => FLUSH_TIMEOUT.as_secs());
        }
    }
}

impl RequestSpan {
    /// The id of the trace to which the span belongs.
    pub(crate) fn trace_id(&self) -> u128 {
        let id = self.context.span().span_context().trace_id();
        u128::from_be_bytes(id.to_bytes())
    }

    /// Makes this span the current one of the thread until the guard is dropped.
    pub(crate) fn attach(&self) -> ContextGuard {
        self.context.clone().attach()
    }

    /// Ends the span with the status of the response; `None` if the client disconnected before.
    pub(crate) fn end(self, status: Option<StatusCode>, latency: Duration) {
        let span = self.context.span();
        if !span.is_recording() {
            return;
        }
        match status {
            None => span.set_attribute(KeyValue::new("error.type", "client_disconnected")),
            Some(status) => {
                let code = i64::from(status.as_u16());
                span.set_attribute(KeyValue::new("http.response.status_code", code));
                if status.is_server_error() {
                    let kind = status.as_str().to_owned();
                    span.set_attribute(KeyValue::new("error.type", kind));
                    span.set_status(Status::error(""));
                }
            }
        }
        span.end_with_timestamp(self.start + latency);
    }
}

/// The context with the span of the caller; an empty one if the request names none, or not as the recommendation says. The
/// caller then gets no error.
fn find_parent(headers: &HeaderMap) -> Context {
    let fits = |name| headers.get(name).is_none_or(|it| it.len() <= MAX_HEADER);
    if fits("traceparent") && fits("tracestate") {
        let headers = HeaderExtractor(headers);
        TraceContextPropagator::new().extract_with_context(&Context::new(), &headers)
    } else {
        Context::new()
    }
}

impl SpanProcessor for CountDropped {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
            self.next.on_end(span);
        } else {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.metrics.count_spans(SpanOutcome::Dropped, 1);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.next.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.next.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.next.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn parent_is_read_from_headers_that_are_not_too_long() {
        let mut headers = HeaderMap::new();
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        headers.insert("traceparent", HeaderValue::from_static(parent));
        for (length, is_read) in [(MAX_HEADER, true), (MAX_HEADER + 1, false)] {
            let state = format!("a={}", "x".repeat(length - 2));
            headers.insert("tracestate", state.try_into().unwrap());
            let context = find_parent(&headers);
            assert_eq!(context.span().span_context().is_valid(), is_read);
        }
    }
}
