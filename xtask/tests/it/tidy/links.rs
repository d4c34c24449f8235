//! The links of the pages: each leads to a file of the repository, and to a heading of it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The links of these pages that lead nowhere, one in a line. `root` is the folder of the repository.
pub fn broken(root: &Path, pages: &[String]) -> Vec<String> {
    // The headings of each target that exists.
    let mut anchors: HashMap<PathBuf, Option<HashSet<String>>> = HashMap::new();
    let mut found = Vec::new();
    for page in pages {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let folder = Path::new(page).parent().unwrap();
        for line in outside_code(&text) {
            for link in links(&without_code_spans(line)) {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                if link.contains("://") || link.starts_with("mailto:") {
                    continue;
                }
                let target = match path {
                    "" => PathBuf::from(page),
                    path => resolve(&folder.join(path)),
                };
                let anchors = anchors.entry(target).or_insert_with_key(|target| {
                    let is_page = target.extension().is_some_and(|it| it == "md");
                    let text = fs::read_to_string(root.join(target));
                    let exists = root.join(target).exists();
                    let headings = text.ok().filter(|_| is_page).map(|it| headings(&it));
                    exists.then(|| headings.unwrap_or_default())
                });
                let leads = |it: &HashSet<String>| anchor.is_empty() || it.contains(anchor);
                if !anchors.as_ref().is_some_and(leads) {
                    found.push(format!("{page}: {link}"));
                }
            }
        }
    }
    found
}

/// The lines that are not in blocks of code.
fn outside_code(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

fn links(line: &str) -> impl Iterator<Item = &str> {
    let after = line.split("](").skip(1);
    after.filter_map(|it| it.split([')', ' ']).next())
}

fn resolve(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(resolved.pop()),
            component => resolved.push(component),
        }
    }
    resolved
}

/// The anchors that forges make of headings: small letters, digits, `-` for spaces; a number behind one that is there already.
fn headings(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    for line in outside_code(text).filter(|line| line.starts_with('#')) {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|it| it.is_alphanumeric() || " -_".contains(*it));
        let anchor = kept.collect::<String>().replace(' ', "-");
        let mut numbered = (1..).map(|number| format!("{anchor}-{number}"));
        if !found.insert(anchor.clone()) {
            found.insert(numbered.find(|it| !found.contains(it)).unwrap());
        }
    }
    found
}
