//! TLS: which certificates are trusted. The certificate of the server and its name are always verified.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::postgres::config::TlsMode;
use crate::postgres::error::OpenError;

/// Creates the connector for encrypted connections; `None` if they are not encrypted.
pub(crate) fn connector(mode: &TlsMode) -> Result<Option<MakeRustlsConnect>, OpenError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(OpenError::tls)?;
    let config = match mode {
        TlsMode::Off => return Ok(None),
        TlsMode::System => builder.with_platform_verifier().map_err(OpenError::tls)?,
        TlsMode::File(file) => builder.with_root_certificates(read_roots(file)?),
    };
    Ok(Some(MakeRustlsConnect::new(config.with_no_client_auth())))
}

fn read_roots(file: &Path) -> Result<RootCertStore, OpenError> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| {
        let message = format!("{} cannot be used as sslrootcert", file.display());
        OpenError::failed(message, source)
    };
    let mut roots = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|error| failed(Box::new(error)))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| failed(Box::new(error)))?;
        roots
            .add(certificate)
            .map_err(|error| failed(Box::new(error)))?;
    }
    if roots.is_empty() {
        Err(failed("it holds no certificate in PEM form".into()))
    } else {
        Ok(roots)
    }
}
