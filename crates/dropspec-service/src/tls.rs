//! The certificate and the private key of the public listener. They are read at the start, and again at each SIGHUP.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The paths of a certificate and its private key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain, the server's own certificate first.
    pub certificate: PathBuf,
    /// The private key: PKCS#8, PKCS#1 or SEC1.
    pub key: PathBuf,
}

impl TlsFiles {
    /// Reads the certificate and its key into a TLS configuration.
    ///
    /// # Errors
    ///
    /// If one cannot be read, or they do not belong together.
    pub fn load(&self) -> Result<ServerConfig> {
        let TlsFiles { certificate, key } = self;
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .and_then(|chain| match chain[..] {
                [] => Err(pem::Error::NoItemsFound),
                [..] => Ok(chain),
            })
            .map_err(|error| explain(error, "it holds no certificate in PEM form"))
            .with_context(|| format!("cannot read a certificate from {}", certificate.display()))?;
        let secret = PrivateKeyDer::from_pem_file(key)
            .map_err(|error| {
                explain(
                    error,
                    "it holds no private key in PEM form, or an encrypted one",
                )
            })
            .with_context(|| format!("cannot read a private key from {}", key.display()))?;
        let mut tls = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .with_context(|| {
                format!(
                    "cannot serve TLS with {} and {}",
                    certificate.display(),
                    key.display()
                )
            })?;
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(tls)
    }
}

/// Replaces errors of the PEM parser that say little by clearer ones. `nothing` is the text for a file without a PEM
/// section of the expected kind.
fn explain(error: pem::Error, nothing: &'static str) -> anyhow::Error {
    match error {
        pem::Error::NoItemsFound => anyhow::Error::msg(nothing),
        pem::Error::MissingSectionEnd { .. } => {
            anyhow::Error::msg("it is cut short, a section has no end")
        }
        other => other.into(),
    }
}
