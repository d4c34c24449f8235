//! Patterns of paths and names, as settings and command lines write them.

use regex::Regex;

/// Whether a text has the form of a pattern: `*` is any text within one segment between `/`, `**` any text, `**/` any
/// segments or none, `?` one character.
///
/// ```
/// use dropspec_model::matches_pattern;
///
/// assert!(matches_pattern("/internal/**", "/internal/jobs/{id}"));
/// assert!(matches_pattern("apis/**/openapi.yaml", "apis/openapi.yaml"));
/// assert!(!matches_pattern("/pets/*", "/pets/{petId}/photos"));
/// ```
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == text;
    }
    let mut regex = regex::escape(pattern);
    for (written, meant) in [
        (r"\*\*/", "(.*/)?"),
        (r"\*\*", ".*"),
        (r"\*", "[^/]*"),
        (r"\?", "[^/]"),
    ] {
        regex = regex.replace(written, meant);
    }
    let regex = Regex::new(&format!("(?s)^{regex}$"));
    regex.is_ok_and(|regex| regex.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn pattern_matches_whole_texts() {
        let long = "-".repeat(24);
        for (pattern, text, expected) in [
            ("", "", true),
            ("a", "ab", false),
            ("*", "ab", true),
            ("*", "a/b", false),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("**/c", "c", true),
            ("**/c", "a/b/c", true),
            ("**/c", "a/bc", false),
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "a/c", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("a.*", "abc", false),
            ("*-*-*-*-*-*-*-*-*-*-*-*x", &long, false),
        ] {
            assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        }
    }
}
