//! `add`: adds parts to the document that people edit.

mod edit;
mod layout;
pub(crate) mod name;
mod resource;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use dropspec_model::Document;
use serde_json::Map;

use self::name::Name;
use self::resource::Addition;
use crate::output::{print, replace_file};
use crate::project::{self, Project};

/// Add something to the document
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_long_help = "Examples:
  add resource reviews

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
/// byte of it. What is inserted comes from a template: the file that `resource-template` of dropspec.toml names, or a plain one.
/// A template is an OpenAPI document with a resource called `sample-items`, whose names are replaced, in each form: `SampleItem`,
/// `sampleItemId`, `sample_item_not_found`. Its properties are yours to write, in the place of the template's.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  add resource reviews
  add resource pet-reviews
  add resource media --singular medium --spec api.json

Then:
  dropspec generate        writes the trait with the new methods, and the client
  cargo check              names the methods that are missing
  dropspec diff            says which `info.version` the change needs; `dropspec diff --base main` before the first release

Exit codes: 0 all is well, 2 the resource cannot be added, and the document was not changed.")]
struct ResourceArguments {
    /// The name in the plural, such as `reviews` or `pet-reviews`
    #[arg(value_parser = parse_name)]
    name: String,
    /// What one of them is called, where NAME does not say it, as in `media`
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    singular: Option<String>,
    /// The document; that of dropspec.toml if absent
    #[arg(long, value_name = "FILE", value_parser = project::parse_file)]
    spec: Option<PathBuf>,
}

/// Runs `add`.
///
/// # Errors
/// The document cannot be read, has such a part already, or cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Part::Resource(arguments) = &arguments.part;
    let resource = Name::new(&arguments.name, arguments.singular.as_deref())?;
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
    let template = match &project.config.resource_template {
        Some(file) if arguments.spec.is_none() => project::read_text(&project.root.join(file))?,
        _ => resource::TEMPLATE.to_owned(),
    };
    let values = document.root().to_json();
    let additions = resource::plan(&values, &template, &resource);
    let edited = additions.and_then(|additions| {
        let edited = edit::apply(&text, &document, &additions)?;
        Ok((additions, edited))
    });
    let (additions, edited) = edited.with_context(|| format!("{name} was not changed"))?;
    replace_file(&path, &edited)?;
    print(summary(
        &project,
        &name,
        &additions,
        arguments.spec.is_some(),
    ))?;
    Ok(ExitCode::SUCCESS)
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
    dropspec_model::check_version(document)?;
    for section in ["paths", "components"] {
        let node = document.root().get(section);
        if let Some(file) = node.and_then(|it| it.get("$ref")?.as_str()) {
            let name = document.name();
            bail!(
                "the `{section}` of {name} are in {file}, and `add` writes only into {name}: add the resource by hand, or move them into {name}"
            );
        }
    }
    Ok(())
}

/// What was added, and what to do next.
fn summary(project: &Project, name: &str, additions: &[Addition], is_named: bool) -> String {
    let mut text = format!("{name} has a new resource:\n\n");
    let paths = additions.iter().filter(|it| it.container == ["paths"]);
    let paths = paths.filter_map(|it| Some((it.key.clone()?, it.value.clone())));
    let paths = serde_json::json!({ "paths": Map::from_iter(paths) });
    let operations: Vec<_> = resource::operations(&paths).collect();
    let width = operations.iter().map(|(_, path, _)| path.len()).max();
    let width = width.unwrap_or_default();
    for (method, path, id) in operations {
        let method = method.to_ascii_uppercase();
        let _ = writeln!(text, "  {method:<6} {path:<width$}  {id}");
    }
    let spec = if is_named {
        format!(" {name}")
    } else {
        String::new()
    };
    let [lint, generate, diff] = ["lint", "generate", "diff"].map(|it| project.command(it));
    let _ = writeln!(
        text,
        "\nRead it, and write what is special about it: properties, bounds, filters. Then:\n\n  \
         {lint}{spec}  # what the document lacks\n  \
         {generate}  # the trait with the new methods, and the client\n  \
         cargo check  # names the methods that are missing\n  \
         {diff}{spec}  # which `info.version` the change needs"
    );
    text
}
