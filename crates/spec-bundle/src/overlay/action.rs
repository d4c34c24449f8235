//! Applies the actions of an overlay to a document.

use serde_json_path::{NormalizedPath, PathElement};
use spec_model::{Node, Position, Value};
use spec_schema::pointer;

use super::{Action, Change, Overlay, Query};
use crate::bundler::Bundler;
use crate::overlay::merge::{self, Mismatch};

/// The steps to a value from the root.
type Path = Vec<Step>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Index(usize),
    Key(String),
}

impl Overlay {
    /// Applies all actions in their order.
    pub(crate) fn apply(&self, bundler: &mut Bundler<'_>, root: &mut Node) {
        // Most actions find what the document has; it is converted anew only after a change.
        let mut json = None;
        for action in &self.actions {
            let current = json.take().unwrap_or_else(|| root.to_json());
            let paths = action.target.select(&current);
            if paths.is_empty() {
                let message = format!("the target `{}` selects nothing", action.target.text);
                let help = "correct the target, or remove the action";
                let pointer = format!("{}/target", action.pointer);
                bundler.warn(action.target.at, &pointer, message, help);
                json = Some(current);
                continue;
            }
            match &action.change {
                Change::Nothing => json = Some(current),
                Change::Remove => remove(bundler, action, root, paths),
                Change::Update {
                    value,
                    appends_arrays,
                } => update(bundler, action, root, &paths, value, *appends_arrays),
                Change::Copy(source) => {
                    let sources = source.select(&current);
                    let [source_path] = &sources[..] else {
                        let (text, count) = (&source.text, sources.len());
                        let message =
                            format!("`copy` must select one value, but `{text}` selects {count}");
                        let pointer = format!("{}/copy", action.pointer);
                        let help = "name one value of the document";
                        bundler.report_error(source.at, &pointer, message, help);
                        continue;
                    };
                    if let Some(value) = find(root, source_path).cloned() {
                        update(bundler, action, root, &paths, &value, false);
                    }
                }
            }
        }
    }
}

impl Query {
    fn select(&self, document: &serde_json::Value) -> Vec<Path> {
        let mut paths = Vec::new();
        for path in self.path.query_located(document).locations() {
            let steps = steps(path);
            // A union may select a value twice.
            if !paths.contains(&steps) {
                paths.push(steps);
            }
        }
        paths
    }
}

fn steps(path: &NormalizedPath<'_>) -> Path {
    let steps = path.iter().map(|element| match element {
        PathElement::Name(name) => Step::Key((*name).to_owned()),
        PathElement::Index(index) => Step::Index(*index),
    });
    steps.collect()
}

fn update(
    bundler: &mut Bundler<'_>,
    action: &Action,
    root: &mut Node,
    paths: &[Path],
    value: &Node,
    appends_arrays: bool,
) {
    let forms = paths.iter().filter_map(|path| find(root, path)).map(form);
    let mut forms: Vec<&str> = forms.collect();
    forms.sort_unstable();
    forms.dedup();
    if let [one, other, ..] = forms[..] {
        let message = format!(
            "the target `{}` selects {one} and {other}: a change needs values of one form",
            action.target.text
        );
        let help = "make an action for each form";
        bundler.report_error(action.target.at, &action.pointer, message, help);
        return;
    }
    for path in paths {
        let Some(target) = find_mut(root, path) else {
            continue;
        };
        let merged = match (&mut target.value, &value.value) {
            (Value::Array(items), Value::Array(new)) if !appends_arrays => {
                items.extend(new.iter().cloned());
                Ok(())
            }
            (Value::Array(items), _) => {
                items.push(value.clone());
                Ok(())
            }
            _ => merge::merge(target, value, &pointer_of(path)),
        };
        if let Err(Mismatch { at, message }) = merged {
            report(bundler, action, at, message);
            return;
        }
    }
}

fn report(bundler: &mut Bundler<'_>, action: &Action, at: Position, message: String) {
    // A copied value is written elsewhere; the action is what a person corrects.
    let at = if matches!(action.change, Change::Copy(_)) {
        action.target.at
    } else {
        at
    };
    let help = "remove the value by an action before this one, or make two actions";
    bundler.report_error(at, &action.pointer, message, help);
}

fn remove(bundler: &mut Bundler<'_>, action: &Action, root: &mut Node, mut paths: Vec<Path>) {
    // From the end, so that the indices of the remaining items stay.
    paths.sort();
    for path in paths.iter().rev() {
        let Some((last, parent)) = path.split_last() else {
            let message = "the document itself cannot be removed";
            let help = "select a value in it";
            bundler.report_error(action.target.at, &action.pointer, message, help);
            return;
        };
        let parent = find_mut(root, parent).map(|parent| &mut parent.value);
        match (parent, last) {
            (Some(Value::Object(members)), Step::Key(key)) => {
                members.shift_remove(key);
            }
            (Some(Value::Array(items)), Step::Index(index)) if *index < items.len() => {
                items.remove(*index);
            }
            _ => {}
        }
    }
}

fn form(node: &Node) -> &'static str {
    match node.value {
        Value::Object(_) => "objects",
        Value::Array(_) => "arrays",
        _ => "primitive values",
    }
}

fn find<'n>(root: &'n Node, path: &[Step]) -> Option<&'n Node> {
    path.iter().try_fold(root, |node, step| match step {
        Step::Key(key) => node.get(key),
        Step::Index(index) => node.as_array()?.get(*index),
    })
}

fn find_mut<'n>(root: &'n mut Node, path: &[Step]) -> Option<&'n mut Node> {
    path.iter()
        .try_fold(root, |node, step| match (&mut node.value, step) {
            (Value::Object(members), Step::Key(key)) => Some(&mut members.get_mut(key)?.node),
            (Value::Array(items), Step::Index(index)) => items.get_mut(*index),
            _ => None,
        })
}

fn pointer_of(path: &[Step]) -> String {
    path.iter().fold(String::new(), |parent, step| match step {
        Step::Key(key) => pointer::join(&parent, key),
        Step::Index(index) => format!("{parent}/{index}"),
    })
}
