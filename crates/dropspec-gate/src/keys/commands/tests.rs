//! Tests of `commands`.

use super::*;

#[test]
fn overlap_is_a_duration_of_at_most_one_year() {
    let cases = [
        ("24h", Some(86_400)),
        ("90m", Some(5_400)),
        ("1h30m", Some(5_400)),
        ("7d", Some(604_800)),
        ("0s", Some(0)),
        ("365d", Some(31_536_000)),
        ("366d", None),
        ("", None),
        ("24", None),
        ("h", None),
        ("-1h", None),
        ("99999999999999999999d", None),
    ];
    for (text, seconds) in cases {
        let overlap = parse_overlap(text).ok();
        assert_eq!(overlap, seconds.map(TimeDelta::seconds), "{text}");
    }
}
