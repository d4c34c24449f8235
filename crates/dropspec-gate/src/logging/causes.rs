//! An error with its causes, in one line.

use std::error::Error;
use std::fmt;

use anyhow::Chain;

/// Displays an error and all of its sources in one line, separated by colons.
#[derive(Debug)]
pub struct Causes<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last = self.0.to_string();
        f.write_str(&last)?;
        for cause in Chain::new(self.0).skip(1) {
            let text = cause.to_string();
            // Some errors repeat their cause.
            if !last.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            last = text;
        }
        Ok(())
    }
}
