//! Patterns of paths and names, as settings and command lines write them.

/// Whether a text has the form of a pattern: `*` is any text within one segment between `/`, `**` any text, `**/` any
/// segments or none, `?` one character.
///
/// ```
/// use spec_model::matches_pattern;
///
/// assert!(matches_pattern("/internal/**", "/internal/jobs/{id}"));
/// assert!(matches_pattern("apis/**/openapi.yaml", "apis/openapi.yaml"));
/// assert!(!matches_pattern("/pets/*", "/pets/{petId}/photos"));
/// ```
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // For each rest of the pattern, the shortest first: at which characters a match of it may begin.
    let mut after: Vec<bool> = vec![false; text.len() + 1];
    after[text.len()] = true;
    let mut end = pattern.len();
    while end > 0 {
        let stars = pattern[..end].ends_with(&['*', '*']);
        let folders = pattern[..end].ends_with(&['*', '*', '/']);
        let (length, within) = match (folders, stars, pattern[end - 1]) {
            (true, ..) => (3, None),
            (_, true, _) => (2, None),
            (_, _, '*') => (1, Some('/')),
            _ => (1, None),
        };
        let wanted = pattern[end - 1];
        let mut begins = vec![false; text.len() + 1];
        for at in (0..=text.len()).rev() {
            let next = text.get(at).copied();
            let goes_on = next.is_some() && begins.get(at + 1) == Some(&true);
            begins[at] = if folders {
                let after_folder = (at..text.len()).any(|end| text[end] == '/' && after[end + 1]);
                after[at] || after_folder
            } else if wanted == '*' {
                after[at] || goes_on && next != within
            } else {
                let fits = match wanted {
                    '?' => next.is_some_and(|next| next != '/'),
                    wanted => next == Some(wanted),
                };
                fits && after[at + 1]
            };
        }
        after = begins;
        end -= length;
    }
    after[0]
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn pattern_matches_whole_texts() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("a", "ab", false),
            ("*", "ab", true),
            ("*", "a/b", false),
            ("**", "a/b", true),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("**/c", "c", true),
            ("**/c", "a/b/c", true),
            ("**/c", "a/bc", false),
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "a/c", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("request-*-set", "request-body-max-set", true),
            (
                "*-*-*-*-*-*-*-*-*-*-*-*x",
                "------------------------",
                false,
            ),
        ] {
            assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        }
    }
}
