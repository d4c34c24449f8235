//! Watches how far the clock of the machine differs from that of the database, by which the times of all servers are.

use std::sync::{Arc, Weak};
use std::time::Duration;

use dropspec_gate::clock::STEP;
use dropspec_gate::keys::ApiKeys;
use dropspec_gate::{Gate, Service};
use tokio::time::MissedTickBehavior;

/// The time between two readings of the clock of the database.
const INTERVAL: Duration = Duration::from_secs(1);

/// Reads the clock of the database until the server has ended, and logs when that of the machine begins and ceases to differ
/// from it.
pub(crate) async fn watch<S: Service>(keys: Arc<ApiKeys>, gate: Weak<Gate<S>>) {
    let mut interval = tokio::time::interval(INTERVAL);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut differed = false;
    loop {
        interval.tick().await;
        // While the database is away, its clock is estimated.
        let _ = keys.read_clock().await;
        let Some(gate) = gate.upgrade() else { return };
        // So that a step is noticed, also while no request comes.
        gate.now();
        let lead = gate.clock_lead();
        let differs = lead.abs() > STEP;
        match (differed, differs) {
            (false, true) => {
                slog::warn!(gate.log(), "the clock of this machine differs from that of the database, which counts";
                    "seconds_ahead" => lead.num_seconds());
            }
            (true, false) => {
                slog::warn!(
                    gate.log(),
                    "the clock of this machine is that of the database again"
                );
            }
            _ => {}
        }
        differed = differs;
    }
}
