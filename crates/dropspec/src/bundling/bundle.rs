//! Bundles: reads the document, takes in other files, applies overlays.

use std::io;
use std::path::{Path, PathBuf};

use dropspec_model::{Diagnostic, Document, Node};

use crate::bundling::bundler::Bundler;
use crate::bundling::overlay::{self, Overlay};
use crate::bundling::target::DOCUMENT;
use crate::bundling::{Bundled, Input};

/// Bundles a document whose files `read` reads, for example from a revision of git. It gets absolute paths.
///
/// # Errors
/// As [`bundle`](crate::bundling::bundle).
pub fn bundle_with(
    input: Input<'_>,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Bundled, Vec<Diagnostic>> {
    let (bundler, root) = Bundler::open_root(&input, input.document, read)?;
    let Some(first) = overlay::document_of(&root) else {
        return finish(bundler, root, input.overlays);
    };
    // The document is itself an overlay: what it extends is the document.
    let url = bundler.files.get(DOCUMENT).url.join(first.0);
    let path = url.ok().and_then(|url| url.to_file_path().ok());
    let Some(path) = path else {
        let message = format!("the overlay extends `{}`, which is not a file", first.0);
        let help = "name the document, and this file as its overlay";
        let location = bundler.files.location(first.1);
        return Err(vec![
            Diagnostic::new(location, "/extends", message).with_help(help),
        ]);
    };
    let own = [input.document.to_owned()];
    let overlays: Vec<PathBuf> = own.iter().chain(input.overlays).cloned().collect();
    let (bundler, root) = Bundler::open_root(&input, &path, read)?;
    finish(bundler, root, &overlays)
}

/// Applies overlays, and makes the bundle.
fn finish(
    mut bundler: Bundler<'_>,
    mut root: Node,
    overlays: &[PathBuf],
) -> Result<Bundled, Vec<Diagnostic>> {
    let written = root.clone();
    bundler.take_in(&mut root, true);
    for path in overlays {
        let Some(index) = bundler.open_file(path) else {
            continue;
        };
        bundler.files.mark_overlay(index);
        if let Some(overlay) = Overlay::read(&mut bundler, index) {
            overlay.apply(&mut bundler, &mut root);
            // What the overlay wrote may refer to other files.
            bundler.take_in(&mut root, false);
        }
    }
    overlay::sort_responses(&bundler, &mut root);
    bundler.warnings.sort_by(|a, b| a.location.cmp(&b.location));
    bundler.warnings.dedup();
    bundler.errors.sort_by(|a, b| a.location.cmp(&b.location));
    bundler.errors.dedup();
    if !bundler.errors.is_empty() {
        return Err(bundler.errors);
    }
    let document = bundler.files.get(DOCUMENT);
    Ok(Bundled {
        unchanged: (written == root).then(|| document.text.clone()),
        is_json: document
            .text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('{'),
        files: bundler.files.paths(),
        document: Document::from_files(bundler.files.names(), root),
        warnings: bundler.warnings,
    })
}
