//! The access of a key: to operations that only read, or to all.

use std::fmt;

/// The access of a key, or the access that an operation requires. The later one includes the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Access {
    /// Operations that change nothing.
    Read,
    /// All operations.
    Write,
}

impl Access {
    /// The name in the database and in the document (`x-required-access`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
        }
    }

    /// The access with this name.
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
