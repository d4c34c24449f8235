//! The files of a bundle: finds them by the URL of a reference, reads and parses each once.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use dropspec_model::{Diagnostic, Location, Node, Position, decode, parse_file};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::bundling::target::{DOCUMENT, Target};
use crate::bundling::{Input, identifiers};

pub(crate) struct File {
    pub(crate) name: Arc<str>,
    pub(crate) url: Url,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) root: Node,
    /// An overlay: `#/…` in it refers to the document.
    pub(crate) is_overlay: bool,
}

/// The files read so far. A file that could not be read is reported once.
pub(crate) struct Files<'i> {
    directory: PathBuf,
    prefix: &'i str,
    read: &'i dyn Fn(&Path) -> io::Result<Vec<u8>>,
    files: Vec<File>,
    by_url: HashMap<Url, Option<u32>>,
}

/// Why what a reference names is not there.
pub(crate) enum Missing {
    /// It was reported at another reference.
    Reported,
    /// The diagnostics of the text of the file.
    Unusable(Vec<Diagnostic>),
    /// A problem of the reference: a message and a help.
    Problem(String, &'static str),
}

impl<'i> Files<'i> {
    pub(crate) fn new(
        input: &Input<'i>,
        read: &'i dyn Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> Files<'i> {
        // Without a working directory there are no relative paths, which the first file will show.
        let here = std::env::current_dir().unwrap_or_default();
        Files {
            directory: normalize(&here.join(input.directory)),
            prefix: input.prefix,
            read,
            files: Vec::new(),
            by_url: HashMap::new(),
        }
    }

    pub(crate) fn get(&self, index: u32) -> &File {
        &self.files[index as usize]
    }

    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        self.files.iter().map(|it| Arc::clone(&it.name)).collect()
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    pub(crate) fn location(&self, position: Position) -> Location {
        Location {
            file: Arc::clone(&self.get(position.file).name),
            line: position.line,
            column: position.column,
        }
    }

    /// The URL of a path, which may be relative to the directory.
    pub(crate) fn url_of(&self, path: &Path) -> Option<Url> {
        Url::from_file_path(normalize(&self.directory.join(path))).ok()
    }

    pub(crate) fn mark_overlay(&mut self, index: u32) {
        self.files[index as usize].is_overlay = true;
    }

    /// Splits a reference that is written in the file `base` into the file and the JSON pointer that it names.
    pub(crate) fn resolve(&mut self, base: u32, reference: &str) -> Result<Target, Missing> {
        if let Some(fragment) = reference.strip_prefix('#') {
            let file = if self.get(base).is_overlay {
                DOCUMENT
            } else {
                base
            };
            let pointer = pointer_of_fragment(fragment)?;
            return Ok(Target { file, pointer });
        }
        let mut url = self.get(base).url.join(reference).map_err(|error| {
            let message = format!("the `$ref` to `{reference}` is not a URL reference: {error}");
            let help = "write the relative path of a file, with `#/…` for a place in it";
            Missing::Problem(message, help)
        })?;
        let pointer = pointer_of_fragment(url.fragment().unwrap_or_default())?;
        url.set_fragment(None);
        let file = self.load(&url, reference)?;
        Ok(Target { file, pointer })
    }

    /// Reads a file, unless it was read before. `reference`: what names it, for messages.
    pub(crate) fn load(&mut self, url: &Url, reference: &str) -> Result<u32, Missing> {
        if let Some(known) = self.by_url.get(url) {
            return known.ok_or(Missing::Reported);
        }
        self.by_url.insert(url.clone(), None);
        if url.scheme() != "file" {
            let message = format!("`{reference}` is not a file: nothing is read from the network");
            let help = "save it as a file beside the document, and refer to that";
            return Err(Missing::Problem(message, help));
        }
        let Ok(path) = url.to_file_path() else {
            let message = format!("`{reference}` is not the path of a file of this computer");
            return Err(Missing::Problem(message, "write a relative path"));
        };
        let name = self.name_of(&path);
        let bytes = (self.read)(&path).map_err(|error| {
            let message = format!("{name} cannot be read: {error}");
            let help = "correct the path; that of a `$ref` starts at the directory of its file";
            Missing::Problem(message, help)
        })?;
        let text = decode(&name, bytes).map_err(|problem| Missing::Unusable(vec![problem]))?;
        let name: Arc<str> = Arc::from(name);
        let index = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let mut root = parse_file(&name, &text, index).map_err(Missing::Unusable)?;
        identifiers::resolve(&mut root);
        self.files.push(File {
            name,
            url: url.clone(),
            path,
            text,
            root,
            is_overlay: false,
        });
        self.by_url.insert(url.clone(), Some(index));
        Ok(index)
    }

    /// The path from the directory, if the file is below it.
    fn name_of(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.directory).unwrap_or(path);
        format!("{}{}", self.prefix, path.display())
    }
}

/// The path without `.` and `..`; symbolic links are not followed.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

fn pointer_of_fragment(fragment: &str) -> Result<String, Missing> {
    let decoded = percent_decode_str(fragment).decode_utf8();
    let pointer = decoded.ok().map(|pointer| pointer.into_owned());
    let is_pointer = |pointer: &String| pointer.is_empty() || pointer.starts_with('/');
    pointer.filter(is_pointer).ok_or_else(|| {
        let message = format!("`#{fragment}` is not a JSON pointer");
        let help = "write `#/` and the keys that lead to the target, with `/` between them";
        Missing::Problem(message, help)
    })
}
