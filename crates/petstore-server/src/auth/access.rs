//! What a key may do: only read, or change things too.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The access of a key, or the one that an operation requires. The later one includes the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Access {
    /// Operations that change nothing.
    Read,
    /// All operations.
    Write,
}

/// The text names no access.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no access {0:?}; it is read or write")]
pub struct UnknownAccess(String);

impl Access {
    /// Its name, as the store and the interface's document (`x-required-access`) write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }

    /// Whether a key with this access may do what requires `required`.
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
    fn write_includes_read_and_not_the_other_way_round() {
        assert!(Access::Write.allows(Access::Read));
        assert!(Access::Write.allows(Access::Write));
        assert!(Access::Read.allows(Access::Read));
        assert!(!Access::Read.allows(Access::Write));
    }
}
