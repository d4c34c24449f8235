//! A flag of a command: where its value goes, which values it takes, and its help.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction};
use serde_json::Value;
use spec_client::{Encoding, Location};

/// A flag of a command.
#[derive(Debug)]
pub(crate) struct Flag {
    /// The name of the parameter or property.
    pub(crate) name: String,
    /// The name on the command line, without `--`.
    pub(crate) flag: String,
    pub(crate) place: Place,
    /// The schema of one value; if the flag can be repeated, that of an item.
    pub(crate) item: Value,
    /// The schema of all values.
    pub(crate) schema: Value,
    /// Whether the value is an array, given by repetition.
    pub(crate) repeated: bool,
    pub(crate) required: bool,
    /// The value is a file: `format: binary` in a multipart body.
    pub(crate) is_file: bool,
    help: String,
    kind: &'static str,
    choices: Vec<String>,
}

/// Where the value of a flag goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Parameter {
        location: Location,
        encoding: Encoding,
    },
    /// A property of the body.
    Property,
    /// A part of a multipart body.
    Part,
}

impl Place {
    /// What tells flags of one name apart.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Place::Parameter { location, .. } => match location {
                Location::Path => "path",
                Location::Query => "query",
                Location::Header => "header",
                Location::Cookie => "cookie",
            },
            Place::Property => "property",
            Place::Part => "part",
        }
    }
}

impl Flag {
    pub(crate) fn new(
        document: &Value,
        name: &str,
        flag: String,
        place: Place,
        schema: &Value,
        required: bool,
        description: Option<&str>,
    ) -> Flag {
        let resolved = spec_schema::resolve(document, schema).unwrap_or(schema);
        let repeated = resolved["type"] == "array";
        let item = match repeated {
            true => &resolved["items"],
            false => schema,
        };
        let value = spec_schema::resolve(document, item).unwrap_or(item);
        let choices = value["enum"].as_array().into_iter().flatten();
        let is_file = place == Place::Part && value["format"] == "binary";
        Flag {
            name: name.to_owned(),
            flag,
            place,
            item: item.clone(),
            schema: schema.clone(),
            repeated,
            required,
            is_file,
            help: help(
                description.or(resolved["description"].as_str()),
                resolved,
                value,
            ),
            kind: match is_file {
                true => "@FILE",
                false => kind(value),
            },
            choices: choices.filter_map(choice).collect(),
        }
    }

    /// Whether the value goes into the body.
    pub(crate) fn is_of_body(&self) -> bool {
        !matches!(self.place, Place::Parameter { .. })
    }

    /// The argument of clap. Properties are not required if the whole body is given.
    pub(crate) fn argument(&self) -> Arg {
        let argument = Arg::new(self.flag.clone())
            .long(self.flag.clone())
            .value_name(self.kind)
            .help(self.help.clone())
            .allow_hyphen_values(true);
        let argument = match self.repeated {
            true => argument.action(ArgAction::Append),
            false => argument,
        };
        let argument = match self.choices.is_empty() {
            true => argument,
            false => argument.value_parser(PossibleValuesParser::new(self.choices.clone())),
        };
        match (self.required, self.place) {
            (false, _) => argument,
            (true, Place::Parameter { .. }) => argument.required(true),
            (true, _) => argument.required_unless_present_any(["body", "body-file"]),
        }
    }
}

/// What stands for a value in the usage.
fn kind(schema: &Value) -> &'static str {
    let format = schema["format"].as_str().unwrap_or_default();
    match (schema["type"].as_str().unwrap_or_default(), format) {
        ("integer", _) => "INTEGER",
        ("number", _) => "NUMBER",
        ("boolean", _) => "BOOLEAN",
        ("string", "date-time") => "YYYY-MM-DDThh:mm:ssZ",
        ("string", "date") => "YYYY-MM-DD",
        ("string", "uuid") => "UUID",
        ("string", "uri") => "URI",
        ("string", _) => "TEXT",
        _ => "JSON",
    }
}

fn choice(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// The description, and what the schema demands.
fn help(description: Option<&str>, schema: &Value, value: &Value) -> String {
    let words: Vec<&str> = description.unwrap_or_default().split_whitespace().collect();
    let bound = |key: &str, text: &str| {
        let bound = value.get(key)?;
        Some(format!("{text} {bound}"))
    };
    let mut notes: Vec<String> = [
        bound("minimum", "at least"),
        bound("maximum", "at most"),
        bound("maxLength", "length at most"),
        schema.get("default").map(|default| match default {
            Value::String(text) => format!("default: {text}"),
            other => format!("default: {other}"),
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    if schema["type"] == "array" {
        notes.push("can be repeated".to_owned());
    }
    match (words.is_empty(), notes.is_empty()) {
        (_, true) => words.join(" "),
        (true, false) => format!("[{}]", notes.join(", ")),
        (false, false) => format!("{} [{}]", words.join(" "), notes.join(", ")),
    }
}
