//! Why an attempt got no response: whether another one can succeed, and what a person reads about it.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use dropspec_schema::Method as Registered;
use reqwest::{Method, Url};

/// What is known about an attempt that got no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoResponse {
    /// Every further attempt would end the same way. With the problem and its remedy.
    Hopeless(String),
    /// There was no connection: the request was certainly not performed.
    NotSent,
    /// The connection broke or timed out: the request was perhaps performed.
    Lost,
}

/// Classifies an error of sending a request to this URL.
pub(crate) fn classify_error(error: &reqwest::Error, url: &Url) -> NoResponse {
    if let Some(problem) = find_lasting_problem(error, url) {
        return NoResponse::Hopeless(problem);
    }
    if error.is_connect() {
        NoResponse::NotSent
    } else {
        NoResponse::Lost
    }
}

/// The innermost cause of an error, such as `Connection refused (os error 111)`.
pub fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn StdError = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// What a call reports that gives up after failed or lost connections.
pub(crate) fn describe_exhausted(
    error: &reqwest::Error,
    method: &Method,
    url: &Url,
    attempts: u32,
    elapsed: Duration,
    maybe_performed: bool,
) -> String {
    let origin = origin_of(url);
    let cause = root_cause(error);
    let seconds = elapsed.as_secs_f32();
    let tried = match attempts {
        1 => format!("tried once, for {seconds:.1} seconds"),
        _ => format!("tried {attempts} times in {seconds:.1} seconds"),
    };
    let what = if error.is_connect() {
        format!("cannot connect to {origin}: {cause}; {tried}")
    } else {
        format!("no response from {origin}: {cause}; {tried}")
    };
    let is_safe = Registered::has(method.as_str(), Registered::is_safe);
    match (maybe_performed && !is_safe, error.is_connect()) {
        (true, _) => {
            format!(
                "{what}; the service may have performed the request: check before you repeat it"
            )
        }
        (false, true) => format!("{what}; check the base URL, and that the service runs"),
        (false, false) => what,
    }
}

/// The problem that another attempt would meet again, and its remedy.
fn find_lasting_problem(error: &reqwest::Error, url: &Url) -> Option<String> {
    let origin = origin_of(url);
    if error.is_builder() || error.is_redirect() {
        return Some(format!(
            "no request can be sent to {origin}: {}",
            root_cause(error)
        ));
    }
    if error.is_dns() {
        let reason = root_cause(error);
        let host = url.host_str().unwrap_or_default();
        let is_temporary = ["emporary", "ry again"]
            .iter()
            .any(|word| reason.contains(word));
        return (!is_temporary)
            .then(|| format!("the host `{host}` is unknown: {reason}; check the base URL"));
    }
    #[cfg(feature = "tls")]
    if let Some(error) = find_cause::<rustls::Error>(error) {
        return Some(describe_tls_error(error, &origin));
    }
    let error = find_cause::<hyper::Error>(error).filter(|error| error.is_parse())?;
    Some(format!(
        "{origin} does not answer in HTTP ({error}): check the port; if it serves HTTPS, begin the base URL with https://"
    ))
}

#[cfg(feature = "tls")]
fn describe_tls_error(error: &rustls::Error, origin: &str) -> String {
    use rustls::{CertificateError, Error};
    let remedy = match error {
        Error::InvalidMessage(_) => {
            return format!(
                "{origin} does not answer in TLS: check the port; if it serves plain HTTP, begin the base URL with http://"
            );
        }
        Error::InvalidCertificate(reason) => match reason {
            // The last two: a trusted certificate has the name of the issuer, but is another one.
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
                "add its issuer to the trusted certificates of this machine"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "name one of its hosts in the base URL"
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => {
                "renew the certificate, or correct the clock of this machine"
            }
            _ => "ask the operator of the service for another certificate",
        },
        _ => "ask the operator of the service for its TLS settings",
    };
    format!("no secure connection to {origin}: {error}; {remedy}")
}

/// Finds an error of type `E` among an error and its causes. An `io::Error` hides what it wraps from `source`.
fn find_cause<'e, E: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let wrapped = error.downcast_ref().and_then(io::Error::get_ref);
        next = wrapped.map_or_else(|| error.source(), |wrapped| Some(wrapped));
    }
    None
}

/// Scheme, host and port of a URL.
fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}
