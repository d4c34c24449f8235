//! Reads the credentials of a security scheme from a request.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use dropspec_schema::SecurityScheme;
use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE};

use crate::rejection::ParameterLocation;

/// What a request sends by a security scheme. Whether it is valid is for the service to find out.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials<'r> {
    /// The key of an `apiKey`.
    Key(Cow<'r, str>),
    /// User and password (RFC 7617).
    Basic {
        /// The user name, up to the first colon.
        user: String,
        /// The password.
        password: String,
    },
    /// What follows the name of the authentication scheme in `Authorization`, such as a bearer token.
    Token(&'r str),
}

/// Credentials that cannot be read: sent more than once, not UTF-8, or not what HTTP Basic demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Reads the credentials of a scheme from the headers and the query of a request; `None` if it has none.
pub(super) fn read<'r>(
    scheme: SecurityScheme<'_>,
    headers: &'r HeaderMap,
    query: Option<&'r str>,
) -> Result<Option<Credentials<'r>>, Malformed> {
    let found = match scheme {
        SecurityScheme::Header(name) => read_header(headers, name)?.map(Cow::Borrowed),
        SecurityScheme::Query(name) => read_query(query.unwrap_or_default(), name)?,
        SecurityScheme::Cookie(name) => read_cookie(headers, name)?,
        SecurityScheme::Authorization(name) => {
            let rest = read_authorization(headers, name)?;
            return match scheme {
                SecurityScheme::BASIC => rest.map(decode_basic).transpose(),
                _ => Ok(rest.map(Credentials::Token)),
            };
        }
    };
    Ok(found.filter(|key| !key.is_empty()).map(Credentials::Key))
}

/// The only value of a header, without white space around it.
fn read_header<'r>(headers: &'r HeaderMap, name: &str) -> Result<Option<&'r str>, Malformed> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(only), None) => {
            let text = str::from_utf8(only.as_bytes()).map_err(|_| Malformed)?;
            Ok(Some(text.trim_ascii()))
        }
        (Some(_), Some(_)) => Err(Malformed),
    }
}

/// What follows an authentication scheme in the header `Authorization`. The case of the scheme has no meaning (RFC 9110,
/// section 11.1).
fn read_authorization<'r>(
    headers: &'r HeaderMap,
    scheme: &str,
) -> Result<Option<&'r str>, Malformed> {
    let Some(value) = read_header(headers, AUTHORIZATION.as_str())? else {
        return Ok(None);
    };
    let (sent, rest) = value.split_once(' ').unwrap_or((value, ""));
    let rest = rest.trim_ascii_start();
    Ok((sent.eq_ignore_ascii_case(scheme) && !rest.is_empty()).then_some(rest))
}

fn decode_basic(text: &str) -> Result<Credentials<'_>, Malformed> {
    let decoded = BASE64_STANDARD.decode(text).map_err(|_| Malformed)?;
    let decoded = String::from_utf8(decoded).map_err(|_| Malformed)?;
    let (user, password) = decoded.split_once(':').ok_or(Malformed)?;
    Ok(Credentials::Basic {
        user: user.to_owned(),
        password: password.to_owned(),
    })
}

fn read_query<'r>(query: &'r str, name: &str) -> Result<Option<Cow<'r, str>>, Malformed> {
    let pairs = dropspec_schema::wire::split_query(query).map_err(|_| Malformed)?;
    only_value(ParameterLocation::Query, pairs, name)
}

fn read_cookie<'r>(headers: &'r HeaderMap, name: &str) -> Result<Option<Cow<'r, str>>, Malformed> {
    // Cookies of others may have any bytes.
    let lines = headers.get_all(COOKIE).iter();
    let cookies = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    let cookies: Vec<&str> = cookies.filter_map(|it| str::from_utf8(it).ok()).collect();
    only_value(
        ParameterLocation::Cookie,
        dropspec_schema::wire::split_cookies(&cookies),
        name,
    )
}

/// The value of the only pair with this name, decoded.
fn only_value<'r>(
    location: ParameterLocation,
    pairs: Vec<(Cow<'r, str>, &'r str)>,
    name: &str,
) -> Result<Option<Cow<'r, str>>, Malformed> {
    let mut values = pairs.into_iter().filter(|(sent, _)| sent == name);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some((_, only)), None) => {
            let decoded = dropspec_schema::wire::decode(location, only);
            decoded.map(Some).map_err(|_| Malformed)
        }
        (Some(_), Some(_)) => Err(Malformed),
    }
}

/// Secrets never get into a log.
impl std::fmt::Debug for Credentials<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Key(_) => "Key(…)",
            Self::Basic { .. } => "Basic(…)",
            Self::Token(_) => "Token(…)",
        })
    }
}
