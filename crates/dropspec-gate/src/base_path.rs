//! The path below which a server serves its operations and pages, such as `/v1` in `https://api.example.com/v1`.

use std::fmt;
use std::str::FromStr;

/// The base path of a server. By default it is empty: paths are served as the document has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasePath(String);

/// Why a text is no base path.
#[derive(Debug, thiserror::Error)]
#[error("write a path such as /api/v1: segments of letters, digits and -._~, each after a slash")]
pub struct BasePathError;

impl BasePath {
    /// The path without a slash at its end; empty if there is none.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A path as the document has it; `None` if it is not below the base path.
    pub fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(&self.0)?;
        (self.0.is_empty() || rest.starts_with('/')).then_some(rest)
    }
}

impl FromStr for BasePath {
    type Err = BasePathError;

    fn from_str(text: &str) -> Result<Self, BasePathError> {
        // No characters whose spelling in a request could differ (RFC 3986, section 2.3).
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_segment = |segment: &str| {
            !["", ".", ".."].contains(&segment) && segment.bytes().all(is_unreserved)
        };
        let path = text.strip_suffix('/').unwrap_or(text);
        let mut segments = path.split('/');
        if segments.next() == Some("") && segments.all(is_segment) {
            Ok(BasePath(path.to_owned()))
        } else {
            Err(BasePathError)
        }
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_path_has_plain_segments() {
        for (text, expected) in [
            ("/api/v1", Some("/api/v1")),
            ("/api/", Some("/api")),
            ("/", Some("")),
            ("", Some("")),
            ("api", None),
            ("/api//v1", None),
            ("/a/../b", None),
            ("/a?b", None),
            ("/%61", None),
            ("https://example.com/v1", None),
        ] {
            let parsed: Option<BasePath> = text.parse().ok();
            assert_eq!(parsed.as_ref().map(BasePath::as_str), expected, "{text}");
        }
    }

    #[test]
    fn only_paths_below_the_base_path_are_those_of_the_document() {
        let base: BasePath = "/v1".parse().unwrap_or_default();
        for (path, expected) in [
            ("/v1/pets", Some("/pets")),
            ("/v1/", Some("/")),
            ("/v1", None),
            ("/v10/pets", None),
            ("/pets", None),
        ] {
            assert_eq!(base.strip(path), expected, "{path}");
        }
        assert_eq!(BasePath::default().strip("/pets"), Some("/pets"));
    }
}
