//! The levels that `[[severity]]` chooses for what lint says, by the operations that the place is in.

use dropspec_diff::{ListedOperation, list_operations};
use dropspec_model::{ChosenLevel, Diagnostic, Document, Level, Severity, chosen_level};
use dropspec_schema::pointer;

/// The levels of a document.
pub(super) struct Levels<'s> {
    entries: &'s [Severity],
    operations: Vec<ListedOperation>,
}

impl<'s> Levels<'s> {
    pub(super) fn new(entries: &'s [Severity], document: &Document) -> Levels<'s> {
        let operations = list_operations(document);
        Levels {
            entries,
            operations,
        }
    }

    /// The level of a diagnostic: the highest at the operation that its place is in, or at those of its path. `None` if the
    /// settings turn it off at all.
    pub(super) fn choose(&self, level: Level, diagnostic: &Diagnostic) -> Option<Level> {
        if self.entries.is_empty() {
            return Some(level);
        }
        let choose = |operation: Option<&ListedOperation>| {
            let selected = operation.map(ListedOperation::selected);
            let chosen = chosen_level(self.entries, diagnostic.rule, selected);
            chosen.map_or(Some(level), ChosenLevel::level)
        };
        let tokens = pointer::tokens(&diagnostic.pointer).unwrap_or_default();
        let of_path: Vec<&ListedOperation> = match &tokens[..] {
            [paths, path, ..] if paths == "paths" => {
                let operations = self.operations.iter();
                operations.filter(|it| it.path == **path).collect()
            }
            _ => Vec::new(),
        };
        let own = of_path
            .iter()
            .find(|it| tokens.get(2).is_some_and(|method| *method == it.method));
        match (own, &of_path[..]) {
            (Some(own), _) => choose(Some(own)),
            (None, []) => choose(None),
            (None, operations) => operations.iter().filter_map(|it| choose(Some(it))).max(),
        }
    }
}
