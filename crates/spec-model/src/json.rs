//! A JSON (RFC 8259) parser with positions. `serde_json` decodes strings and numbers. The parser of YAML does not replace
//! it: YAML has no surrogate pairs (`\ud83d\ude00`), as which many programs write what is beyond ASCII.

use std::str::Chars;
use std::sync::Arc;

use spec_schema::pointer;

use crate::diagnostic::{DUPLICATE_KEY_HELP, Diagnostic, Location, duplicate_key_message};
use crate::node::{MAX_DEPTH, Member, Node, Object, Position, Value};

/// Parses a JSON document. Returns the first syntax error and all duplicate keys.
pub(crate) fn parse(file: &Arc<str>, text: &str) -> Result<Node, Vec<Diagnostic>> {
    let mut parser = Parser {
        file,
        rest: text.chars(),
        at: Position {
            file: 0,
            line: 1,
            column: 1,
        },
        path: Vec::new(),
        duplicates: Vec::new(),
    };
    let root = parser.parse_document();
    let mut diagnostics = parser.duplicates;
    match root {
        Ok(root) if diagnostics.is_empty() => Ok(root),
        Ok(_) => Err(diagnostics),
        Err(syntax) => {
            diagnostics.push(*syntax);
            Err(diagnostics)
        }
    }
}

/// What the parser expects, as messages name it.
const KEY: &str = "a key in double quotes";
const VALUE: &str = "a value";
const END: &str = "the end of the document";
const VALUE_HELP: &str =
    "write a text in double quotes, a number, `true`, `false`, `null`, `{…}` or `[…]`";

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'t> {
    file: &'t Arc<str>,
    rest: Chars<'t>,
    at: Position,
    /// The current key or index of each open object and array, the outermost first; `None` before the first.
    path: Vec<Option<String>>,
    duplicates: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn parse_document(&mut self) -> Parsed<Node> {
        let root = self.parse_value()?;
        self.skip_whitespace();
        match self.peek() {
            None => Ok(root),
            Some(_) => Err(self.unexpected(END)),
        }
    }

    fn parse_value(&mut self) -> Parsed<Node> {
        self.skip_whitespace();
        let position = self.at;
        let value = match self.peek() {
            Some('{') => self.parse_nested(Parser::parse_object)?,
            Some('[') => self.parse_nested(Parser::parse_array)?,
            Some('"') => Value::String(self.parse_string()?),
            Some('-' | '0'..='9') => Value::Number(self.parse_number()?),
            Some('a'..='z') => self.parse_word()?,
            _ => return Err(self.unexpected(VALUE)),
        };
        Ok(Node { position, value })
    }

    fn parse_nested(&mut self, read: fn(&mut Self) -> Parsed<Value>) -> Parsed<Value> {
        if self.path.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(self.error(self.at, message));
        }
        self.advance();
        self.path.push(None);
        let value = read(self);
        self.path.pop();
        value
    }

    fn parse_object(&mut self) -> Parsed<Value> {
        let mut members = Object::new();
        self.skip_whitespace();
        if self.skip_if('}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_whitespace();
            if self.peek() != Some('"') {
                return Err(self.unexpected(KEY));
            }
            let key_position = self.at;
            let key = self.parse_string()?;
            self.set_current(&key);
            self.skip_whitespace();
            if !self.skip_if(':') {
                return Err(self.unexpected("`:`"));
            }
            let node = self.parse_value()?;
            match members.get(&key) {
                Some(first) => {
                    let message = duplicate_key_message(&key, first.key_position);
                    let diagnostic = *self.error(key_position, message);
                    self.duplicates
                        .push(diagnostic.with_help(DUPLICATE_KEY_HELP));
                }
                None => {
                    members.insert(key, Member { key_position, node });
                }
            }
            self.skip_whitespace();
            if self.skip_if('}') {
                return Ok(Value::Object(members));
            }
            if !self.skip_if(',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn parse_array(&mut self) -> Parsed<Value> {
        let mut items = Vec::new();
        self.skip_whitespace();
        if self.skip_if(']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.set_current(&items.len().to_string());
            items.push(self.parse_value()?);
            self.skip_whitespace();
            if self.skip_if(']') {
                return Ok(Value::Array(items));
            }
            if !self.skip_if(',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
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
                    return Err(self.fail(start, message, help));
                }
                Some(control @ '\0'..='\x1f') => {
                    let message = format!("the string contains an unescaped {control:?}");
                    let help = "write it as an escape, such as `\\n`";
                    return Err(self.fail(start, message, help));
                }
                Some(_) => {}
                None => {
                    let message = "the string does not end";
                    return Err(self.fail(start, message, "close it with `\"`"));
                }
            }
        }
        let literal = &text[..text.len() - self.rest.as_str().len()];
        serde_json::from_str(literal).map_err(|_| {
            let message = "the string contains an escape that JSON does not define";
            let help = "write a backslash as `\\\\`, a quote as `\\\"`";
            self.fail(start, message, help)
        })
    }

    fn parse_number(&mut self) -> Parsed<serde_json::Number> {
        let start = self.at;
        let literal = self.take_while(|c| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        serde_json::from_str(literal).map_err(|_| {
            let message = format!("`{literal}` is not a valid JSON number");
            let help = "write a number, or put it in double quotes";
            self.fail(start, message, help)
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
                Err(self.fail(start, message, VALUE_HELP))
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

    /// Sets the key or index that the parser is at in the innermost object or array.
    fn set_current(&mut self, token: &str) {
        if let Some(last) = self.path.last_mut() {
            *last = Some(token.to_owned());
        }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            Some(c) => format!("`{c}`"),
            None => "the end of the document".to_owned(),
        };
        let message = format!("expected {expected}, found {found}");
        let help = self.help_for_unexpected(expected);
        self.fail(self.at, message, help)
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

    fn fail(&self, at: Position, message: impl Into<String>, help: &str) -> Box<Diagnostic> {
        Box::new(self.error(at, message.into()).with_help(help))
    }

    fn error(&self, position: Position, message: String) -> Box<Diagnostic> {
        let location = Location {
            file: Arc::clone(self.file),
            line: position.line,
            column: position.column,
        };
        let pointer: String = self
            .path
            .iter()
            .flatten()
            .map(|token| pointer::join("", token))
            .collect();
        Box::new(Diagnostic::new(location, pointer, message))
    }
}
