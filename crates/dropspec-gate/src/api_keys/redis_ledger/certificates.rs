//! The certificates by which an engine is trusted, and errors that only other settings mend.

use std::error::Error;
use std::sync::Arc;
use std::{fmt, io};

use dropspec_rate_limit::storage_error::StorageError;
use redis::{ErrorKind, RedisError, ServerErrorKind};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::address::RedisAddress;

/// Whether an engine that answers so now may be used later, without a change of the settings.
pub(super) fn passes_by_itself(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::Io if is_certificate_error(error) => false,
        ErrorKind::Io | ErrorKind::ClusterConnectionNotFound => true,
        ErrorKind::Server(kind) => !matches!(kind, ServerErrorKind::NoPerm),
        _ => false,
    }
}

/// Whether the engine's certificate is not trusted, or not that of its host.
fn is_certificate_error(error: &RedisError) -> bool {
    // The client shares its cause, which is an I/O error with that of TLS inside.
    let shared = error
        .source()
        .and_then(|it| it.downcast_ref::<Arc<dyn Error + Send + Sync>>());
    let cause = shared.and_then(|it| it.downcast_ref::<io::Error>());
    let tls = cause.and_then(|it| it.get_ref()?.downcast_ref());
    matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
}

/// Reads the file of trusted certificates that an address names.
pub(super) fn read_root_certificates(
    address: &RedisAddress,
) -> Result<Option<Vec<u8>>, StorageError> {
    let Some(file) = address.root_certificates() else {
        return Ok(None);
    };
    let failed = |reason: &dyn fmt::Display| {
        let message = format!("{} cannot be used as sslrootcert: {reason}", file.display());
        StorageError::Internal(Arc::from(Box::<dyn Error + Send + Sync>::from(message)))
    };
    let text = std::fs::read(file).map_err(|error| failed(&error))?;
    let mut certificates = CertificateDer::pem_slice_iter(&text);
    match certificates.next() {
        Some(Ok(_)) => Ok(Some(text)),
        Some(Err(error)) => Err(failed(&error)),
        None => Err(failed(&"it holds no certificate in PEM form")),
    }
}
