//! The token that opens the page of the operator. Only its hash is kept.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

/// The fewest characters of a token: too many to be guessed.
const MIN_LENGTH: usize = 16;

/// The token of the operator.
#[derive(Clone, PartialEq, Eq)]
pub struct OperatorToken([u8; 32]);

impl OperatorToken {
    /// Reads the token from a file. White space at its beginning and end does not count.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the token has fewer than 16 characters.
    pub fn read(file: &Path) -> Result<OperatorToken> {
        let shown = file.display();
        let text = fs::read_to_string(file);
        let text =
            text.with_context(|| format!("cannot read the token of the operator from {shown}; it must be a file that the user of this server may read, on the host of a container as well"))?;
        let token = text.trim();
        ensure!(
            token.chars().count() >= MIN_LENGTH,
            "the token of the operator in {shown} has fewer than {MIN_LENGTH} characters; \
             write a new one, such as that of `openssl rand -hex 16`, into this file, or into the one of the host that is mounted here"
        );
        Ok(OperatorToken(hash(token)))
    }

    /// Whether a text is the token. The time that this takes says nothing of the token.
    pub(crate) fn is(&self, text: &str) -> bool {
        hash(text) == self.0
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorToken")
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
