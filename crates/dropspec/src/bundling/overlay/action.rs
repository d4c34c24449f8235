//! Applies the actions of an overlay to a document.

use dropspec_model::{Node, Position, Value};
use dropspec_schema::pointer;

use super::{Action, Change, Overlay, Query};
use crate::bundling::bundler::Bundler;
use crate::bundling::overlay::merge::{self, Mismatch};

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
                    if let Some(value) = root.pointer(source_path).cloned() {
                        update(bundler, action, root, &paths, &value, false);
                    }
                }
            }
        }
    }
}

impl Query {
    /// The JSON pointers of what the query selects.
    fn select(&self, document: &serde_json::Value) -> Vec<String> {
        let mut pointers = Vec::new();
        for path in self.path.query_located(document).locations() {
            let pointer = path.to_json_pointer();
            // A union may select a value twice.
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
        pointers
    }
}

fn update(
    bundler: &mut Bundler<'_>,
    action: &Action,
    root: &mut Node,
    paths: &[String],
    value: &Node,
    appends_arrays: bool,
) {
    let forms = paths.iter().filter_map(|path| root.pointer(path)).map(form);
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
        let Some(target) = find_mut(root, &tokens(path)) else {
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
            _ => merge::merge(target, value, path),
        };
        if let Err(Mismatch { at, message }) = merged {
            report_mismatch(bundler, action, at, message);
            return;
        }
    }
}

fn report_mismatch(bundler: &mut Bundler<'_>, action: &Action, at: Position, message: String) {
    // A copied value is written elsewhere; the action is what a person corrects.
    let at = if matches!(action.change, Change::Copy(_)) {
        action.target.at
    } else {
        at
    };
    let help = "remove the value by an action before this one, or make two actions";
    bundler.report_error(at, &action.pointer, message, help);
}

fn remove(bundler: &mut Bundler<'_>, action: &Action, root: &mut Node, paths: Vec<String>) {
    // From the end, so that the indices of the remaining items stay.
    let mut paths: Vec<Vec<String>> = paths.iter().map(|path| tokens(path)).collect();
    let order = |token: &String| (token.parse::<usize>().ok(), token.clone());
    paths.sort_by_cached_key(|path| path.iter().map(order).collect::<Vec<_>>());
    for path in paths.iter().rev() {
        let Some((last, parent)) = path.split_last() else {
            let message = "the document itself cannot be removed";
            let help = "select a value in it";
            bundler.report_error(action.target.at, &action.pointer, message, help);
            return;
        };
        match find_mut(root, parent).map(|parent| &mut parent.value) {
            Some(Value::Object(members)) => {
                members.shift_remove(last);
            }
            Some(Value::Array(items)) => {
                let index = last.parse().ok().filter(|index| *index < items.len());
                index.map(|index: usize| items.remove(index));
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

fn tokens(pointer: &str) -> Vec<String> {
    pointer::tokens(pointer).unwrap_or_default()
}

fn find_mut<'n>(root: &'n mut Node, path: &[String]) -> Option<&'n mut Node> {
    path.iter()
        .try_fold(root, |node, token| match &mut node.value {
            Value::Object(members) => Some(&mut members.get_mut(token)?.node),
            Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
            _ => None,
        })
}
