//! Names of headers, and which header parameters of a document are no part of its interface.

/// Whether a character is allowed in a token (RFC 9110, section 5.6.2), which names headers, cookies and authentication
/// schemes.
#[must_use]
pub fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// Why a header parameter is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// OpenAPI 3.0.3 says so: other parts of the document describe the header.
    DescribedElsewhere,
    /// No request can have a header of this name.
    NoToken,
}

impl Ignored {
    /// Why a header parameter of this name is ignored; `None` if it is not.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let described = ["accept", "content-type", "authorization"];
        if described
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other))
        {
            return Some(Self::DescribedElsewhere);
        }
        let is_token = !name.is_empty() && name.chars().all(is_of_token);
        (!is_token).then_some(Self::NoToken)
    }

    /// What to tell the author of the document, in one line.
    #[must_use]
    pub fn message(self, name: &str) -> String {
        match self {
            Self::DescribedElsewhere => format!("OpenAPI ignores the header parameter `{name}`"),
            Self::NoToken => {
                format!("no header can be called `{name}`, so that the parameter is ignored")
            }
        }
    }

    /// How to correct the document.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::DescribedElsewhere => "remove it: media types and `security` describe it",
            Self::NoToken => {
                "write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_are_described_elsewhere_or_cannot_be_sent_are_ignored() {
        for name in ["Accept", "content-type", "AUTHORIZATION"] {
            assert_eq!(Ignored::find(name), Some(Ignored::DescribedElsewhere));
        }
        for name in ["", "X Key", "Authorization: Bearer 1", "Schlüssel"] {
            assert_eq!(Ignored::find(name), Some(Ignored::NoToken), "{name}");
        }
        for name in ["X-Key", "api_key", "Accept-Language"] {
            assert_eq!(Ignored::find(name), None, "{name}");
        }
    }
}
