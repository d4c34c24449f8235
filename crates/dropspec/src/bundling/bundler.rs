//! The state of a bundle: the files that were read, and what is wrong in them.

use std::io;
use std::path::Path;

use dropspec_model::{Diagnostic, Location, Node, Position};

use crate::bundling::Input;
use crate::bundling::components::Taken;
use crate::bundling::files::{Files, Missing};

/// The state of a bundle.
pub(crate) struct Bundler<'i> {
    pub(crate) files: Files<'i>,
    /// The components that were taken in from other files.
    pub(crate) taken: Taken,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl<'i> Bundler<'i> {
    /// Reads the file `document` as the root. Of the input, only the directory and the prefix are used.
    pub(crate) fn open_root(
        input: &Input<'i>,
        document: &Path,
        read: &'i dyn Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Result<(Bundler<'i>, Node), Vec<Diagnostic>> {
        let mut bundler = Bundler {
            files: Files::new(input, read),
            taken: Taken::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
        };
        let Some(index) = bundler.open_file(document) else {
            return Err(bundler.errors);
        };
        let root = bundler.files.get(index).root.clone();
        Ok((bundler, root))
    }

    /// Reads a file that the caller named.
    pub(crate) fn open_file(&mut self, path: &Path) -> Option<u32> {
        let name = path.display().to_string();
        let url = self.files.url_of(path)?;
        let loaded = self.files.load(&url, &name);
        let whole_file = Location {
            file: name.into(),
            line: 0,
            column: 0,
        };
        self.report_missing(loaded, whole_file, "")
    }

    /// Reports why a file or a target is not there, at the place that names it.
    pub(crate) fn report_missing<T>(
        &mut self,
        found: Result<T, Missing>,
        location: Location,
        pointer: &str,
    ) -> Option<T> {
        match found {
            Ok(found) => return Some(found),
            Err(Missing::Reported) => {}
            Err(Missing::Unusable(diagnostics)) => self.errors.extend(diagnostics),
            Err(Missing::Problem(message, help)) => {
                let error = Diagnostic::new(location, pointer, message);
                self.errors.push(error.with_help(help));
            }
        }
        None
    }

    /// Reports an error about the value at a position.
    pub(crate) fn report_error(
        &mut self,
        at: Position,
        pointer: &str,
        message: impl Into<String>,
        help: &str,
    ) {
        let error = Diagnostic::new(self.files.location(at), pointer, message);
        self.errors.push(error.with_help(help));
    }

    /// Warns about the value at a position.
    pub(crate) fn warn(
        &mut self,
        at: Position,
        pointer: &str,
        message: impl Into<String>,
        help: &str,
    ) {
        let warning = Diagnostic::new(self.files.location(at), pointer, message);
        self.warnings.push(warning.with_help(help));
    }
}
