//! A JSON (RFC 8259) reader that knows lines and columns. Strings and numbers are decoded by `serde_json`.

use std::str::Chars;
use std::sync::Arc;

use spec_schema::pointer;

use crate::diagnostic::{Diagnostic, Location};
use crate::document::{MAX_DEPTH, Member, Node, Object, Position, Value};

/// Reads one JSON value and nothing after it. A syntax error ends the reading; duplicate keys are all reported.
pub(crate) fn parse(file: &Arc<str>, text: &str) -> Result<Node, Vec<Diagnostic>> {
    let mut parser = Parser {
        file,
        rest: text.chars(),
        at: Position { line: 1, column: 1 },
        path: Vec::new(),
        duplicates: Vec::new(),
    };
    let root = parser.document();
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

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'t> {
    file: &'t Arc<str>,
    rest: Chars<'t>,
    at: Position,
    /// The key or index being read at each level; none before the first.
    path: Vec<Option<String>>,
    duplicates: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn document(&mut self) -> Parsed<Node> {
        let root = self.value()?;
        self.whitespace();
        match self.peek() {
            None => Ok(root),
            Some(_) => Err(self.unexpected("the end of the document")),
        }
    }

    fn value(&mut self) -> Parsed<Node> {
        self.whitespace();
        let position = self.at;
        let value = match self.peek() {
            Some('{') => self.nested(Parser::object)?,
            Some('[') => self.nested(Parser::array)?,
            Some('"') => Value::String(self.string()?),
            Some('-' | '0'..='9') => Value::Number(self.number()?),
            Some('a'..='z') => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { position, value })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Parsed<Value>) -> Parsed<Value> {
        if self.path.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(self.error(self.at, message));
        }
        self.bump();
        self.path.push(None);
        let value = read(self);
        self.path.pop();
        value
    }

    fn object(&mut self) -> Parsed<Value> {
        let mut members = Object::new();
        self.whitespace();
        if self.eat('}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.whitespace();
            if self.peek() != Some('"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key_position = self.at;
            let key = self.string()?;
            self.step(&key);
            self.whitespace();
            if !self.eat(':') {
                return Err(self.unexpected("`:`"));
            }
            let node = self.value()?;
            match members.get(&key) {
                Some(first) => {
                    let message = duplicate_key(&key, first.key_position);
                    let diagnostic = *self.error(key_position, message);
                    self.duplicates.push(diagnostic);
                }
                None => {
                    members.insert(key, Member { key_position, node });
                }
            }
            self.whitespace();
            if self.eat('}') {
                return Ok(Value::Object(members));
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn array(&mut self) -> Parsed<Value> {
        let mut items = Vec::new();
        self.whitespace();
        if self.eat(']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.step(&items.len().to_string());
            items.push(self.value()?);
            self.whitespace();
            if self.eat(']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    fn string(&mut self) -> Parsed<String> {
        let start = self.at;
        let text = self.rest.as_str();
        self.bump();
        loop {
            match self.bump() {
                Some('"') => break,
                Some('\\') => {
                    self.bump();
                }
                Some(control @ '\0'..='\x1f') => {
                    let message = format!("the string contains an unescaped {control:?}");
                    let help = "write it as an escape, such as `\\n`";
                    return Err(Box::new(self.error(start, message).with_help(help)));
                }
                Some(_) => {}
                None => return Err(self.error(start, "the string does not end".into())),
            }
        }
        let literal = &text[..text.len() - self.rest.as_str().len()];
        serde_json::from_str(literal).map_err(|_| {
            self.error(
                start,
                "the string contains an escape that JSON does not define".into(),
            )
        })
    }

    fn number(&mut self) -> Parsed<serde_json::Number> {
        let start = self.at;
        let literal = self.take_while(|c| matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
        serde_json::from_str(literal)
            .map_err(|_| self.error(start, format!("`{literal}` is not a valid JSON number")))
    }

    fn word(&mut self) -> Parsed<Value> {
        let start = self.at;
        match self.take_while(|c| c.is_ascii_alphanumeric()) {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            other => {
                let message = format!("expected a value, found `{other}`");
                Err(self.error(start, message))
            }
        }
    }

    fn take_while(&mut self, belongs: fn(char) -> bool) -> &'t str {
        let text = self.rest.as_str();
        while self.peek().is_some_and(belongs) {
            self.bump();
        }
        &text[..text.len() - self.rest.as_str().len()]
    }

    fn whitespace(&mut self) {
        self.take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    /// Notes which member or item is being read now.
    fn step(&mut self, token: &str) {
        if let Some(last) = self.path.last_mut() {
            *last = Some(token.to_owned());
        }
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            Some(c) => format!("`{c}`"),
            None => "the end of the document".to_owned(),
        };
        self.error(self.at, format!("expected {wanted}, found {found}"))
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

/// The message for a key that stands twice, the same in both syntaxes.
pub(crate) fn duplicate_key(key: &str, first: Position) -> String {
    let Position { line, column } = first;
    format!("duplicate key `{key}`: the first is at line {line}, column {column}")
}
