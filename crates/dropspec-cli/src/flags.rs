//! A flag of a command: where its value goes, which values it takes, and its help.

use std::collections::HashSet;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction};
use dropspec_schema::wire::{Encoding, Location, beside_null, is_list, plain};
use heck::ToKebabCase;
use serde_json::Value;

/// A flag of a command.
#[derive(Debug)]
pub(crate) struct Flag {
    /// The name of the parameter or property.
    pub(crate) name: &'static str,
    /// The name on the command line, without `--`.
    pub(crate) flag: String,
    pub(crate) place: Place,
    /// The schema of one value; if the flag can be repeated, that of an item.
    pub(crate) item: &'static Value,
    pub(crate) schema: &'static Value,
    /// Whether the value is an array, given by repetition.
    pub(crate) repeated: bool,
    /// The schemas of the first items, if they have schemas of their own.
    tuple: &'static [Value],
    pub(crate) required: bool,
    /// The value is a file: a part of a multipart body.
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
    Part { is_file: bool },
}

impl Flag {
    pub(crate) fn new(
        document: &'static Value,
        name: &'static str,
        flag: String,
        place: Place,
        schema: &'static Value,
        required: bool,
        description: Option<&str>,
    ) -> Flag {
        let outer = dropspec_schema::resolve(document, schema).unwrap_or(schema);
        let (resolved, _) = beside_null(document, schema);
        let repeated = is_list(resolved);
        let tuple = resolved["prefixItems"].as_array().filter(|_| repeated);
        let tuple = tuple.map(Vec::as_slice).unwrap_or_default();
        let item = match tuple {
            _ if !repeated => schema,
            [] => &resolved["items"],
            // One that takes all values.
            _ => &Value::Null,
        };
        let (value, is_optional) = beside_null(document, item);
        let choices = value["enum"].as_array().into_iter().flatten();
        let choices = choices.filter(|it| !it.is_null()).map(plain);
        let mut choices: Vec<String> = choices.collect();
        if is_optional && !choices.is_empty() {
            choices.push("null".to_owned());
        }
        let is_file = place == Place::Part { is_file: true };
        Flag {
            name,
            flag,
            place,
            item,
            schema,
            repeated,
            tuple,
            required,
            is_file,
            help: help(
                description
                    .or(outer["description"].as_str())
                    .or(resolved["description"].as_str()),
                resolved,
                value,
            ),
            kind: match (is_file, tuple) {
                (true, _) => "@FILE",
                (false, []) => kind(value),
                (false, _) => "VALUE",
            },
            choices,
        }
    }

    /// The schema of the item at this place.
    pub(crate) fn item_at(&self, index: usize) -> &'static Value {
        self.tuple.get(index).unwrap_or(self.item)
    }

    /// Whether the value goes into the body.
    pub(crate) fn is_of_body(&self) -> bool {
        !matches!(self.place, Place::Parameter { .. })
    }

    /// The id of the argument that takes the value by its position: path parameters, which every request has.
    pub(crate) fn position(&self) -> Option<String> {
        let in_path = matches!(
            self.place,
            Place::Parameter {
                location: Location::Path,
                ..
            }
        );
        // No id of a flag has capital letters, or an underscore.
        let upper = self.flag.to_uppercase();
        let id = if upper == self.flag {
            format!("VALUE_{upper}")
        } else {
            upper
        };
        (in_path && !self.repeated).then_some(id)
    }

    /// How the usage shows it.
    pub(crate) fn usage(&self) -> String {
        match self.position() {
            Some(position) => format!("<{position}>"),
            None => format!("--{} <{}>", self.flag, self.kind),
        }
    }

    /// The arguments of clap: the flag, and before it the position. Properties are not required if the whole body is given.
    pub(crate) fn arguments(&self) -> Vec<Arg> {
        let flag = Arg::new(self.flag.clone())
            .long(self.flag.clone())
            .value_name(self.kind)
            .help(self.help.clone())
            .allow_hyphen_values(true);
        let flag = if self.repeated {
            flag.action(ArgAction::Append)
        } else {
            flag
        };
        let flag = self.with_choices(flag);
        let Some(position) = self.position() else {
            return vec![match (self.required, self.place) {
                (false, _) => flag,
                (true, Place::Parameter { .. }) => flag.required(true),
                (true, _) => flag.required_unless_present_any(["body", "body-file"]),
            }];
        };
        let by_position = Arg::new(position.clone())
            .help(self.help.clone())
            .allow_negative_numbers(true)
            .required_unless_present(self.flag.clone());
        let flag = flag.hide(true).conflicts_with(position);
        vec![self.with_choices(by_position), flag]
    }

    fn with_choices(&self, argument: Arg) -> Arg {
        if self.choices.is_empty() {
            argument
        } else {
            argument.value_parser(PossibleValuesParser::new(self.choices.clone()))
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

/// The description, and what the schema demands.
fn help(description: Option<&str>, schema: &Value, value: &Value) -> String {
    let words: Vec<&str> = description.unwrap_or_default().split_whitespace().collect();
    let bound = |key: &str, text: &str| {
        let bound = value.get(key)?;
        Some(format!("{text} {bound}"))
    };
    let default = schema.get("default");
    let notes = [
        bound("minimum", "at least"),
        bound("maximum", "at most"),
        bound("maxLength", "length at most"),
        default.map(|default| format!("default: {}", plain(default))),
        (schema["type"] == "array").then(|| match schema["prefixItems"].as_array() {
            Some(items) => format!("given {} times, in order", items.len()),
            None => "can be repeated".to_owned(),
        }),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if notes.is_empty() {
        words.join(" ")
    } else {
        let words = words.join(" ");
        format!("{words} [{}]", notes.join(", "))
            .trim_start()
            .to_owned()
    }
}

/// `name`, or with a number if `claim` refuses it.
pub(crate) fn unique(name: &str, mut claim: impl FnMut(&str) -> bool) -> String {
    let mut unique = name.to_owned();
    let mut number = 2;
    while !claim(&unique) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}

/// The flag for a parameter or a property of this name. `suffix` tells flags of one name apart.
pub(crate) fn flag_name(name: &str, suffix: &str, taken: &mut HashSet<String>) -> String {
    let plain = match name.to_kebab_case() {
        empty if empty.is_empty() => suffix.to_owned(),
        plain => plain,
    };
    if taken.insert(plain.clone()) {
        return plain;
    }
    unique(&format!("{plain}-{suffix}"), |name| {
        taken.insert(name.to_owned())
    })
}
