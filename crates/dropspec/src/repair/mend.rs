//! What mends a fault: actions of an overlay, and the comment above them.

use dropspec_model::{Diagnostic, Location, Node};
use dropspec_schema::pointer;
use serde_json::{Value, json};

use crate::bundling::to_yaml;

/// A fault, and what mends it.
#[derive(Debug, Clone)]
pub(crate) struct Mend {
    pub(super) fault: Diagnostic,
    /// How many other places have the same fault, which it mends too.
    pub(super) others: usize,
    /// What says no more of the wire than the document does.
    pub(super) made: Option<Choice>,
    /// Guesses, the most likely first.
    pub(super) offered: Vec<Choice>,
    /// Whether values move, so that the pointers of others change.
    pub(super) moves: bool,
}

/// One way to mend a fault.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// Why nothing else is meant; of a guess, what it supposes.
    text: String,
    actions: Vec<Value>,
}

impl Mend {
    pub(super) fn new(location: Location, at: &str, message: impl Into<String>) -> Mend {
        Mend {
            fault: Diagnostic::new(location, at, message),
            others: 0,
            made: None,
            offered: Vec::new(),
            moves: false,
        }
    }

    /// Mends the fault without a guess.
    pub(super) fn by(mut self, text: impl Into<String>, actions: Vec<Value>) -> Mend {
        let text = text.into();
        self.made = Some(Choice { text, actions });
        self
    }

    /// Offers a guess.
    pub(super) fn or(mut self, text: impl Into<String>, actions: Vec<Value>) -> Mend {
        let text = text.into();
        self.offered.push(Choice { text, actions });
        self
    }

    pub(super) fn moving(mut self) -> Mend {
        self.moves = true;
        self
    }

    /// All that it makes or offers, as text.
    pub(super) fn choices(&self) -> String {
        format!("{:?}", (&self.made, &self.offered))
    }

    /// Makes the first guess, if nothing else mends the fault.
    pub(super) fn accept_guess(&mut self) {
        if self.made.is_none() {
            let Choice { text, actions } = self.offered.remove(0);
            let text = format!(
                "A guess: {text}. If that is wrong, write other actions in place of these."
            );
            self.made = Some(Choice { text, actions });
        }
    }

    /// The items of the overlay's list of actions; what is offered is a comment.
    pub(super) fn render(&self) -> String {
        let Diagnostic {
            location,
            pointer,
            message,
            ..
        } = &self.fault;
        let others = match self.others {
            0 => String::new(),
            others => format!("; {others} more like it"),
        };
        let mut text = format!(
            "\n{}",
            comment(&format!("{location}: {message} ({pointer}){others}"))
        );
        match &self.made {
            Some(made) => text += &format!("{}{}", comment(&made.text), made.yaml("  ")),
            None => text += &comment("This is a choice. Remove the `#` before the actions of one:"),
        }
        for offered in &self.offered {
            let head = comment(&format!("If {}:", offered.text));
            text += &format!("{head}{}", offered.yaml("  # "));
        }
        text
    }
}

impl Choice {
    fn yaml(&self, indent: &str) -> String {
        let yaml = to_yaml(&json!(self.actions));
        let lines = yaml.lines().map(|line| format!("{indent}{line}\n"));
        lines.collect()
    }
}

/// A line of comment, whatever names of the document it quotes.
fn comment(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    format!("  # {}\n", text.replace(breaks, " "))
}

/// The JSONPath expression (RFC 9535) of a JSON pointer, whose last parts may not be there yet.
pub(super) fn json_path(root: &Node, at: &str) -> String {
    let mut node = Some(root);
    let mut path = "$".to_owned();
    for token in pointer::tokens(at).unwrap_or_default() {
        let mut letters = token.chars();
        let is_word = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        path += &match node {
            Some(list) if list.as_array().is_some() => format!("[{token}]"),
            _ if is_word => format!(".{token}"),
            _ => format!("[{}]", json!(token)),
        };
        node = node.and_then(|node| node.pointer(&pointer::join("", &token)));
    }
    path
}
