//! How a ledger that several servers share divides what is left of a window, and how long a claim waits for leases that others
//! are to give back. `adjust.lua` of Redis divides in the same way.
//!
//! What it is for: exactness. Several servers can use all of a limit, and no more (the tests of several servers).

use std::time::Duration;

use super::ledger::{Adjusted, Adjustment};

/// How long a claim waits, each time, for others to give back what they hold. A server that does not do it in all of this
/// time is not asked again; what it holds counts as used.
const WAITS: [Duration; 7] = [
    Duration::from_millis(1),
    Duration::from_millis(2),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
];

/// The usual wait after these.
pub const LAST_WAIT: Duration = Duration::from_millis(200);

/// Whether servers that did not give back their leases are asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holders {
    /// They are asked.
    Asked,
    /// What they hold counts as used.
    Forgotten,
}

/// What other servers hold of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldByOthers {
    /// Requests that they may not have used yet.
    pub held: u64,
    /// The number of those servers.
    pub servers: u64,
}

/// Computes how many requests are granted of the `rest` of a window; `None` if others should give back theirs first. With others
/// that hold leases the rest is shared: half of it is for later.
pub fn grant(adjustment: &Adjustment, rest: u64, others: HeldByOthers) -> Option<u64> {
    if rest < adjustment.least && others.held > 0 {
        return None;
    }
    let wanted = u64::try_from(adjustment.amount).unwrap_or(0);
    let share = match others.servers {
        0 => rest,
        servers => rest / (2 * (servers + 1)),
    };
    Some(rest.min(adjustment.least.max(wanted.min(share))))
}

/// Adjustments of which some need requests that other servers hold.
#[derive(Debug)]
pub struct Attempts {
    adjustments: Vec<Adjustment>,
    results: Vec<Adjusted>,
    waits: std::vec::IntoIter<(Duration, Holders)>,
    /// The places of the adjustments that were made last.
    places: Vec<usize>,
}

impl Attempts {
    /// Begins with the results of the first attempt. `last_wait` is how long the last one waits.
    pub fn new(
        adjustments: Vec<Adjustment>,
        results: Vec<Adjusted>,
        last_wait: Duration,
    ) -> Attempts {
        let waits = WAITS.map(|wait| (wait, Holders::Asked));
        let last = [(last_wait, Holders::Forgotten)];
        let waits: Vec<_> = waits.into_iter().chain(last).collect();
        Attempts {
            adjustments,
            results,
            waits: waits.into_iter(),
            places: Vec::new(),
        }
    }

    /// Waits for others to give back what is needed, and returns the adjustments to be made again; `None` if there are none.
    pub async fn next(&mut self) -> Option<(Vec<Adjustment>, Holders)> {
        let pairs = self.adjustments.iter().zip(&self.results).enumerate();
        let waiting = pairs.filter(|(_, (it, result))| needs_more(it, result));
        self.places = waiting.map(|(place, _)| place).collect();
        if self.places.is_empty() {
            return None;
        }
        let (wait, holders) = self.waits.next()?;
        tokio::time::sleep(wait).await;
        let again = self.places.iter().map(|place| self.adjustments[*place]);
        Some((again.collect(), holders))
    }

    /// Takes the results of the adjustments that [`Attempts::next`] returned.
    pub fn apply(&mut self, results: Vec<Adjusted>) {
        for (place, result) in self.places.iter().zip(results) {
            self.results[*place] = result;
        }
    }

    /// The last results of all adjustments.
    pub fn into_results(self) -> Vec<Adjusted> {
        self.results
    }
}

/// Whether an adjustment needs more than was left, while others hold leases.
fn needs_more(adjustment: &Adjustment, result: &Adjusted) -> bool {
    result.granted < adjustment.least && result.held > 0
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Claim;
    use super::super::window::Window;
    use super::*;

    fn adjustment(amount: i64, least: u64) -> Adjustment {
        Adjustment {
            key_id: 1,
            window: Window::Minute,
            start: 0,
            amount,
            least,
            leased: 0,
            used: 0,
            limit: 60,
            last_seen: None,
        }
    }

    #[test]
    fn rest_is_shared_with_servers_that_hold_leases() {
        // (amount, least), (rest, held by others, other servers), granted.
        for ((amount, least), (rest, held, servers), expected, reason) in [
            ((6, 1), (60, 0, 0), Some(6), "all of it"),
            ((6, 1), (4, 0, 0), Some(4), "what is left"),
            ((6, 1), (0, 0, 0), Some(0), "nothing is left"),
            ((6, 1), (20, 5, 1), Some(5), "a quarter of the rest"),
            ((6, 1), (3, 5, 1), Some(1), "what is needed"),
            ((6, 2), (1, 5, 1), None, "others have to give back"),
            ((6, 0), (0, 5, 1), Some(0), "nothing is needed now"),
        ] {
            let others = HeldByOthers { held, servers };
            let granted = grant(&adjustment(amount, least), rest, others);
            assert_eq!(granted, expected, "{reason}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn adjustments_that_need_more_are_repeated_until_holders_are_forgotten() {
        let result = |granted, held| Adjusted {
            held,
            ..Adjusted::unshared(
                Claim {
                    start: 0,
                    claimed: 60,
                },
                granted,
            )
        };
        let adjustments = vec![adjustment(1, 1), adjustment(2, 2)];
        let first = vec![result(1, 3), result(0, 3)];
        let mut attempts = Attempts::new(adjustments, first, LAST_WAIT);
        let mut holders_of_attempts = Vec::new();
        while let Some((again, holders)) = attempts.next().await {
            assert_eq!(again, [adjustment(2, 2)], "the other one has what it needs");
            holders_of_attempts.push(holders);
            attempts.apply(vec![result(0, 3)]);
        }
        assert_eq!(holders_of_attempts.len(), 8);
        assert_eq!(holders_of_attempts.pop(), Some(Holders::Forgotten));
        assert!(holders_of_attempts.iter().all(|it| *it == Holders::Asked));
        assert_eq!(attempts.into_results(), [result(1, 3), result(0, 3)]);
    }
}
