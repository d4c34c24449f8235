//! The hook by which a service verifies credentials, and what follows: a permit, or why a request is denied.

use std::fmt;
use std::marker::PhantomData;

use super::credentials::Credentials;

/// The hook of a service: it verifies credentials and returns the identity that they prove.
pub trait Verify: Sync {
    /// Who sends a request, as the credentials prove it.
    type Identity: Send;
    /// Why credentials are not valid.
    type Refusal: Send;
    /// Why credentials could not be verified.
    type Failure: Send;

    /// Verifies credentials of the scheme with this index. It is called at most once for each scheme and request.
    ///
    /// # Errors
    ///
    /// The outer error says that the credentials could not be verified, the inner one that they are not valid.
    fn verify(
        &self,
        scheme: usize,
        credentials: Credentials<'_>,
    ) -> impl Future<Output = Verified<Self::Identity, Self::Refusal, Self::Failure>> + Send;

    /// Whether an identity that was verified has been granted a scope.
    fn has_scope(&self, identity: &Self::Identity, scope: &str) -> bool;
}

/// The identity that credentials prove, why they are not valid, or why they could not be verified.
pub type Verified<T, R, E> = Result<Result<T, R>, E>;

/// Why a request may not call an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial<R> {
    /// Credentials are missing.
    Missing,
    /// Credentials cannot be read.
    Malformed,
    /// The service refused the credentials.
    Refused(R),
    /// The identity is valid, and lacks one of these scopes.
    InsufficientScope(&'static [&'static str]),
}

impl<R> Denial<R> {
    /// How much it says.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Denial::Missing => 0,
            Denial::Malformed | Denial::Refused(_) => 1,
            Denial::InsufficientScope(_) => 2,
        }
    }
}

/// The proof that a request may call one operation of the interface `I`: the operation is public, or the hook of the
/// service returned identities that satisfy one of the alternatives of its `security`, with all scopes.
///
/// Only [`Security::authorize`](super::Security::authorize) makes one, and a dispatch uses it up.
#[must_use]
pub struct Permit<I> {
    pub(super) operation: usize,
    pub(super) interface: PhantomData<fn() -> I>,
}

impl<I> Permit<I> {
    /// The index of the operation that may be called.
    pub fn operation(&self) -> usize {
        self.operation
    }
}

impl<I> fmt::Debug for Permit<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(&self.operation).finish()
    }
}
