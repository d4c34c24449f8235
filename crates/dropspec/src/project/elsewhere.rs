//! Bundles documents that are not in a file: those of a git revision, at a URL, and on standard input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dropspec_model::{Diagnostic, Location};
use reqwest::blocking::{Client, Response};

use super::Project;
use crate::bundling::{Bundled, Input};
use crate::config;
use crate::sources::Revision;

/// What messages call the document on standard input.
const STANDARD_INPUT: &str = "stdin";

/// The longest time that a server may take for a file.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The most bytes of a file that is read from a server.
const LARGEST: u64 = 100_000_000;

/// Bundles a document of a git revision, with the overlays of that revision if it is the document of the repository.
pub(super) fn bundle_revision(
    project: &Project,
    revision: &Revision,
    document: &Path,
    is_own: bool,
) -> Result<Bundled, Vec<Diagnostic>> {
    let top = revision.repository.top();
    let overlays = if is_own {
        overlays_of(project, revision).unwrap_or_default()
    } else {
        Vec::new()
    };
    let input = Input {
        directory: top,
        prefix: &format!("{}:", revision.name),
        document,
        overlays: &overlays,
    };
    crate::bundling::bundle_with(input, &|path| {
        let path = path.strip_prefix(top).map_err(|_| {
            io::Error::other("it is outside of the git repository, so that no revision has it")
        })?;
        revision.show(path).map_err(io::Error::other)
    })
}

/// The overlays that the settings list in a revision. A revision without settings, or with those of another version of this
/// tool, has none.
fn overlays_of(project: &Project, revision: &Revision) -> Option<Vec<PathBuf>> {
    let root = project.root.canonicalize().ok()?;
    let root = root.strip_prefix(revision.repository.top()).ok()?;
    let settings = revision.show(&root.join(config::FILE)).ok()?;
    let settings: toml::Table = String::from_utf8(settings).ok()?.parse().ok()?;
    let overlays: Vec<PathBuf> = settings.get("overlays")?.clone().try_into().ok()?;
    Some(overlays.iter().map(|it| root.join(it)).collect())
}

/// Bundles the document on standard input. Other files are read from the working directory.
pub(super) fn bundle_standard_input() -> Result<Bundled, Vec<Diagnostic>> {
    let mut text = Vec::new();
    let read = io::stdin().read_to_end(&mut text);
    let directory = std::env::current_dir().unwrap_or_default();
    let document = directory.join(STANDARD_INPUT);
    let input = Input {
        directory: &directory,
        prefix: "",
        document: &document,
        overlays: &[],
    };
    crate::bundling::bundle_with(input, &|path| match (path == document, &read) {
        (true, Ok(_)) => Ok(text.clone()),
        (true, Err(error)) => Err(io::Error::new(error.kind(), error.to_string())),
        (false, _) => std::fs::read(path),
    })
}

/// Bundles the document at a URL. Other files are read from the same server.
pub(super) fn bundle_url(url: &str) -> Result<Bundled, Vec<Diagnostic>> {
    // The name is the path: a query is for the server alone.
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let start = url.find("://").map_or(0, |at| at + 3);
    let path = url[start..end].find('/').map_or(end, |at| start + at);
    let origin = &url[..path];
    if let Some((_, host)) = url[start..path].rsplit_once('@') {
        let reason = "reports would print the credentials of its URL".to_owned();
        return Err(refuse(host, reason));
    }
    let root = Path::new("/");
    let document = root.join(url[path..end].trim_start_matches('/'));
    let input = Input {
        directory: root,
        prefix: &format!("{origin}/"),
        document: &document,
        overlays: &[],
    };
    let client = Client::builder().timeout(TIMEOUT).build();
    let text = fetch(&client, url).map_err(|reason| refuse(url, reason))?;
    crate::bundling::bundle_with(input, &|path| {
        if path == document {
            return Ok(text.clone());
        }
        fetch(&client, &format!("{origin}{}", path.display())).map_err(io::Error::other)
    })
}

/// The error of a document that is not read from its URL.
fn refuse(file: &str, reason: String) -> Vec<Diagnostic> {
    let location = Location {
        file: file.into(),
        line: 0,
        column: 0,
    };
    let help = "correct the URL, or if it needs credentials: `curl … >FILE`, and name the file";
    vec![Diagnostic::new(location, "", reason).with_help(help)]
}

/// Reads a file of a server, or says why it cannot be read.
fn fetch(client: &reqwest::Result<Client>, url: &str) -> Result<Vec<u8>, String> {
    let client = client.as_ref().map_err(describe)?;
    let response = client.get(url).send();
    let response = response.and_then(Response::error_for_status);
    let response = response.map_err(|error| describe(&error))?;
    let mut bytes = Vec::new();
    let read = response.take(LARGEST + 1).read_to_end(&mut bytes);
    match read {
        Ok(length) if length as u64 > LARGEST => Err("it has more than 100 MB".to_owned()),
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("the answer breaks off: {error}")),
    }
}

/// An error with its causes, without the URL, which the message about the file has.
fn describe(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        return format!("the server answers {status}");
    }
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    format!("no answer comes from there: {}", causes.join(": "))
}
