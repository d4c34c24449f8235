//! A number that a server knows of itself, for `/metrics` and for the page of the operator.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// A number with its name and its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stat {
    pub(super) name: &'static str,
    help: &'static str,
    pub(super) value: Value,
}

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// It only grows. The name in `/metrics` has the suffix `_total`.
    Counter(u64),
    /// Seconds that only grow.
    Elapsed(f64),
    /// It rises and falls.
    Gauge(i64),
    /// A time, in seconds since 1970.
    Time(f64),
}

/// Reads numbers each time that `/metrics` is requested.
pub(super) struct StatsCollector<F>(pub(super) F);

impl<F> fmt::Debug for StatsCollector<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsCollector")
    }
}

impl<F: Fn() -> Vec<Stat> + Send + Sync + 'static> Collector for StatsCollector<F> {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        for Stat { name, help, value } in (self.0)() {
            let encoder = &mut encoder;
            match value {
                Value::Counter(it) => encode(encoder, name, help, &ConstCounter::new(it))?,
                Value::Elapsed(it) => encode(encoder, name, help, &ConstCounter::new(it))?,
                Value::Gauge(it) => encode(encoder, name, help, &ConstGauge::new(it))?,
                Value::Time(it) => encode(encoder, name, help, &ConstGauge::new(it))?,
            }
        }
        Ok(())
    }
}

impl Value {
    /// The value for the page of the operator.
    pub(super) fn to_json(self) -> serde_json::Value {
        match self {
            Value::Counter(it) => it.into(),
            Value::Gauge(it) => it.into(),
            Value::Elapsed(it) | Value::Time(it) => it.into(),
        }
    }
}

fn encode(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}

/// A number that only grows.
pub(super) fn counter(name: &'static str, help: &'static str, value: u64) -> Stat {
    let value = Value::Counter(value);
    Stat { name, help, value }
}

/// A number that rises and falls.
pub(super) fn gauge(name: &'static str, help: &'static str, value: impl TryInto<i64>) -> Stat {
    let value = Value::Gauge(value.try_into().unwrap_or(i64::MAX));
    Stat { name, help, value }
}

/// Seconds that only grow.
pub(super) fn elapsed(name: &'static str, help: &'static str, seconds: f64) -> Stat {
    let value = Value::Elapsed(seconds);
    Stat { name, help, value }
}

/// A time, in seconds since 1970.
pub(super) fn time(name: &'static str, help: &'static str, seconds: f64) -> Stat {
    let value = Value::Time(seconds);
    Stat { name, help, value }
}
