//! What is said of a document from which code is generated: warnings, and operations that are left out.

use std::collections::HashMap;
use std::fmt;

use dropspec_codegen::Unsupported;
use dropspec_model::Diagnostic;

use crate::output::print_error;

/// The number of places that a summary lists of each kind of warning.
const PLACES: usize = 3;

/// What the generated code does not express.
#[derive(Debug, Clone, Default)]
pub(crate) struct Losses {
    /// What OpenAPI or the house does not allow, and what the generated code loses or changes, in the order of lines.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The operations that are left out.
    pub(crate) left_out: Vec<Unsupported>,
}

impl Losses {
    /// Prints each kind of warning once, and the operations that are left out. `lint` is the command that lists all.
    pub(crate) fn print(&self, lint: &str) {
        let groups = group_by_kind(&self.warnings);
        for group in &groups {
            print_error(group);
        }
        for left_out in &self.left_out {
            let answer = if left_out.is_answered {
                "and answered with 501"
            } else {
                "and not served"
            };
            let operation = &left_out.operation;
            print_error(format_args!("{operation} is left out, {answer}:"));
            for problem in &left_out.problems {
                print_error(format_args!("  {problem}"));
            }
        }
        if groups.iter().any(|it| it.warnings.len() > PLACES) {
            print_error(format_args!("`{lint}` lists every place"));
        }
    }

    /// Each kind of warning, as a text for people.
    pub(crate) fn warning_lines(&self) -> Vec<String> {
        let groups = group_by_kind(&self.warnings).into_iter();
        groups.map(|group| group.to_string()).collect()
    }

    /// Prints only how many there are: they were printed when the files were written.
    pub(crate) fn print_count(&self, lint: &str) {
        let counts = [
            (self.warnings.len(), "warning"),
            (self.left_out.len(), "operation left out"),
        ];
        let counts = counts.into_iter().filter(|(number, _)| *number > 0);
        let counts: Vec<String> = counts.map(|(number, what)| count(number, what)).collect();
        if !counts.is_empty() {
            let list = counts.join(", ");
            print_error(format_args!("as before: {list} (`{lint}` lists them)"));
        }
    }

    /// All warnings, and why operations are left out.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let problems = self.left_out.into_iter().flat_map(|it| it.problems);
        self.warnings.into_iter().chain(problems).collect()
    }
}

/// A number of things in words.
pub(crate) fn count(number: usize, what: &str) -> String {
    match (number, what.split_once(' ')) {
        (1, _) => format!("1 {what}"),
        (several, None) => format!("{several} {what}s"),
        (several, Some((noun, rest))) => format!("{several} {noun}s {rest}"),
    }
}

/// Warnings that differ only in their places and in what they quote.
struct WarningGroup<'w> {
    warnings: Vec<&'w Diagnostic>,
}

/// Groups warnings by kind, in the order of the first of each.
fn group_by_kind(warnings: &[Diagnostic]) -> Vec<WarningGroup<'_>> {
    let mut groups: Vec<WarningGroup<'_>> = Vec::new();
    let mut numbers: HashMap<Vec<&str>, usize> = HashMap::new();
    for warning in warnings {
        let number = numbers.entry(words_of_kind(&warning.message));
        let number = *number.or_insert(groups.len());
        if number == groups.len() {
            groups.push(WarningGroup {
                warnings: Vec::new(),
            });
        }
        groups[number].warnings.push(warning);
    }
    groups
}

/// The words of a message without what it quotes, such as names. What asks for a name is about that name: two misspelt
/// keys are not of one kind.
fn words_of_kind(message: &str) -> Vec<&str> {
    if message.ends_with('?') {
        vec![message]
    } else {
        message.split('`').step_by(2).collect()
    }
}

impl fmt::Display for WarningGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WarningGroup { warnings } = self;
        let first = warnings[0];
        let others = warnings.len() - 1;
        write!(f, "warning: {first}")?;
        if others == 0 {
            return Ok(());
        }
        let listed = warnings.iter().skip(1).take(PLACES - 1);
        let listed: Vec<String> = listed.map(|it| it.location.to_string()).collect();
        let more = match others - listed.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let places = listed.join(", ");
        write!(f, "\n  and {others} like it: {places}{more}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dropspec_model::Location;

    use super::*;

    fn warning(line: u32, message: &str) -> Diagnostic {
        let location = Location {
            file: Arc::from("a.yaml"),
            line,
            column: 1,
        };
        Diagnostic::new(location, "", message).with_help("do it")
    }

    #[test]
    fn misspelt_keys_are_kinds_of_their_own() {
        let warnings =
            ["gett", "gett", "putt"].map(|it| warning(1, &format!("`{it}`: is it `x`?")));
        assert_eq!(group_by_kind(&warnings).len(), 2);
    }

    #[test]
    fn counts_are_written_in_words() {
        assert_eq!(count(1, "operation left out"), "1 operation left out");
        assert_eq!(count(2, "operation left out"), "2 operations left out");
        assert_eq!(count(2, "warning"), "2 warnings");
    }
}
