//! Text of others, without what would steer a terminal: control characters, and marks that turn the direction of writing.

/// Text in one line.
pub fn line(text: &str) -> String {
    let plain = |c: char| match steers(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(plain).collect()
}

/// A JSON text in the same lines and of the same meaning.
pub fn json(text: &str) -> String {
    let plain = |c: char| match steers(c) && c != '\n' {
        // Only inside a string, and none is past U+FFFF.
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(plain).collect()
}

fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || turns || breaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const STEERING: &str = "a\u{1b}[2J\u{9b}31m\u{7f}\nb\u{202e}c\u{2028}d";

    #[test]
    fn a_line_steers_nothing() {
        assert_eq!(
            line(STEERING),
            r"a\u{1b}[2J\u{9b}31m\u{7f}\nb\u{202e}c\u{2028}d"
        );
        assert_eq!(
            line("猫 Re\u{301}né 👩\u{200d}👧"),
            "猫 Re\u{301}né 👩\u{200d}👧"
        );
    }

    #[test]
    fn json_steers_nothing_and_means_the_same() {
        let value = json!([{ "name": STEERING }]);
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let told = json(&pretty);
        assert!(told.chars().all(|c| c == '\n' || !steers(c)), "{told:?}");
        assert_eq!(told.lines().count(), pretty.lines().count());
        let read: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(read, value);
    }
}
