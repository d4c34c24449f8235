//! Guesses texts by format, pattern and length.

use crate::samples::merged::Merged;
use crate::samples::pattern;

/// Texts of the formats that are validated, and of others that types are made of.
const FORMATS: &[(&str, &[&str])] = &[
    ("byte", &["aGVsbG8=", ""]),
    ("date", &["2026-11-22", "2024-02-29"]),
    (
        "date-time",
        &["2026-11-22T08:30:00Z", "2026-11-22T08:30:00.123456+05:30"],
    ),
    ("time", &["08:30:00Z"]),
    ("duration", &["P1DT2H", "PT0S"]),
    ("email", &["ada@example.com"]),
    ("hostname", &["host.example.com"]),
    ("idn-email", &["ada@bücher.example"]),
    ("idn-hostname", &["bücher.example"]),
    ("ip", &["192.0.2.1", "2001:db8::1"]),
    ("ipv4", &["192.0.2.1"]),
    ("ipv6", &["2001:db8::1"]),
    ("iri", &["https://bücher.example/ü"]),
    ("iri-reference", &["/ü?b=c"]),
    ("json-pointer", &["/a/0", ""]),
    ("regex", &["^a+$"]),
    ("relative-json-pointer", &["1/a"]),
    ("uri", &["https://example.com/a?b=c#d"]),
    ("url", &["https://example.com/a?b=c#d"]),
    ("uri-reference", &["/a?b=c"]),
    ("uri-template", &["/a/{b}"]),
    ("uuid", &["67e55044-10b1-426f-9247-bb680e5fe0c8"]),
];

/// A text that no validated format accepts.
pub(crate) const NO_FORMAT: &str = "\u{1}not a format";

/// Guesses texts of a schema, at most `most` characters long.
pub(crate) fn guess(merged: &Merged, most: usize) -> Vec<String> {
    let format = merged.text("format");
    let known = FORMATS.iter().find(|(name, _)| *name == format);
    let known = known.iter().flat_map(|(_, texts)| *texts);
    let mut texts: Vec<String> = known.map(|text| (*text).to_owned()).collect();
    for pattern in &merged.patterns {
        texts.extend(pattern::guess(pattern));
    }
    if texts.is_empty() {
        texts.extend(["text", "Text with spaces, \"quotes\" and ü"].map(str::to_owned));
    }
    let least = merged.count("minLength").unwrap_or(0);
    let longest = merged.count("maxLength").filter(|longest| *longest <= most);
    let lengths = [Some(least), longest].into_iter().flatten();
    for length in lengths.filter(|length| *length <= most) {
        texts.push("a".repeat(length));
        let patterns = merged.patterns.iter();
        texts.extend(patterns.filter_map(|pattern| pattern::guess_sized(pattern, length)));
    }
    texts.extend(["0", "A", "a1"].map(str::to_owned));
    texts.retain(|text| {
        let length = text.chars().count();
        length >= least && longest.is_none_or(|longest| length <= longest)
    });
    texts
}
