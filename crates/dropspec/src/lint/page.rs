//! Renders what `lint` finds as the page of `diff`: a part for each operation and component, with the lines of each problem.

use std::cmp::Reverse;

use spec_diff::SourceLocation;
use spec_diff::report::{Head, Page};
use spec_model::Level;
use spec_schema::{METHODS, pointer};

use super::Problem;
use super::summary::summarize;
use crate::project;

/// The problems of one part of a document.
struct Group<'p> {
    file: &'p str,
    /// The operation, path or component; `None` for the rest of the document.
    name: Option<String>,
    problems: Vec<&'p Problem>,
}

/// Renders the page. `frozen` is why the released documents are not as they were.
pub(super) fn render_html(problems: &[&Problem], frozen: Option<&anyhow::Error>) -> String {
    let title = match summarize(problems, frozen.is_some()) {
        counted if counted.is_empty() => "No findings".to_owned(),
        counted => counted,
    };
    let mut page = Page::new("Lint", &title, &project::read_shown);
    if let Some(error) = frozen {
        page.paragraph(&error.to_string());
    }
    let groups = group(problems);
    let has_files = groups.iter().any(|it| it.file != groups[0].file);
    for group in &groups {
        let name = group.name.as_deref();
        let name = match (has_files, name) {
            (true, Some(name)) => Some(format!("{}: {name}", group.file)),
            (true, None) => Some(group.file.to_owned()),
            (false, name) => name.map(str::to_owned),
        };
        let is_open = group.level() == Level::Error;
        page.begin_group(name.as_deref(), &summarize(&group.problems, false), is_open);
        for Problem { level, diagnostic } in &group.problems {
            page.begin_entry(Head {
                level: *level,
                message: &diagnostic.message,
                rule: diagnostic.rule,
                anchor: None,
            });
            let location = SourceLocation::from(diagnostic.location.clone());
            page.sides(&[(&diagnostic.pointer, &location)]);
            if let Some(help) = &diagnostic.help {
                page.paragraph(&format!("→ {help}"));
            }
            page.end_entry();
        }
        page.end_group();
    }
    page.finish()
}

/// The groups, those with the highest level first, and then in the order of the documents.
fn group<'p>(problems: &[&'p Problem]) -> Vec<Group<'p>> {
    let mut groups: Vec<Group<'p>> = Vec::new();
    for problem in problems {
        let file = &*problem.diagnostic.location.file;
        let name = part(&problem.diagnostic.pointer);
        let same = groups
            .iter_mut()
            .find(|it| it.file == file && it.name == name);
        match same {
            Some(group) => group.problems.push(problem),
            None => groups.push(Group {
                file,
                name,
                problems: vec![problem],
            }),
        }
    }
    groups.sort_by_key(|it| Reverse(it.level()));
    groups
}

impl Group<'_> {
    fn level(&self) -> Level {
        let levels = self.problems.iter().map(|it| it.level);
        levels.max().unwrap_or(Level::Info)
    }
}

/// The part of a document that a pointer leads into, such as `GET /pets` or `schemas/Pet`.
fn part(at: &str) -> Option<String> {
    let tokens = pointer::tokens(at).unwrap_or_default();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    match tokens[..] {
        ["paths", path, method, ..] if METHODS.contains(&method) => {
            Some(format!("{} {path}", method.to_uppercase()))
        }
        ["paths", path, ..] => Some(path.to_owned()),
        ["components", section, name, ..] => Some(format!("{section}/{name}")),
        _ => None,
    }
}
