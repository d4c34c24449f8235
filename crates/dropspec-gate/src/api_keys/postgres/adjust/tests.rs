//! One row of `usage` under the adjustments of several servers.
use super::*;

const NOON: i64 = 1_795_262_400;

fn adjustment(amount: i64, least: u64, start: i64) -> Adjustment {
    Adjustment {
        amount,
        least,
        limit: 60,
        ..Adjustment::unchanged(1, Window::Minute, start)
    }
}

#[test]
fn windows_are_not_opened_twice_by_clocks_that_differ_a_little() {
    let mut usage = Usage::default();
    // A server ahead, one behind, and the first one again: (time, start of the window, claimed).
    for (now, amount, start, claimed, reason) in [
        (NOON + 59, 6, NOON, 6, "the last second"),
        (
            NOON + 60,
            6,
            NOON + 60,
            6,
            "the first server in the next minute",
        ),
        (NOON + 59, 6, NOON + 60, 12, "another one that is behind"),
        (NOON + 60, 6, NOON + 60, 18, "the first one again"),
        (NOON + 59, -6, NOON + 60, 18, "a return of the last minute"),
        (NOON, 6, NOON, 24, "a clock that was set back"),
    ] {
        let adjustment = adjustment(amount, 0, Window::Minute.start_at(now));
        let (adjusted, _) = usage.adjust(&adjustment, &Now::at(now), "a", OtherServers::Ask);
        assert_eq!(adjusted.claim, Claim { start, claimed }, "{reason}");
    }
}

#[test]
fn servers_that_hold_leases_are_asked_then_forgotten() {
    let mut usage = Usage::default();
    let now = Now::at(NOON);
    let mut adjust = |holder: &str, amount, least, others| {
        let adjustment = adjustment(amount, least, NOON);
        let (adjusted, asked) = usage.adjust(&adjustment, &now, holder, others);
        (adjusted.granted, adjusted.held, asked)
    };
    assert_eq!(adjust("a", 6, 1, OtherServers::Ask), (6, 0, vec![]));
    assert_eq!(adjust("b", 54, 1, OtherServers::Ask), (13, 5, vec![]));
    assert_eq!(adjust("d", 41, 41, OtherServers::Ask), (41, 17, vec![]));
    // Who needed all of it holds nothing.
    let asked = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(adjust("c", 6, 1, OtherServers::Ask), (0, 17, asked));
    assert_eq!(adjust("a", -4, 0, OtherServers::Ask), (0, 12, vec![]));
    assert_eq!(
        adjust("c", 6, 1, OtherServers::Ask),
        (1, 12, vec![]),
        "half of the rest is for later"
    );
    assert_eq!(adjust("c", 6, 6, OtherServers::Forget), (3, 0, vec![]));
}

#[test]
fn leases_are_read_as_they_were_written() {
    let leases = BTreeMap::from([("a1".to_owned(), 6), ("b2".to_owned(), 1)]);
    assert_eq!(format_leases(&leases), "a1=6 b2=1");
    assert_eq!(parse_leases("a1=6 b2=1").unwrap(), leases);
    assert_eq!(parse_leases("").unwrap(), BTreeMap::new());
    assert!(parse_leases("a1").is_err());
}
