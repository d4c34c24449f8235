//! The access of a key: to operations that only read, or to all.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The access of a key, or the access that an operation requires. The later one includes the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Access {
    /// Operations that change nothing.
    Read,
    /// All operations.
    Write,
}

/// The text is not the name of an access.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no access {0:?}; use read or write")]
pub struct UnknownAccess(String);

impl Access {
    /// The name in the database and in the document (`x-required-access`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }

    /// Whether a key with this access may call an operation that requires `required`.
    pub fn allows(self, required: Access) -> bool {
        self >= required
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Access {
    type Err = UnknownAccess;

    fn from_str(text: &str) -> Result<Access, UnknownAccess> {
        [Access::Read, Access::Write]
            .into_iter()
            .find(|access| access.as_str() == text)
            .ok_or_else(|| UnknownAccess(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_allows_read_and_read_does_not_allow_write() {
        assert!(Access::Write.allows(Access::Read));
        assert!(Access::Write.allows(Access::Write));
        assert!(Access::Read.allows(Access::Read));
        assert!(!Access::Read.allows(Access::Write));
    }
}
