//! `repair`: writes an overlay that mends what is wrong in a document always in the same ways.

mod faults;
mod mend;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use dropspec_model::Document;
use serde_json::json;

use self::mend::Mend;
use crate::bundling::Bundled;
use crate::check::{self, error_text, refused};
use crate::config;
use crate::generator_settings::own_settings;
use crate::linting::LintSettings;
use crate::losses::count;
use crate::output::{print, print_error, replace_file};
use crate::project::{self, Project};

/// Write an OpenAPI Overlay that mends a document from which nothing can be generated
///
/// The overlay mends what says no more of the requests and responses than the document does: `type: int`, `required: true` in a
/// schema, a path without its `/`. Where several things can be meant, such as the form of credentials whose security scheme is not
/// declared, it offers them as comments. Each action says what is wrong and where. The document itself is not changed.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  repair api.yaml --out api.repair.yaml
  repair api.yaml --accept-guesses > api.repair.yaml
  generate --spec api.repair.yaml --out api/src    the overlay names the document that it extends

Exit codes: 0 with the overlay all can be generated, 1 faults are left, 2 the document cannot be read, or the overlay not written.")]
pub struct Arguments {
    /// The document; that of dropspec.toml, with its overlays, if absent
    #[arg(value_name = "FILE", value_parser = project::parse_file)]
    file: Option<PathBuf>,

    /// The file for the overlay; standard output if absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file of --out
    #[arg(long, requires = "out")]
    force: bool,

    /// Where several things can be meant, take the first that is offered
    #[arg(long)]
    accept_guesses: bool,
}

/// Runs `repair`.
///
/// # Errors
/// There is no document and no `dropspec.toml`, the document cannot be bundled, or the overlay not be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let project = Project::find_for(arguments.file.as_ref())?;
    let own = project.document_path();
    let path = arguments.file.as_deref().unwrap_or(&own);
    let out = arguments
        .out
        .as_deref()
        .map(std::path::absolute)
        .transpose()?;
    if let Some(out) = out.as_ref().filter(|out| out.exists() && !arguments.force) {
        bail!(
            "{} exists already: replace it with --force, or name another file",
            out.display()
        );
    }
    let real = |path: &Path| path.canonicalize().ok();
    if let Some(out) = out
        .as_ref()
        .filter(|out| real(out).is_some() && real(out) == real(path))
    {
        bail!(
            "{} is the document itself, which the overlay extends: name another file",
            out.display()
        );
    }
    if let Some(out) = out.as_ref().filter(|out| out.exists() && !out.is_file()) {
        bail!(
            "{} cannot be written: it is no file; name another, or leave out --out",
            out.display()
        );
    }
    // An overlay that is written anew does not count.
    let mut overlays = project.overlays_of(path).to_vec();
    overlays.retain(|overlay| out.as_ref() != Some(&project.root.join(overlay)));
    let repair = Repair {
        project: &project,
        path,
        overlays,
        extends: extends(out.as_deref(), path)?,
        unwritten: out
            .clone()
            .unwrap_or_else(|| project.root.join("the overlay")),
    };
    let (mends, bundled) = repair.search(arguments.accept_guesses)?;
    let settings = own_settings(&project)?;
    let left = check::check(&bundled, &settings, &LintSettings::default()).errors;
    left.iter().for_each(|it| print_error(error_text(it)));
    let choices = mends.iter().filter(|mend| mend.made.is_none()).count();
    let name = bundled.document.name();
    let mut said = match mends.len() - choices {
        0 if choices == 0 => format!("{name}: there is nothing to mend"),
        0 => format!("{name}: there is nothing to mend without a choice"),
        mended => format!("{name}: {} mended", count(mended, "fault")),
    };
    if choices > 0 {
        let offered = count(choices, "choice");
        said += &format!("; {offered} offered, of which --accept-guesses takes the first of each");
    }
    if !left.is_empty() {
        said += &format!("; without more, {} left", count(left.len(), "error"));
    }
    match &out {
        None if mends.is_empty() => {}
        None => print(repair.overlay(&mends))?,
        // Also one that changes nothing: the next command reads it.
        Some(out) => {
            replace_file(out, &repair.overlay(&mends))?;
            said += &format!("\n{}", next_step(&project, path, out));
        }
    }
    print_error(said);
    Ok(ExitCode::from(u8::from(!left.is_empty() || choices > 0)))
}

/// Names `repair`, if it can mend anything in a document that was refused.
pub(crate) fn help(project: &Project, document: &Document) -> Option<String> {
    dropspec_model::check_version(document).ok()?;
    let faults = faults::find(document).len();
    let command = format!("{} {}", project.command("repair"), document.name());
    let help = format!(
        "help: `{command}` writes an overlay that mends {}, or offers how",
        count(faults, "fault")
    );
    (faults > 0).then_some(help)
}

/// What applies an overlay.
fn next_step(project: &Project, path: &Path, out: &Path) -> String {
    let name = project.display_path(out);
    if project.is_document(path) {
        return format!(
            "apply it: add \"{name}\" to the end of `overlays` in {}",
            config::FILE
        );
    }
    let command = project.command("generate");
    format!(
        "apply it: `{command} --spec {name} --out DIR`; other commands take {name} for the document, too"
    )
}

/// The reference to the document in the overlay.
fn extends(out: Option<&Path>, path: &Path) -> anyhow::Result<String> {
    let folder_of = |file: &Path| -> anyhow::Result<PathBuf> {
        let file = std::path::absolute(file)?;
        let folder = file.parent().unwrap_or(Path::new("/"));
        let real = folder.canonicalize();
        real.with_context(|| format!("the folder {} cannot be read", folder.display()))
    };
    let document = folder_of(path)?.join(path.file_name().unwrap_or_default());
    let folder = folder_of(out.unwrap_or(Path::new("overlay.yaml")))?;
    let mut relative = project::relative_path(&folder, &document)?;
    for sign in ["%", "#", "?", "\\"] {
        relative = relative.replace(sign, &format!("%{:02X}", sign.as_bytes()[0]));
    }
    Ok(format!("./{relative}"))
}

/// A document to mend.
struct Repair<'p> {
    project: &'p Project,
    path: &'p Path,
    /// Those that apply before.
    overlays: Vec<PathBuf>,
    /// The reference to the document.
    extends: String,
    /// Where the overlay will be, by whose name errors tell its places.
    unwritten: PathBuf,
}

impl Repair<'_> {
    /// What mends the document, the choices that are left, and the document with what is mended.
    fn search(&self, accepts_guesses: bool) -> anyhow::Result<(Vec<Mend>, Bundled)> {
        let mut mends: Vec<Mend> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let bundled = self.bundle(&mends)?;
            let found = faults::find(&bundled.document).into_iter();
            let (mut next, mut choices): (Vec<Mend>, Vec<Mend>) =
                found.partition(|mend| mend.made.is_some());
            // A guess may need what is mended.
            if next.is_empty() && accepts_guesses {
                choices.iter_mut().for_each(Mend::accept_guess);
                next.append(&mut choices);
            }
            next.retain(|mend| seen.insert(mend.fault.clone()));
            if next.is_empty() {
                mends.append(&mut choices);
                return Ok((mends, bundled));
            }
            mends.append(&mut next);
        }
    }

    fn bundle(&self, mends: &[Mend]) -> anyhow::Result<Bundled> {
        let unwritten = &self.unwritten;
        let text = self.overlay(mends);
        let read = |path: &Path| {
            if path == *unwritten {
                return Ok(text.clone().into_bytes());
            }
            fs::read(path)
        };
        let mut overlays = self.overlays.clone();
        if !mends.is_empty() {
            overlays.push(unwritten.clone());
        }
        let bundled = self.project.bundle_reading(self.path, &overlays, &read);
        let bundled = bundled.map_err(refused)?;
        dropspec_model::check_version(&bundled.document)?;
        Ok(bundled)
    }

    fn overlay(&self, mends: &[Mend]) -> String {
        let head = json!({
            "overlay": "1.1.0",
            "info": { "title": format!("Repair of {}", self.path.display()), "version": "1.0.0" },
            "extends": self.extends,
        });
        let mut text = format!("{}actions:\n", crate::bundling::to_yaml(&head));
        if mends.iter().all(|mend| mend.made.is_none()) {
            text += "  # An overlay needs an action. This changes nothing.\n  - target: $\n    update: {}\n";
        }
        mends.iter().for_each(|mend| text += &mend.render());
        text
    }
}
