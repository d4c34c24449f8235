//! The copy of a document in a new workspace: of one file, or of all files that it refers to, with their names and folders.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::bundling::Bundled;

/// The files of a document, below the folder `spec` of a workspace.
#[derive(Debug)]
pub(super) struct Copy {
    /// The path of the document.
    pub(super) document: String,
    /// The paths and texts of all files.
    pub(super) files: Vec<(String, String)>,
}

impl Copy {
    /// Reads the files of a bundle. A document in one file is called `openapi`; the files of another keep their names,
    /// because they refer to each other by them.
    ///
    /// # Errors
    /// A file cannot be read any more, or its path is not Unicode.
    pub(super) fn read(document: &Path, bundled: &Bundled) -> anyhow::Result<Copy> {
        if let Some(text) = bundled.unchanged_text() {
            let name = if document.extension().is_some_and(|it| it == "json") {
                "openapi.json"
            } else {
                "openapi.yaml"
            };
            return Ok(Copy {
                document: name.to_owned(),
                files: vec![(name.to_owned(), text.to_owned())],
            });
        }
        let shared = shared_folder(&bundled.files);
        let relative = |path: &Path| {
            let path = path.strip_prefix(&shared).unwrap_or(path);
            let text = path.to_str().map(str::to_owned);
            text.with_context(|| format!("the path {} is not Unicode", path.display()))
        };
        let files = bundled.files.iter().map(|path| {
            let text = crate::project::read_text(path)?;
            Ok((relative(path)?, text))
        });
        // An overlay can be the document: then what it extends is the first file.
        let is_document =
            |path: &&PathBuf| path.canonicalize().ok() == document.canonicalize().ok();
        let document = bundled.files.iter().find(is_document);
        let document = document.unwrap_or(&bundled.files[0]);
        Ok(Copy {
            document: relative(document)?,
            files: files.collect::<anyhow::Result<_>>()?,
        })
    }
}

/// The deepest folder that all files are in.
fn shared_folder(files: &[PathBuf]) -> PathBuf {
    let mut folders = files.iter().filter_map(|file| file.parent());
    let first = folders.next().unwrap_or(Path::new(""));
    folders.fold(first.to_owned(), |shared, folder| {
        let both = shared.components().zip(folder.components());
        both.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    })
}
