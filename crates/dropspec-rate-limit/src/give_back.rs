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

/// The usual length of the wait after these, the last.
pub const LAST_WAIT: Duration = Duration::from_millis(200);

/// What happens to the leases that other servers did not give back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherServers {
    /// They are asked.
    Ask,
    /// What they hold counts as used.
    Forget,
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

/// Makes adjustments by `adjust`. Those that need requests which other servers hold are made again, after a wait in which these may
/// give them back. `last_wait` is how long the last one waits.
///
/// # Errors
///
/// Those of `adjust`.
pub async fn adjust_after_waits<F, E>(
    adjustments: Vec<Adjustment>,
    last_wait: Duration,
    adjust: impl Fn(Vec<Adjustment>, OtherServers) -> F,
) -> Result<Vec<Adjusted>, E>
where
    F: Future<Output = Result<Vec<Adjusted>, E>>,
{
    let mut results = adjust(adjustments.clone(), OtherServers::Ask).await?;
    let waits = WAITS.map(|wait| (wait, OtherServers::Ask)).into_iter();
    for (wait, others) in waits.chain([(last_wait, OtherServers::Forget)]) {
        let pairs = adjustments.iter().zip(&results).enumerate();
        let waiting = pairs.filter(|(_, (it, result))| must_wait_for_holders(it, result));
        let places: Vec<usize> = waiting.map(|(place, _)| place).collect();
        if places.is_empty() {
            break;
        }
        tokio::time::sleep(wait).await;
        let again = places.iter().map(|place| adjustments[*place]).collect();
        for (place, result) in places.into_iter().zip(adjust(again, others).await?) {
            results[place] = result;
        }
    }
    Ok(results)
}

/// Whether an adjustment needs more than was left, while others hold leases.
fn must_wait_for_holders(adjustment: &Adjustment, result: &Adjusted) -> bool {
    result.granted < adjustment.least && result.held > 0
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::ledger::Claim;
    use super::super::window::Window;
    use super::*;

    fn adjustment(amount: i64, least: u64) -> Adjustment {
        Adjustment {
            amount,
            least,
            ..Adjustment::unchanged(1, Window::Minute, 0)
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
        let attempts = Mutex::new(Vec::new());
        let adjust = async |adjustments: Vec<Adjustment>, others| {
            let mut attempts = attempts.lock().unwrap();
            attempts.push((adjustments, others));
            let first = [result(1, 3), result(0, 3)];
            Ok::<_, ()>(match attempts.len() {
                1 => first.to_vec(),
                _ => vec![result(0, 3)],
            })
        };
        let results = adjust_after_waits(adjustments.clone(), LAST_WAIT, adjust).await;
        assert_eq!(results, Ok(vec![result(1, 3), result(0, 3)]));
        let attempts = attempts.into_inner().unwrap();
        let again = |others| (vec![adjustments[1]], others);
        assert_eq!(attempts[0], (adjustments.clone(), OtherServers::Ask));
        assert_eq!(attempts[1..8], vec![again(OtherServers::Ask); 7]);
        assert_eq!(attempts[8..], [again(OtherServers::Forget)]);
    }
}
