//! Who runs a key command, and where.

use std::io;

use crate::keys::Author;

/// Who runs a key command, and where.
#[derive(Debug)]
pub struct Caller {
    /// Who it is, and the time.
    pub author: Author,
    /// The width of the terminal that shows the result; `None` if it is a file or a program, which get everything.
    pub columns: Option<usize>,
    /// Asks a person a question, whether to go on; `None` if there is nobody.
    pub confirm: Option<fn(&str) -> io::Result<bool>>,
    /// Where the servers count requests, if it is not in the ledger at hand.
    pub counted_in: Option<String>,
}

impl Caller {
    /// A program that runs a command and reads its result.
    pub fn new(author: impl Into<Author>) -> Caller {
        Caller {
            author: author.into(),
            columns: None,
            confirm: None,
            counted_in: None,
        }
    }
}
