//! The parent of a request's span, which a caller names by the headers `traceparent` and `tracestate` (W3C Trace Context).

use http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// The longest header that is read, in bytes: what the recommendation asks for (section 3.3.1.5). Longer ones would fill the
/// memory with what callers choose.
const MAX_HEADER: usize = 512;

/// The headers of a request, of which only those are seen that are sent once.
struct OwnHeaders<'a>(&'a HeaderMap);

impl Extractor for OwnHeaders<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let mut values = self.0.get_all(key).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        value.to_str().ok().filter(|it| it.len() <= MAX_HEADER)
    }

    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// The context with the span of the caller; an empty one if the request names none, or not as the recommendation says. The
/// caller then gets no error.
pub(super) fn find_parent(headers: &HeaderMap) -> Context {
    TraceContextPropagator::new().extract_with_context(&Context::new(), &OwnHeaders(headers))
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use opentelemetry::trace::TraceContextExt;

    use super::*;

    #[test]
    fn parent_is_read_from_headers_that_are_sent_once_and_not_too_long() {
        const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let long = format!("a={}", "x".repeat(MAX_HEADER));
        for (lines, expected) in [
            (&[("traceparent", PARENT)][..], Some("")),
            (
                &[("traceparent", PARENT), ("tracestate", "a=1,b=2")],
                Some("a=1,b=2"),
            ),
            (&[("traceparent", PARENT), ("tracestate", &long)], Some("")),
            (&[("traceparent", PARENT), ("traceparent", PARENT)], None),
            (&[("traceparent", "00-not-a-parent-01")], None),
            (&[("tracestate", "a=1")], None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                let value = HeaderValue::from_str(value).unwrap();
                headers.append(HeaderName::from_static(name), value);
            }
            let context = find_parent(&headers);
            let span = context.span();
            let state = span.span_context().trace_state().header();
            let found = span.span_context().is_valid().then_some(state.as_str());
            assert_eq!(found, expected, "{lines:?}");
        }
    }
}
