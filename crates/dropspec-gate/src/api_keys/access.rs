//! The access of a key: to operations that only read, or to all.

use std::fmt;

/// The access that a key has, or that an operation requires. `Write` includes `Read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Access {
    /// Operations that change nothing.
    Read,
    /// All operations.
    Write,
}

impl Access {
    /// The name of the access in the database and in the document (`x-required-access`): `read` or `write`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }

    /// Finds the access with this name, `read` or `write`.
    pub fn find(name: &str) -> Option<Access> {
        let all = [Access::Read, Access::Write];
        all.into_iter().find(|access| access.as_str() == name)
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
