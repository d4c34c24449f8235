//! The parent of a request's span, which a caller names by the headers `traceparent` and `tracestate` (W3C Trace Context).

use std::str::FromStr;

use http::{HeaderMap, HeaderName};
use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// The length of a `traceparent` of version 00: four fields of hexadecimal digits, and the hyphens between them.
const LENGTH: usize = 55;

/// The longest `tracestate` that is kept, in bytes: what the recommendation asks for (section 3.3.1.5). Longer ones would fill
/// the memory with what callers choose.
const MAX_STATE: usize = 512;

/// The span of the caller.
pub(super) struct Parent(Context);

impl Parent {
    /// The context whose span is that of the caller.
    pub(super) fn context(&self) -> &Context {
        &self.0
    }

    /// The span of the caller.
    pub(super) fn span_context(&self) -> SpanContext {
        self.0.span().span_context().clone()
    }
}

/// Reads the span of the caller; `None` if the request names none, or not as the recommendation says. The caller then gets
/// no error.
pub(super) fn find_parent(headers: &HeaderMap) -> Option<Parent> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    let (traceparent, None) = (values.next()?, values.next()) else {
        return None;
    };
    let (trace_id, span_id, flags) = parse_traceparent(traceparent.as_bytes())?;
    let state = parse_state(headers);
    let span = SpanContext::new(trace_id, span_id, flags, true, state);
    Some(Parent(Context::new().with_remote_span_context(span)))
}

/// Parses a `traceparent` of version 00, or the beginning of a later one (section 3.2).
fn parse_traceparent(value: &[u8]) -> Option<(TraceId, SpanId, TraceFlags)> {
    let (fields, rest) = value.split_at_checked(LENGTH)?;
    let [version @ .., b'-'] = &fields[..3] else {
        return None;
    };
    let is_known = match version {
        b"00" => rest.is_empty(),
        b"ff" => false,
        version => is_hex(version) && (rest.is_empty() || rest.starts_with(b"-")),
    };
    let ([trace_id @ .., b'-'], [span_id @ .., b'-'], flags) =
        (&fields[3..36], &fields[36..53], &fields[53..])
    else {
        return None;
    };
    if !is_known || ![trace_id, span_id, flags].into_iter().all(is_hex) {
        return None;
    }
    let text = |field| std::str::from_utf8(field).ok();
    let trace_id = TraceId::from_hex(text(trace_id)?).ok()?;
    let span_id = SpanId::from_hex(text(span_id)?).ok()?;
    let flags = u8::from_str_radix(text(flags)?, 16).ok()?;
    let is_valid = trace_id != TraceId::INVALID && span_id != SpanId::INVALID;
    // Flags other than the sampled one have no meaning yet.
    is_valid.then(|| {
        (
            trace_id,
            span_id,
            TraceFlags::new(flags) & TraceFlags::SAMPLED,
        )
    })
}

fn is_hex(field: &[u8]) -> bool {
    field
        .iter()
        .all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

/// The state of the trace. Several headers are one list; a list that cannot be parsed counts as empty.
fn parse_state(headers: &HeaderMap) -> TraceState {
    let values = headers.get_all(TRACESTATE).iter();
    let values: Result<Vec<_>, _> = values.map(|it| it.to_str()).collect();
    let list = values.unwrap_or_default().join(",");
    if list.len() <= MAX_STATE {
        TraceState::from_str(&list).unwrap_or_default()
    } else {
        TraceState::default()
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const VALID: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn find(lines: &[(&'static str, &str)]) -> Option<SpanContext> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let value = HeaderValue::from_str(value).expect("a value");
            headers.append(HeaderName::from_static(name), value);
        }
        find_parent(&headers).map(|parent| parent.span_context())
    }

    #[test]
    fn valid_parents_of_this_and_later_versions_are_read() {
        let ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
        for (value, is_sampled) in [
            (VALID.to_owned(), true),
            (format!("00-{ids}-00"), false),
            (format!("00-{ids}-03"), true),
            (format!("00-{ids}-fe"), false),
            (format!("cc-{ids}-01"), true),
            (format!("cc-{ids}-01-what-the-future-holds"), true),
        ] {
            let parent = find(&[("traceparent", &value)]).expect(&value);
            assert_eq!(
                parent.trace_id().to_string(),
                "0af7651916cd43dd8448eb211c80319c"
            );
            assert_eq!(parent.span_id().to_string(), "b7ad6b7169203331");
            assert_eq!(parent.is_sampled(), is_sampled, "{value}");
            assert!(parent.is_remote());
        }
    }

    #[test]
    fn invalid_parents_are_ignored() {
        for value in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333z-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(find(&[("traceparent", value)]), None, "{value}");
        }
        assert_eq!(find(&[]), None);
        assert_eq!(find(&[("tracestate", "a=1")]), None, "without a parent");
        let twice = [("traceparent", VALID), ("traceparent", VALID)];
        assert_eq!(find(&twice), None, "two parents");
    }

    #[test]
    fn state_is_kept_unless_it_is_invalid_or_too_long() {
        let long = format!("a={}", "x".repeat(MAX_STATE));
        for (states, expected) in [
            (&["a=1,b=2"][..], "a=1,b=2"),
            (&["a=1", "b=2"], "a=1,b=2"),
            (&[""], ""),
            (&["no list"], ""),
            (&[&long], ""),
        ] {
            let mut lines = vec![("traceparent", VALID)];
            lines.extend(states.iter().map(|state| ("tracestate", *state)));
            let parent = find(&lines).expect("a parent");
            assert_eq!(parent.trace_state().header(), expected, "{states:?}");
        }
    }
}
