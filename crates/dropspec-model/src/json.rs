//! A JSON (RFC 8259) parser with positions. `serde_json` decodes strings and numbers. The parser of YAML does not replace
//! it: YAML has no surrogate pairs (`\ud83d\ude00`), as which many programs write what is beyond ASCII.

use std::str::Chars;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Object, Position, Value};
use crate::tree::{Fatal, Tree};

/// Parses a JSON document. Returns the first syntax error and all duplicate keys.
pub(crate) fn parse(name: &Arc<str>, text: &str, file: u32) -> Result<Node, Vec<Diagnostic>> {
    let mut tree = Tree::new(name);
    tree.keeps_key = true;
    let mut parser = Parser {
        rest: text.chars(),
        at: Position {
            file,
            line: 1,
            column: 1,
        },
        tree,
    };
    let result = parser.parse_document();
    parser.tree.finish(result)
}

/// What the parser expects, as messages name it.
const KEY: &str = "a key in double quotes";
const VALUE: &str = "a value";
const END: &str = "the end of the document";
const VALUE_HELP: &str =
    "write a text in double quotes, a number, `true`, `false`, `null`, `{…}` or `[…]`";

type Parsed<T> = Result<T, Fatal>;

struct Parser<'t> {
    rest: Chars<'t>,
    at: Position,
    tree: Tree<'t>,
}

impl<'t> Parser<'t> {
    fn parse_document(&mut self) -> Parsed<()> {
        self.parse_value()?;
        self.skip_whitespace();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected(END)),
        }
    }

    fn parse_value(&mut self) -> Parsed<()> {
        self.skip_whitespace();
        let position = self.at;
        let value = match self.peek() {
            Some('{') => return self.parse_nested(Value::Object(Object::new()), '}', "`,` or `}`"),
            Some('[') => return self.parse_nested(Value::Array(Vec::new()), ']', "`,` or `]`"),
            Some('"') => Value::String(self.parse_string()?),
            Some('-' | '0'..='9') => Value::Number(self.parse_number()?),
            Some('a'..='z') => self.parse_word()?,
            _ => return Err(self.unexpected(VALUE)),
        };
        self.tree.add(Node { position, value });
        Ok(())
    }

    /// Parses an array or object. `then` is what may follow a part of it.
    fn parse_nested(&mut self, empty: Value, end: char, then: &str) -> Parsed<()> {
        self.tree.open(empty, self.at)?;
        self.advance();
        self.skip_whitespace();
        let mut is_first = true;
        while !(is_first && self.skip_if(end)) {
            self.skip_whitespace();
            if self.tree.expects_key() {
                self.parse_key()?;
            }
            self.parse_value()?;
            self.skip_whitespace();
            if self.skip_if(end) {
                break;
            }
            if !self.skip_if(',') {
                return Err(self.unexpected(then));
            }
            is_first = false;
        }
        let closed = self.tree.close();
        closed.into_iter().for_each(|node| self.tree.add(node));
        Ok(())
    }

    fn parse_key(&mut self) -> Parsed<()> {
        if self.peek() != Some('"') {
            return Err(self.unexpected(KEY));
        }
        let at = self.at;
        let key = self.parse_string()?;
        self.tree.set_key(key, at);
        self.skip_whitespace();
        if self.skip_if(':') {
            return Ok(());
        }
        Err(self.unexpected("`:`"))
    }

    fn parse_string(&mut self) -> Parsed<String> {
        let start = self.at;
        let text = self.rest.as_str();
        self.advance();
        loop {
            match self.advance() {
                Some('"') => break,
                Some('\\') => {
                    self.advance();
                }
                Some('\n') => {
                    let message = "the string does not end on its line";
                    let help = "close it with `\"`; a line break in a text is written `\\n`";
                    return Err(self.tree.error(start, message, help));
                }
                Some(control @ '\0'..='\x1f') => {
                    let message = format!("the string contains an unescaped {control:?}");
                    let help = "write it as an escape, such as `\\n`";
                    return Err(self.tree.error(start, message, help));
                }
                Some(_) => {}
                None => {
                    let message = "the string does not end";
                    return Err(self.tree.error(start, message, "close it with `\"`"));
                }
            }
        }
        let literal = &text[..text.len() - self.rest.as_str().len()];
        serde_json::from_str(literal).map_err(|_| {
            let message = "the string contains an escape that JSON does not define";
            let help = "write a backslash as `\\\\`, a quote as `\\\"`";
            self.tree.error(start, message, help)
        })
    }

    fn parse_number(&mut self) -> Parsed<serde_json::Number> {
        let start = self.at;
        let literal = self.take_while(|c| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        serde_json::from_str(literal).map_err(|_| {
            let message = format!("`{literal}` is not a valid JSON number");
            let help = "write a number, or put it in double quotes";
            self.tree.error(start, message, help)
        })
    }

    fn parse_word(&mut self) -> Parsed<Value> {
        let start = self.at;
        match self.take_while(|c| c.is_ascii_alphanumeric()) {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            other => {
                let message = format!("expected a value, found `{other}`");
                Err(self.tree.error(start, message, VALUE_HELP))
            }
        }
    }

    fn take_while(&mut self, belongs: fn(char) -> bool) -> &'t str {
        let text = self.rest.as_str();
        while self.peek().is_some_and(belongs) {
            self.advance();
        }
        &text[..text.len() - self.rest.as_str().len()]
    }

    fn skip_whitespace(&mut self) {
        self.take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn skip_if(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.advance();
        }
        found
    }

    fn advance(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn unexpected(&self, expected: &str) -> Fatal {
        let found = match self.peek() {
            Some(c) => format!("`{c}`"),
            None => "the end of the document".to_owned(),
        };
        let message = format!("expected {expected}, found {found}");
        let help = self.help_for_unexpected(expected);
        self.tree.error(self.at, message, help)
    }

    /// What to do where something else was expected.
    fn help_for_unexpected(&self, expected: &str) -> &'static str {
        let wants_key = expected == KEY;
        match self.peek() {
            None => "the document ends too early: close what is open, or download it again",
            Some('/' | '#') => "JSON has no comments: remove it",
            Some('}' | ']') if wants_key || expected == VALUE => {
                "write something here, or remove the comma before it"
            }
            Some('\'') => "write double quotes",
            Some(_) if wants_key => {
                "put the key in double quotes; a document in YAML begins with a key, not with `{`"
            }
            Some(_) if expected == VALUE => VALUE_HELP,
            Some(_) if expected == "`:`" => "write a colon between the key and its value",
            Some(_) if expected == END => "remove what follows, or the bracket before it",
            Some(_) => "write a comma before it, or close the quotes of the text before it",
        }
    }
}
