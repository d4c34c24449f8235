//! Which other sites may call the service from their pages (Fetch standard, CORS protocol): the setting, without HTTP.

use std::fmt;
use std::str::FromStr;

/// The origins whose pages may read responses. Credentials of the browser, such as cookies, are never allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorsOrigin {
    /// Every site.
    Any,
    /// The site with this origin, such as `https://shop.example`, as browsers write it.
    Site(String),
}

/// Why a text is no origin.
#[derive(Debug, thiserror::Error)]
#[error(
    "write an origin such as https://shop.example or http://localhost:3000: http or https, the host in lower case, the port \
     unless it is the usual one, and no path; or * for all sites"
)]
pub struct CorsOriginError;

impl FromStr for CorsOrigin {
    type Err = CorsOriginError;

    fn from_str(text: &str) -> Result<CorsOrigin, CorsOriginError> {
        if text == "*" {
            return Ok(CorsOrigin::Any);
        }
        let (scheme, authority) = text.split_once("://").ok_or(CorsOriginError)?;
        let usual_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return Err(CorsOriginError),
        };
        // A name with another spelling would never equal what browsers send.
        let is_host = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._:[]".contains(&byte)
        };
        let parsed: http::uri::Authority = authority.parse().map_err(|_| CorsOriginError)?;
        let port = match authority
            .strip_prefix(parsed.host())
            .ok_or(CorsOriginError)?
        {
            "" => None,
            port => Some(port[1..].parse::<u16>().map_err(|_| CorsOriginError)?),
        };
        let is_valid = !parsed.host().is_empty()
            && authority.bytes().all(is_host)
            && port.is_none_or(|port| port != 0 && port != usual_port);
        if is_valid {
            Ok(CorsOrigin::Site(text.to_owned()))
        } else {
            Err(CorsOriginError)
        }
    }
}

impl fmt::Display for CorsOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CorsOrigin::Any => "*",
            CorsOrigin::Site(origin) => origin,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_is_written_as_browsers_send_it() {
        for text in [
            "*",
            "https://shop.example",
            "http://localhost:3000",
            "https://xn--bcher-kva.example:8443",
            "http://[::1]:8080",
            "http://127.0.0.1",
        ] {
            let origin: CorsOrigin = text.parse().unwrap();
            assert_eq!(origin.to_string(), text);
        }
        for text in [
            "",
            "null",
            "shop.example",
            "ftp://shop.example",
            "https://",
            "https://shop.example/",
            "https://shop.example/app",
            "https://Shop.example",
            "https://bücher.example",
            "https://shop.example:443",
            "http://shop.example:80",
            "http://shop.example:",
            "http://shop.example:0",
            "http://shop.example:65536",
            "https://user@shop.example",
            "https://*.example",
        ] {
            assert!(text.parse::<CorsOrigin>().is_err(), "{text}");
        }
    }
}
