//! Checks that a request names exactly one host (RFC 9110, section 7.2). Which host it is does not matter to the gate.

use std::net::Ipv6Addr;

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Uri, Version};

/// Checks the `Host` header of a request and the host in its target, which is `:authority` in HTTP/2.
///
/// HTTP/1.1 requires the header, whatever the target names (RFC 9112, section 3.2), and HTTP/2 one of both (RFC 9113,
/// section 8.3.1). HTTP/1.0 requires none. What is given must be valid.
///
/// # Errors
///
/// The message for the client's developer.
pub fn check_host(version: Version, target: &Uri, headers: &HeaderMap) -> Result<(), &'static str> {
    let mut lines = headers.get_all(HOST).iter();
    let header = match (lines.next(), lines.next()) {
        (None, _) => None,
        (Some(line), None) if is_host_and_port(line.as_bytes()) => Some(line.as_bytes()),
        (Some(_), None) => {
            return Err("the Host header is not a host name or address with an optional port");
        }
        (Some(_), Some(_)) => return Err("there is more than one Host header"),
    };
    let authority = target
        .authority()
        .map(|authority| authority.as_str().as_bytes());
    if !authority.is_none_or(is_host_and_port) {
        return Err(
            "the host in the request target is not a host name or address with an optional port",
        );
    }
    match (version, header, authority) {
        (Version::HTTP_2, Some(header), Some(authority))
            if !header.eq_ignore_ascii_case(authority) =>
        {
            Err("the Host header differs from :authority")
        }
        (Version::HTTP_2, None, None) | (Version::HTTP_11, None, _) => {
            Err("the Host header is missing")
        }
        _ => Ok(()),
    }
}

/// Whether a text is a host with an optional port, without user information (RFC 9110, section 4.2.4).
fn is_host_and_port(text: &[u8]) -> bool {
    is_common_host_and_port(text)
        || Authority::try_from(text).is_ok_and(|authority| is_authority_of_host(&authority))
}

/// Whether a text is a name or IPv4 address with an optional port, which almost every host is: found out without the
/// copy of the text that parsing it as an [`Authority`] takes.
fn is_common_host_and_port(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| *byte == b':');
    let (host, port) = match end {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[][..]),
    };
    let is_common = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let add_digit = |number: u32, byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        Some(number * 10 + digit)
    };
    let is_in_range = |number| number <= 65535;
    let is_common_port =
        port.len() <= 5 && port.iter().try_fold(0, add_digit).is_some_and(is_in_range);
    is_common_port && !host.is_empty() && host.iter().all(is_common)
}

/// Whether an authority is a host with an optional port. The type checks the characters and brackets only.
fn is_authority_of_host(authority: &Authority) -> bool {
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let valid_host = match address {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty(),
    };
    // User information would stand before the host.
    let port = authority.as_str().strip_prefix(host);
    let valid_port = port.is_some_and(|port| match port.strip_prefix(':') {
        Some("") => true,
        Some(digits) => {
            digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
        }
        None => port.is_empty(),
    });
    valid_host && valid_port
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn host_is_a_name_or_address_with_an_optional_port() {
        let cases = [
            ("localhost", true),
            ("Pets.Example:8080", true),
            ("pets_1.example.", true),
            ("127.0.0.1:80", true),
            ("[::1]", true),
            ("[::1]:8080", true),
            ("localhost:", true),
            (":8080", false),
            ("localhost:http", false),
            ("localhost:65536", false),
            ("localhost:+80", false),
            ("localhost:80:80", false),
            ("ann@localhost", false),
            ("ann:secret@localhost:80", false),
            ("localhost@localhost", false),
            ("[::1", false),
            ("[nonsense]", false),
            ("[::1]80", false),
            ("a@", false),
            ("::1", false),
            ("one two", false),
            ("one,two", true),
            ("localhost/pets", false),
            ("http://localhost", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_host_and_port(text.as_bytes()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn common_host_is_valid_as_an_authority_too(text in "[a-z0-9A-Z._:@\\[%-]{0,4}(:[0-9]{0,6})?") {
            let authority = Authority::try_from(text.as_bytes());
            let valid = authority.is_ok_and(|authority| is_authority_of_host(&authority));
            prop_assert!(valid || !is_common_host_and_port(text.as_bytes()), "{}", text);
        }
    }
}
