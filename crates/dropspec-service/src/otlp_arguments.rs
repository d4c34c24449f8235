//! The flags of `serve` about traces: the collector, and how much it gets.

use dropspec_gate::traces::{EXPORT_DELAY, OtlpEndpoint, TraceSettings};

#[derive(Debug, clap::Args)]
pub(super) struct OtlpArguments {
    /// URL of an OpenTelemetry collector that takes the traces of requests (OTLP over HTTP), such as http://127.0.0.1:4318;
    /// by default requests are not traced
    #[arg(long, hide_env_values = true, value_name = "URL")]
    otlp_endpoint: Option<OtlpEndpoint>,

    /// Share of the traces that begin at this server which the collector gets, from 0 to 1. A caller that sends `traceparent`
    /// has decided for its own
    #[arg(
        long,
        value_name = "RATIO",
        default_value = "1",
        value_parser = parse_ratio
    )]
    otlp_sample_ratio: f64,
}

impl OtlpArguments {
    /// The settings that they make; `None` if requests are not traced.
    pub(super) fn settings(self) -> Option<TraceSettings> {
        self.otlp_endpoint.map(|endpoint| TraceSettings {
            endpoint,
            sample_ratio: self.otlp_sample_ratio,
            export_delay: EXPORT_DELAY,
        })
    }
}

fn parse_ratio(text: &str) -> Result<f64, &'static str> {
    let ratio = text.parse().ok();
    ratio
        .filter(|ratio| (0.0..=1.0).contains(ratio))
        .ok_or("write a number from 0 to 1, such as 0.1 for a tenth")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_a_number_from_0_to_1() {
        for (text, expected) in [
            ("0", Some(0.0)),
            ("0.25", Some(0.25)),
            ("1", Some(1.0)),
            ("1.1", None),
            ("-0.1", None),
            ("10%", None),
            ("NaN", None),
            ("", None),
        ] {
            assert_eq!(parse_ratio(text).ok(), expected, "{text}");
        }
    }
}
