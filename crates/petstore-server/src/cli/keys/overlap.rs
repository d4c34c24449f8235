//! Reads how long an old secret is to hold, as people write durations: `24h`, `1h30m`, `0s`.

use chrono::TimeDelta;

/// The longest overlap: a secret that is to hold for longer need not be rotated yet.
const LONGEST: TimeDelta = TimeDelta::days(365);

/// Reads whole numbers with their units: d, h, m, s.
pub(super) fn parse(text: &str) -> Result<TimeDelta, String> {
    let explain = || format!("{text:?} is no duration; write it like 24h, 90m, 1h30m, 7d or 0s");
    let mut rest = text;
    let mut seconds: i64 = 0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .ok_or_else(explain)?;
        let (number, tail) = rest.split_at(digits);
        let mut tail = tail.chars();
        let unit = match tail.next() {
            Some('d') => 24 * 60 * 60,
            Some('h') => 60 * 60,
            Some('m') => 60,
            Some('s') => 1,
            _ => return Err(explain()),
        };
        let number: i64 = number.parse().map_err(|_| explain())?;
        seconds = number
            .checked_mul(unit)
            .and_then(|part| seconds.checked_add(part))
            .ok_or_else(explain)?;
        rest = tail.as_str();
    }
    if text.is_empty() {
        return Err(explain());
    }
    TimeDelta::try_seconds(seconds)
        .filter(|overlap| *overlap <= LONGEST)
        .ok_or_else(|| format!("{text} is longer than {} days", LONGEST.num_days()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
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
            ("1.5h", None),
            ("24 h", None),
            ("99999999999999999999d", None),
            ("9223372036854775807d", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(parse(text).ok(), seconds.map(TimeDelta::seconds), "{text}");
        }
    }
}
