//! Escapes characters that control a terminal: control characters, bidirectional formatting, line separators.

/// Escapes line breaks and characters that control a terminal, so that a text is safe to print in one line.
pub(crate) fn escape_line(text: &str) -> String {
    let escape = |c: char| {
        if controls_terminal(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

/// Escapes characters that control a terminal in the strings of a JSON text. Its lines and its meaning do not change.
pub(crate) fn escape_json(text: &str) -> String {
    let escape = |c: char| {
        if controls_terminal(c) && c != '\n' {
            // Such a character occurs only inside a string, and none is above U+FFFF.
            format!("\\u{:04x}", u32::from(c))
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

fn controls_terminal(c: char) -> bool {
    let is_bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_separator = matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || is_bidi || is_separator
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CONTROLS: &str = "a\u{1b}[2J\u{9b}31m\u{7f}\nb\u{202e}c\u{2028}d";

    #[test]
    fn escapes_controls_and_keeps_other_scripts() {
        assert_eq!(
            escape_line(CONTROLS),
            r"a\u{1b}[2J\u{9b}31m\u{7f}\nb\u{202e}c\u{2028}d"
        );
        let names = "猫 Re\u{301}né 👩\u{200d}👧";
        assert_eq!(escape_line(names), names);
    }

    #[test]
    fn escaped_json_has_the_same_value_and_lines() {
        let value = json!([{ "name": CONTROLS }]);
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let escaped = escape_json(&pretty);
        assert!(
            escaped.chars().all(|c| c == '\n' || !controls_terminal(c)),
            "{escaped:?}"
        );
        assert_eq!(escaped.lines().count(), pretty.lines().count());
        let parsed: serde_json::Value = serde_json::from_str(&escaped).expect("JSON");
        assert_eq!(parsed, value);
    }
}
