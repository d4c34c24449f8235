//! The folders of a repository, and the generated files that belong into each.

use dropspec_codegen::{GeneratedFile, MARKER, Part};

use super::files::{self, Target};
use crate::package;
use crate::project::Project;

/// The folders of the repository with the files that belong into each.
pub(super) fn crate_targets(project: &Project, files: Vec<GeneratedFile>) -> Vec<Target> {
    let output = &project.config.output;
    let folders = [(Part::Api, &output.api), (Part::Client, &output.client)];
    let crates = folders.into_iter().filter_map(|(part, folder)| {
        let directory = project.root.join(folder.as_ref()?);
        let files = files.iter().filter(|file| file.part == part);
        let mut files: Vec<GeneratedFile> = files.cloned().collect();
        let has_library = files.iter().any(|file| file.name == "lib.rs");
        if files::may_write(&directory.join("lib.rs")) && !has_library {
            files.push(library(project, part, &files));
        }
        Some(Target { directory, files })
    });
    crates.chain(rules_page(project)).collect()
}

/// The `lib.rs` of a crate, unless a person has written it.
fn library(project: &Project, part: Part, files: &[GeneratedFile]) -> GeneratedFile {
    let source = project.document_name();
    let command = project.command("generate");
    let (what, shown): (_, &[&str]) = match part {
        Part::Api => (
            "The interface: the trait that a server implements, its types, and the dispatch of requests to its methods",
            &["api", "document", "interface", "operations"],
        ),
        Part::Client => ("The client: a method for each operation", &["client"]),
    };
    let description = format!("{what}; generated from `{source}`.");
    let text = package::library(&description, files, shown);
    GeneratedFile {
        part,
        name: "lib.rs".to_owned(),
        content: format!("{MARKER}{command}` from {source}. Do not edit.\n\n{text}"),
    }
}

/// The page with the rules of `diff` and `lint`, if the settings name one.
fn rules_page(project: &Project) -> Option<Target> {
    let path = project
        .root
        .join(project.config.output.rules_page.as_ref()?);
    Some(Target {
        directory: path.parent()?.to_owned(),
        files: vec![GeneratedFile {
            part: Part::Api,
            name: "rules.md".to_owned(),
            content: dropspec_diff::rules::render_page() + &crate::linting::render_rules(),
        }],
    })
}
