//! JSON pointers (RFC 6901) as strings: escaping tokens, appending them, and splitting a pointer into them.

/// Escapes a key for use as a token of a JSON pointer: `~` becomes `~0`, `/` becomes `~1`.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Reverses [`escape`]: returns the key that an escaped token names.
pub fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The JSON pointer to the member `key` of the value at `parent`. The key is escaped.
pub fn join(parent: &str, key: &str) -> String {
    format!("{parent}/{}", escape(key))
}

/// Splits a JSON pointer into its unescaped tokens. None if the pointer is neither empty nor begins with `/`.
pub fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let tokens = pointer.strip_prefix('/')?.split('/');
    Some(tokens.map(unescape).collect())
}

/// Parses a token as an array index. RFC 6901 allows neither a sign nor leading zeros.
pub fn parse_index(token: &str) -> Option<usize> {
    let is_digits = token.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = token.len() > 1 && token.starts_with('0');
    if is_digits && !has_leading_zero {
        token.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_joined_pointer_are_the_keys() {
        let pointer = join(&join("", "a/b"), "c~1d");
        assert_eq!(pointer, "/a~1b/c~01d");
        assert_eq!(
            tokens(&pointer),
            Some(vec!["a/b".to_owned(), "c~1d".to_owned()])
        );
        assert_eq!(tokens(""), Some(Vec::new()), "the whole document");
        assert_eq!(tokens("a"), None, "no leading slash");
    }

    #[test]
    fn indices_have_neither_sign_nor_leading_zero() {
        let rows = [("0", Some(0)), ("10", Some(10))];
        let rejected = ["", "01", "+1", "-", "1x", "99999999999999999999999"];
        let rejected = rejected.into_iter().map(|token| (token, None));
        for (token, expected) in rows.into_iter().chain(rejected) {
            assert_eq!(parse_index(token), expected, "{token}");
        }
    }
}
