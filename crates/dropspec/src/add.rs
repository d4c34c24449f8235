//! `add`: adds parts to the document that people edit.

mod conventions;
mod copy;
mod edit;
mod field;
mod noun;
mod operations;
mod renaming;
mod resource;
mod schemas;
mod style;
mod survey;
mod verify;
mod yaml;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use similar::TextDiff;
use spec_model::Document;

use self::field::Field;
use self::noun::{Case, Noun};
use self::resource::{Likeness, Plan};
use crate::output::{print, print_error};
use crate::project::{self, Project};

/// Add something to the document
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_long_help = "Examples:
  add resource reviews
  add resource reviews --field text:string:required --field stars:integer --dry-run

Exit codes: 0 all is well, 2 the document cannot be used, and was not changed."
)]
pub struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    Resource(ResourceArguments),
}

/// Add a resource: list, create, get, replace and delete
///
/// Inserts two paths with five operations, their schemas and what belongs to them into the document, and keeps every other
/// byte of it. The new operations are like those of the resource that is most complete: its pages, ids, headers, error
/// responses, security and extensions, and the form of its names. Texts, rules and filters of that resource are not taken. In a
/// document without resources, they are like most operations.
///
/// The change is checked before it is written: `lint` must have nothing new to say, and `diff` no break.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  add resource reviews
  add resource reviews --field text:string:required --field stars:integer --field petId:references=pets:required
  add resource pet-reviews --field state:enum=open,closed --dry-run
  add resource media --singular medium --spec api.json

Types of fields: string, integer, number, boolean, date, date-time, uuid, enum=A,B, references=RESOURCE (its id).
Without --field a resource has a required `name`.

Then:
  dropspec generate        writes the trait with the new methods, and the client
  cargo check              names the methods that are missing
  dropspec diff            says which `info.version` the change needs

Exit codes: 0 all is well, 2 the resource cannot be added, and the document was not changed.")]
struct ResourceArguments {
    /// The name in the plural, such as `reviews` or `pet-reviews`
    #[arg(value_parser = parse_name)]
    name: String,
    /// What one of them is called, where NAME does not say it, as in `media`
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    singular: Option<String>,
    /// A property: `name:type`, or `name:type:required`; again for each
    #[arg(long = "field", value_name = "NAME:TYPE[:required]", value_parser = field::parse)]
    fields: Vec<Field>,
    /// The document; that of dropspec.toml if absent
    #[arg(long, value_name = "FILE", value_parser = project::parse_file)]
    spec: Option<PathBuf>,
    /// Print the change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Runs `add`.
///
/// # Errors
/// The document cannot be read, has such a part already, or cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Part::Resource(arguments) = &arguments.part;
    let noun = arguments.noun()?;
    let (project, path) = match &arguments.spec {
        Some(path) => (Project::find_or_default()?, path.clone()),
        None => {
            let project = Project::find()?;
            let path = project.document_path();
            (project, path)
        }
    };
    let name = project.display_path(&path);
    let text = project::read_text(&path)?;
    let document = Document::parse(&name, &text)
        .map_err(|errors| anyhow::anyhow!("{}; nothing was written", errors[0]))?;
    check_kind(&document)?;
    let values = document.root().to_json();
    let make = |likeness: Likeness| -> anyhow::Result<(Plan, String, Vec<String>)> {
        let plan = resource::plan(&values, &noun, &arguments.fields, likeness)?;
        let edited = edit::apply(&text, &document, &plan.additions)?;
        let change = verify::Change {
            path: &path,
            name: &name,
            values: &values,
            edited: &edited,
            additions: &plan.additions,
        };
        let notes = verify::verify(&project, &change)?;
        Ok((plan, edited, notes))
    };
    // A resource that has errors itself is no model; what most operations do may be.
    let made = make(Likeness::Model).or_else(|error| match make(Likeness::Conventions) {
        Ok(made) => Ok(made),
        Err(_) => Err(error),
    });
    let (plan, edited, notes) = made.with_context(|| nothing_written(&name))?;
    if arguments.dry_run {
        let diff = TextDiff::from_lines(&text, &edited);
        let mut unified = diff.unified_diff();
        print(unified.header(&name, &name).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    write(&path, &edited).with_context(|| format!("{name} cannot be written"))?;
    print(summary(&project, &name, &plan, arguments.spec.is_some()))?;
    for note in notes {
        print_error(format_args!("note: {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

impl ResourceArguments {
    fn noun(&self) -> anyhow::Result<Noun> {
        let mut noun = Noun::of_plural(&self.name);
        if let Some(singular) = &self.singular {
            noun.singular = noun::words(singular);
        }
        if noun.singular == noun.plural {
            let mut plural = noun.plural.clone();
            if let Some(last) = plural.last_mut() {
                *last = noun::plural_of(last);
            }
            bail!(
                "`{name}` is both plural and singular: name the resource in the plural, such as `{}`, or say with --singular what one \
                 of them is called",
                Case::Kebab.write(&plural),
                name = self.name
            );
        }
        Ok(noun)
    }
}

fn nothing_written(name: &str) -> String {
    format!("{name} was not changed")
}

/// Parses the name of a resource.
fn parse_name(text: &str) -> anyhow::Result<String> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
    let is_name =
        text.starts_with(|sign: char| sign.is_ascii_alphabetic()) && text.chars().all(is_plain);
    if !is_name {
        bail!("write letters, digits and hyphens, a letter first: pet-reviews, for example");
    }
    Ok(text.to_owned())
}

/// Checks that the text is a document that can be added to.
fn check_kind(document: &Document) -> anyhow::Result<()> {
    let root = document.root();
    let name = document.name();
    if root.get("overlay").is_some() {
        bail!("{name} is an overlay: name the document that it changes with --spec");
    }
    spec_model::check_comparable_version(document)?;
    let Some(paths) = root.get("paths") else {
        bail!("{name} has no `paths`: write `paths: {{}}` there first");
    };
    let other = |node: &spec_model::Node| {
        let reference = node.get("$ref").and_then(spec_model::Node::as_str);
        reference
            .filter(|it| !it.starts_with('#'))
            .map(str::to_owned)
    };
    let sections = [
        ("paths", Some(paths)),
        ("components", root.get("components")),
    ];
    for (section, node) in sections {
        if let Some(file) = node.and_then(other) {
            bail!(
                "the `{section}` of {name} are in {file}, and `add` writes only into {name}: add the resource by hand, or move them into {name}"
            );
        }
    }
    let items = paths.as_object().into_iter().flat_map(|it| it.values());
    let mut items = items.map(|member| other(&member.node)).peekable();
    if items.peek().is_some() && items.all(|it| it.is_some()) {
        bail!(
            "all paths of {name} are in other files, and `add` writes only into {name}: add the resource by hand, beside the others"
        );
    }
    Ok(())
}

/// Replaces the text of a file at once: whoever reads it sees the old text or the new one.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    // The file that a link names is replaced, not the link.
    let path = path.canonicalize()?;
    let folder = path.parent().context("the file has no folder")?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        bail!("the file is read-only");
    }
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

/// What was added, and what to do next.
fn summary(project: &Project, name: &str, plan: &Plan, is_named: bool) -> String {
    let mut text = match &plan.model {
        Some(model) => format!("{name} has a new resource, made like {model}:\n\n"),
        None => format!("{name} has a new resource, made like most of its operations:\n\n"),
    };
    let width = plan
        .operations
        .iter()
        .map(|(_, path, _)| path.len())
        .max()
        .unwrap_or(0);
    for (method, path, id) in &plan.operations {
        let _ = writeln!(text, "  {method:<6} {path:<width$}  {id}");
    }
    let _ = writeln!(text, "\n  schemas {}", plan.schemas.join(", "));
    let spec = if is_named {
        format!(" {name}")
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "\nRead it, and write what is special about it: bounds, rules, filters. Then:\n"
    );
    let lines = [
        (
            format!("{}{spec}", project.command("lint")),
            "what the document lacks",
        ),
        (
            project.command("generate"),
            "the trait with the new methods, and the client",
        ),
        (
            "cargo check".to_owned(),
            "names the methods that are missing",
        ),
        (
            format!("{}{spec}", project.command("diff")),
            "which `info.version` the change needs",
        ),
    ];
    let is_other = is_named && !project.is_own(&crate::sources::Source::File(name.into()));
    let lines: Vec<_> = lines
        .into_iter()
        .enumerate()
        .filter(|(index, _)| !is_other || [0, 3].contains(index))
        .collect();
    let width = lines
        .iter()
        .map(|(_, (command, _))| command.len())
        .max()
        .unwrap_or(0);
    for (_, (command, what)) in lines {
        let _ = writeln!(text, "  {command:<width$}  # {what}");
    }
    text
}
