//! Reads what the store and the limiter count of themselves, at the moment that
//! somebody asks.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::service::Service;

/// The figures of a running server.
#[derive(Debug)]
pub(super) struct Figures(Arc<Service>);

impl Figures {
    pub(super) fn new(service: Arc<Service>) -> Figures {
        Figures(service)
    }
}

impl Collector for Figures {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let Service { limiter, store, .. } = &*self.0;
        let tally = limiter.tally();
        let writer = store.writer_stats();
        let pool = store.pool_stats();
        let counters = [
            ("bans", "Bans begun", tally.bans),
            (
                "lease_calls",
                "Times the store was asked to lease or take back requests of a window",
                tally.lease_calls,
            ),
            (
                "lease_failures",
                "Times the store could not lease or take back",
                tally.lease_failures,
            ),
            (
                "lease_waits",
                "Requests that had to wait for a lease",
                tally.lease_waits,
            ),
            (
                "writer_commits",
                "Transactions committed by the writer",
                writer.commits,
            ),
            (
                "writer_writes",
                "Writes that ran in those transactions, refused ones included",
                writer.writes,
            ),
            (
                "writer_undone",
                "Transactions lost as a whole, each with its writes answered by an error",
                writer.undone,
            ),
        ];
        let gauges = [
            (
                "limiter_keys",
                "Keys whose figures are held in memory",
                count(limiter.keys_in_memory()),
            ),
            (
                "limiter_addresses",
                "Addresses whose figures are held in memory",
                count(limiter.addresses_in_memory()),
            ),
            (
                "writer_queue",
                "Writes waiting for the writer",
                count(writer.queued),
            ),
            (
                "writer_last_batch",
                "Writes in the latest transaction",
                writer.last_batch.cast_signed(),
            ),
            (
                "pool_connections",
                "Connections for reading that are open",
                pool.connections.into(),
            ),
            (
                "pool_busy",
                "Connections for reading that are in use",
                pool.busy.into(),
            ),
        ];
        for (name, help, value) in counters {
            publish(&mut encoder, name, help, &ConstCounter::new(value))?;
        }
        for (name, help, value) in gauges {
            publish(&mut encoder, name, help, &ConstGauge::new(value))?;
        }
        Ok(())
    }
}

fn publish(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
