//! Names of headers, and which headers of a document are no part of its interface.

/// Whether a character is allowed in a token (RFC 9110, section 5.6.2), which names headers, cookies and authentication
/// schemes.
pub fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// Headers that belong to one connection, or say how long its messages are (RFC 9110, sections 7.6.1 and 8.6). Clients and
/// servers of HTTP write them themselves.
const OF_CONNECTION: [&str; 7] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Whether a header belongs to one connection, or says how long its messages are, so that only what speaks HTTP may write
/// it.
pub fn is_of_connection(name: &str) -> bool {
    is_one_of(name, &OF_CONNECTION)
}

/// Why a header parameter or a response header is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// OpenAPI 3.0.3 says so: other parts of the document describe the header.
    DescribedElsewhere,
    /// Clients and servers of HTTP write the header themselves.
    OfConnection,
    /// No message can have a header of this name.
    NoToken,
}

impl Ignored {
    /// Why a header parameter of this name is ignored; `None` if it is not.
    pub fn find(name: &str) -> Option<Self> {
        // A client names in `Host` whom it calls (RFC 9110, section 7.2).
        if name.eq_ignore_ascii_case("host") {
            Some(Self::OfConnection)
        } else {
            Self::find_among(name, &["accept", "content-type", "authorization"])
        }
    }

    /// Why a response header of this name is ignored; `None` if it is not.
    pub fn find_in_response(name: &str) -> Option<Self> {
        Self::find_among(name, &["content-type"])
    }

    fn find_among(name: &str, described: &[&str]) -> Option<Self> {
        if is_one_of(name, described) {
            return Some(Self::DescribedElsewhere);
        }
        if is_of_connection(name) {
            return Some(Self::OfConnection);
        }
        let is_token = !name.is_empty() && name.chars().all(is_of_token);
        (!is_token).then_some(Self::NoToken)
    }

    /// What to tell the author of the document about a header parameter, in one line.
    pub fn message(self, name: &str) -> String {
        self.describe_ignored_header(name, "header parameter")
    }

    /// What to tell the author of the document about a response header, in one line.
    pub fn message_in_response(self, name: &str) -> String {
        self.describe_ignored_header(name, "response header")
    }

    fn describe_ignored_header(self, name: &str, kind: &str) -> String {
        match self {
            Self::DescribedElsewhere => format!("OpenAPI ignores the {kind} `{name}`"),
            Self::OfConnection => {
                format!(
                    "clients and servers write `{name}` themselves, so that the {kind} is ignored"
                )
            }
            Self::NoToken => {
                format!("no header can be called `{name}`, so that the {kind} is ignored")
            }
        }
    }

    /// How to correct the document.
    pub fn help(self) -> &'static str {
        match self {
            Self::DescribedElsewhere => "remove it: media types and `security` describe it",
            Self::OfConnection => "remove it: it belongs to the connection, not to the interface",
            Self::NoToken => {
                "write letters, digits, `-` and `_` (a token of RFC 9110, section 5.6.2)"
            }
        }
    }
}

fn is_one_of(name: &str, others: &[&str]) -> bool {
    others.iter().any(|other| name.eq_ignore_ascii_case(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_are_described_elsewhere_or_cannot_be_sent_are_ignored() {
        for name in ["Accept", "content-type", "AUTHORIZATION"] {
            assert_eq!(Ignored::find(name), Some(Ignored::DescribedElsewhere));
        }
        for name in ["Host", "content-length", "Transfer-Encoding"] {
            assert_eq!(Ignored::find(name), Some(Ignored::OfConnection), "{name}");
        }
        for name in ["", "X Key", "Authorization: Bearer 1", "Schlüssel"] {
            assert_eq!(Ignored::find(name), Some(Ignored::NoToken), "{name}");
        }
        for name in ["X-Key", "api_key", "Accept-Language"] {
            assert_eq!(Ignored::find(name), None, "{name}");
        }
    }

    #[test]
    fn response_headers_that_a_server_writes_itself_are_ignored() {
        for (name, expected) in [
            ("Content-Type", Some(Ignored::DescribedElsewhere)),
            ("Content-Length", Some(Ignored::OfConnection)),
            ("connection", Some(Ignored::OfConnection)),
            ("X Key", Some(Ignored::NoToken)),
            ("Authorization", None),
            ("Content-Encoding", None),
            ("Set-Cookie", None),
            ("Date", None),
        ] {
            assert_eq!(Ignored::find_in_response(name), expected, "{name}");
        }
    }
}
