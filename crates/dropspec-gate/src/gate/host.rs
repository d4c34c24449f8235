//! Checks that a request names exactly one host (RFC 9110, section 7.2) and a valid path. Which host it is does not matter to the
//! gate.

use std::net::Ipv6Addr;

use http::header::HOST;
use http::{HeaderMap, Uri, Version};
use percent_encoding::percent_decode_str;

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

/// Checks the path of a request target: no segment is `.` or `..`, which a handler could take for a place in a folder, and all of
/// it is UTF-8 once decoded.
///
/// # Errors
///
/// The message for the client's developer.
pub fn check_path(path: &str) -> Result<(), &'static str> {
    if path.split('/').any(|it| it == "." || it == "..") {
        Err("the path has a segment \".\" or \"..\"; leave it out")
    } else if percent_decode_str(path).decode_utf8().is_err() {
        Err("the path is not UTF-8 once decoded")
    } else {
        Ok(())
    }
}

/// Whether a text is a host with an optional port, without user information (RFC 9110, section 4.2.4; RFC 3986, section 3.2).
fn is_host_and_port(text: &[u8]) -> bool {
    let end_of_host = match text {
        [b'[', ..] => text
            .iter()
            .position(|byte| *byte == b']')
            .map_or(0, |end| end + 1),
        _ => text
            .iter()
            .position(|byte| *byte == b':')
            .unwrap_or(text.len()),
    };
    let (host, port) = text.split_at(end_of_host);
    let is_host = match host {
        [b'[', address @ .., b']'] => {
            let address = std::str::from_utf8(address).unwrap_or_default();
            address.parse::<Ipv6Addr>().is_ok()
        }
        host => !host.is_empty() && host.iter().all(is_of_name),
    };
    let is_port = match port {
        [] => true,
        [b':', digits @ ..] => {
            let add =
                |number: u32, digit: &u8| Some(number * 10 + char::from(*digit).to_digit(10)?);
            let number = digits.iter().take(6).try_fold(0, add);
            digits.len() <= 5 && number.is_some_and(|it| it <= u16::MAX.into())
        }
        _ => false,
    };
    is_host && is_port
}

/// Whether a name may have this byte: unreserved and percent-encoded characters, and sub-delimiters.
fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=".contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_a_name_or_address_with_an_optional_port() {
        let valid = "localhost Pets.Example:8080 pets_1.example. 127.0.0.1:80 [::1] [::1]:8080 localhost: one,two a%20b";
        let invalid = ":8080 localhost:http localhost:65536 localhost:123456 localhost:+80 localhost:80:80 ann@localhost \
                       ann:secret@localhost:80 [::1 [nonsense] [::1]80 [] a@ ::1 localhost/pets http://localhost größe";
        let invalid = invalid.split(' ').chain(["", "one two"]);
        let rows = valid.split(' ').map(|text| (text, true));
        for (text, expected) in rows.chain(invalid.map(|text| (text, false))) {
            assert_eq!(is_host_and_port(text.as_bytes()), expected, "{text}");
        }
    }
}
