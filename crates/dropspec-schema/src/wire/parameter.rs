//! The parameters of an operation: their names, locations and encodings, and who judges their values.

use std::fmt;

use serde_json::Value;

/// A parameter of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter<'n> {
    /// The name in the document.
    pub name: &'n str,
    /// The part of the request that contains it.
    pub location: Location,
    /// The text that its value becomes.
    pub encoding: Encoding,
    /// Whether requests without it are refused.
    pub required: bool,
}

/// The part of a request that contains a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// A place in the path template.
    Path,
    /// The query.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

/// How the value of a parameter is written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// By a style of OpenAPI.
    Style {
        /// The style.
        style: Style,
        /// Whether each item of an array and each member of an object is written by itself.
        explode: bool,
        /// Whether reserved characters (RFC 3986, section 2.2) stay as they are, as far as the query allows them.
        allow_reserved: bool,
    },
    /// As JSON.
    Json,
    /// As JSON that is the whole query, without a name (`in: querystring` of OpenAPI 3.2).
    WholeQuery,
}

/// A style of OpenAPI, see "Style Values".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// `;color=blue`
    Matrix,
    /// `.blue`
    Label,
    /// `color=blue`
    Form,
    /// `blue`
    Simple,
    /// `color=blue%20black`
    SpaceDelimited,
    /// `color=blue|black`
    PipeDelimited,
    /// `color[R]=100`
    DeepObject,
    /// `color=blue`, and nothing is escaped. Of OpenAPI 3.2.
    Cookie,
}

/// The `in` of a parameter that is the whole query.
const WHOLE_QUERY: &str = "querystring";

impl Location {
    /// All locations, in the order in which parameters are read.
    pub const ALL: [Self; 4] = [Self::Path, Self::Query, Self::Header, Self::Cookie];

    /// Their names in a document, in the same order.
    pub const NAMES: [&'static str; 4] = ["path", "query", "header", "cookie"];

    /// The location of this name (`in`).
    pub fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|location| location.name() == name);
        found.or((name == WHOLE_QUERY).then_some(Self::Query))
    }

    /// The name in a document.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The style of a parameter that declares none.
    pub const fn default_style(self) -> Style {
        match self {
            Self::Path | Self::Header => Style::Simple,
            Self::Query | Self::Cookie => Style::Form,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "path parameter",
            Self::Query => "query parameter",
            Self::Header => "header",
            Self::Cookie => "cookie",
        })
    }
}

impl Style {
    /// All styles.
    const ALL: [Self; 8] = [
        Self::Matrix,
        Self::Label,
        Self::Form,
        Self::Simple,
        Self::SpaceDelimited,
        Self::PipeDelimited,
        Self::DeepObject,
        Self::Cookie,
    ];

    /// Their names in a document, in the same order.
    #[rustfmt::skip]
    pub const NAMES: [&'static str; 8] =
        ["matrix", "label", "form", "simple", "spaceDelimited", "pipeDelimited", "deepObject", "cookie"];

    /// The style of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let position = Self::NAMES.iter().position(|own| *own == name)?;
        Some(Self::ALL[position])
    }

    /// The value of `explode` for this style if it is not declared.
    pub const fn explodes_by_default(self) -> bool {
        matches!(self, Self::Form | Self::Cookie)
    }

    /// The style itself, or the default one of a location that OpenAPI does not define it for.
    pub(crate) const fn or_default(self, location: Location) -> Self {
        match (location, self) {
            (Location::Path, Self::Matrix | Self::Label) => self,
            (Location::Query, Self::SpaceDelimited | Self::PipeDelimited | Self::DeepObject) => {
                self
            }
            (Location::Cookie, Self::Cookie) => self,
            (location, _) => location.default_style(),
        }
    }
}

impl Encoding {
    /// What the definition of a parameter declares, or the entry of `encoding` for a property of a form.
    pub fn of_definition(location: Location, definition: &Value) -> Self {
        if definition.get("content").is_some() {
            let is_whole = definition.get("in").and_then(Value::as_str) == Some(WHOLE_QUERY);
            return if is_whole {
                Self::WholeQuery
            } else {
                Self::Json
            };
        }
        let style = definition.get("style").and_then(Value::as_str);
        let style = style.and_then(Style::of_name);
        let style = style.map_or(location.default_style(), |it| it.or_default(location));
        let explode = definition.get("explode").and_then(Value::as_bool);
        Self::Style {
            style,
            explode: explode.unwrap_or(style.explodes_by_default()),
            allow_reserved: definition.get("allowReserved") == Some(&Value::Bool(true)),
        }
    }
}

impl<'n> Parameter<'n> {
    /// A parameter of the path, in the style `simple`.
    pub const fn path(name: &'n str) -> Self {
        let parameter = Self::new(name, Location::Path, Style::Simple, false);
        parameter.required()
    }

    /// An optional parameter of the query, in the style `form`, exploded.
    pub const fn query(name: &'n str) -> Self {
        Self::new(name, Location::Query, Style::Form, true)
    }

    /// An optional header, in the style `simple`.
    pub const fn header(name: &'n str) -> Self {
        Self::new(name, Location::Header, Style::Simple, false)
    }

    /// An optional cookie, in the style `form`, exploded.
    pub const fn cookie(name: &'n str) -> Self {
        Self::new(name, Location::Cookie, Style::Form, true)
    }

    const fn new(name: &'n str, location: Location, style: Style, explode: bool) -> Self {
        let encoding = Encoding::Style {
            style,
            explode,
            allow_reserved: false,
        };
        Self {
            name,
            location,
            encoding,
            required: false,
        }
    }

    /// The parameter, which every request must have.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The parameter in this style.
    pub const fn style(mut self, style: Style, explode: bool) -> Self {
        self.encoding = Encoding::Style {
            style,
            explode,
            allow_reserved: false,
        };
        self
    }

    /// The parameter, whose reserved characters are not encoded.
    pub const fn allow_reserved(mut self) -> Self {
        if let Encoding::Style { style, explode, .. } = self.encoding {
            self.encoding = Encoding::Style {
                style,
                explode,
                allow_reserved: true,
            };
        }
        self
    }

    /// The parameter as JSON.
    pub const fn json(mut self) -> Self {
        self.encoding = Encoding::Json;
        self
    }

    /// The parameter as JSON that is the whole query.
    pub const fn whole_query(mut self) -> Self {
        self.encoding = Encoding::WholeQuery;
        self
    }
}

/// Judges values by the schema of a parameter.
pub trait Check {
    /// Whether a value is valid.
    fn is_valid(&self, value: &Value) -> bool;

    /// The first problem of a value, as a phrase to follow the name of the parameter; `None` if it is to be accepted.
    fn describe_problem(&self, value: &Value) -> Option<String>;

    /// What was expected where a value first breaks a rule, without the value.
    fn describe_expectation(&self, value: &Value) -> Option<String>;
}
