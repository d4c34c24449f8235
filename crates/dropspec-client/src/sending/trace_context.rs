//! Passes the span of the caller on, so that the service's span becomes its child (W3C Trace Context).

use opentelemetry::Context;
use opentelemetry::trace::{TraceContextExt, TraceFlags};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Adds the headers `traceparent` and `tracestate` for the current span of OpenTelemetry. Without one, and if the caller has set
/// `traceparent`, they stay as they are.
pub fn insert_trace_context(headers: &mut HeaderMap) {
    let context = Context::current();
    let span = context.span();
    let span = span.span_context();
    if !span.is_valid() || headers.contains_key(TRACEPARENT) {
        return;
    }
    let (trace, id) = (span.trace_id(), span.span_id());
    let flags = (span.trace_flags() & TraceFlags::SAMPLED).to_u8();
    let parent = HeaderValue::try_from(format!("00-{trace}-{id}-{flags:02x}"));
    headers.extend(parent.ok().map(|parent| (TRACEPARENT, parent)));
    let state = span.trace_state().header();
    let state = HeaderValue::try_from(state).ok();
    let state = state.filter(|state| !state.is_empty());
    headers.extend(state.map(|state| (TRACESTATE, state)));
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use opentelemetry::trace::{SpanContext, TraceState};

    use super::*;

    fn headers(is_sampled: bool, state: &str) -> HeaderMap {
        let span = SpanContext::new(
            0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128.into(),
            0xb7ad_6b71_6920_3331_u64.into(),
            TraceFlags::default().with_sampled(is_sampled),
            false,
            TraceState::from_str(state).expect("a state"),
        );
        let _current = Context::new().with_remote_span_context(span).attach();
        let mut headers = HeaderMap::new();
        insert_trace_context(&mut headers);
        headers
    }

    #[test]
    fn current_span_is_passed_on() {
        let ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
        let sampled = headers(true, "a=1,b=2");
        assert_eq!(sampled[TRACEPARENT], format!("00-{ids}-01"));
        assert_eq!(sampled[TRACESTATE], "a=1,b=2");
        let other = headers(false, "");
        assert_eq!(other[TRACEPARENT], format!("00-{ids}-00"));
        assert_eq!(other.get(TRACESTATE), None);
    }

    #[test]
    fn nothing_is_sent_without_a_span() {
        let mut headers = HeaderMap::new();
        insert_trace_context(&mut headers);
        assert!(headers.is_empty(), "{headers:?}");
    }
}
