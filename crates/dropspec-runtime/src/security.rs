//! The security of an interface: the schemes that its document declares, what each operation requires of them, and the
//! check of a request, which alone permits to dispatch it.

mod authorize;
mod credentials;
mod identities;
#[cfg(test)]
mod tests;
mod verify;

use dropspec_schema::SecurityScheme;

pub use self::authorize::{Authorization, Security};
pub use self::credentials::Credentials;
pub use self::identities::Identities;
pub use self::verify::{Denial, Permit, Verified, Verify};

/// A security scheme of the document: a way in which requests prove who sends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecuritySchemeInfo {
    /// Its name in `components/securitySchemes`.
    pub name: &'static str,
    /// How credentials are sent.
    pub kind: SecurityScheme<'static>,
}

/// A scheme that an operation requires, and the scopes that the identity must have been granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeUse {
    /// The index of the scheme in [`Interface::security_schemes`](crate::Interface::security_schemes).
    pub scheme: usize,
    /// The scopes, all of which are needed.
    pub scopes: &'static [&'static str],
}

impl SchemeUse {
    /// A use of the scheme with this index, with these scopes.
    pub const fn new(scheme: usize, scopes: &'static [&'static str]) -> Self {
        Self { scheme, scopes }
    }
}
