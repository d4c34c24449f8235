//! The proof that a request may call an operation.

use std::fmt;
use std::marker::PhantomData;

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
    #[must_use]
    pub fn operation(&self) -> usize {
        self.operation
    }
}

impl<I> fmt::Debug for Permit<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(&self.operation).finish()
    }
}
