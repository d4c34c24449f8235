//! The parameters of one location of an operation, or the fields of a form: finds the raw texts of each and parses them.

use std::borrow::Cow;

use serde_json::Value;

use crate::wire::decode::ParameterDecoder;
use crate::wire::node::{Node, Raw};
use crate::wire::parameter::Check;

/// The parameters of one location, in the order of the document.
#[derive(Debug)]
pub struct ParameterList<'d, C> {
    parameters: Vec<ParameterDecoder<'d, C>>,
    /// Whether an object may be spread over several names.
    has_spread: bool,
    /// Names of pairs that are not for the handler: those of credentials.
    ignored: Vec<&'d str>,
}

/// What happens with a pair that no parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownNames {
    /// It is an error.
    Reject,
    /// It is ignored.
    Ignore,
}

/// Why the parameters of a request cannot be decoded: the name of one, and a phrase to follow it.
pub type Problem = (String, String);

/// A name, decoded, and a value, still encoded.
type Pair<'r> = (Cow<'r, str>, &'r str);

impl<C> Default for ParameterList<'_, C> {
    fn default() -> Self {
        Self {
            parameters: Vec::new(),
            has_spread: false,
            ignored: Vec::new(),
        }
    }
}

impl<'d, C: Check> ParameterList<'d, C> {
    /// The parameters.
    pub fn parameters(&self) -> &[ParameterDecoder<'d, C>] {
        &self.parameters
    }

    /// Adds a parameter.
    pub fn push(&mut self, parameter: ParameterDecoder<'d, C>) {
        self.has_spread |= parameter.is_spread();
        self.parameters.push(parameter);
    }

    /// Ignores pairs with these names, unless a parameter has the name itself.
    pub fn ignore(&mut self, mut names: Vec<&'d str>) {
        names.retain(|name| !self.parameters.iter().any(|it| it.name == *name));
        self.ignored = names;
    }

    /// Whether a pair of this name belongs to one of the parameters.
    pub fn takes(&self, name: &str) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|it| it.owns(name) || it.takes_rest())
    }

    /// Parses the parameters whose raw values `find` returns for their names.
    ///
    /// # Errors
    /// The [`Problem`] of the first parameter that is missing, repeated or not valid.
    pub fn parse<'r>(
        &self,
        find: impl Fn(&str) -> Result<Vec<&'r str>, String>,
    ) -> Result<Vec<(&'d str, Value)>, Problem> {
        self.parse_each(|_, parameter| {
            let values = find(parameter.name)?;
            Ok((!values.is_empty()).then_some(Raw::Values(values)))
        })
    }

    /// Parses the parameters from pairs, such as those of a query.
    ///
    /// # Errors
    /// The [`Problem`] of the first parameter that is missing, unknown, repeated or not valid.
    pub fn parse_pairs(
        &self,
        pairs: &[Pair<'_>],
        unknown: UnknownNames,
    ) -> Result<Vec<(&'d str, Value)>, Problem> {
        if self.has_spread {
            return self.parse_spread(pairs, unknown);
        }
        if unknown == UnknownNames::Reject {
            let is_known = |name: &str| {
                self.parameters.iter().any(|it| it.name == name) || self.ignored.contains(&name)
            };
            if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_known(name)) {
                return Err((name.to_string(), self.describe_unknown()));
            }
        }
        self.parse(|wanted| {
            let values = pairs.iter().filter(|(name, _)| name == wanted);
            Ok(values.map(|(_, value)| *value).collect())
        })
    }

    /// Parses pairs where the properties of objects are pairs of their own. Declared names come before those of
    /// properties, and these before what is free: that belongs to the first parameter that is an object in any case, or else
    /// to the first that may be one.
    fn parse_spread(
        &self,
        pairs: &[Pair<'_>],
        unknown: UnknownNames,
    ) -> Result<Vec<(&'d str, Value)>, Problem> {
        let mut values: Vec<Vec<&str>> = self.parameters.iter().map(|_| Vec::new()).collect();
        let mut nodes: Vec<Option<Node<'_>>> = self.parameters.iter().map(|_| None).collect();
        let pairs = pairs.iter();
        for (name, value) in pairs.filter(|(name, _)| !self.ignored.contains(&&**name)) {
            let position = |is_owner: &dyn Fn(&ParameterDecoder<'d, C>) -> bool| {
                self.parameters.iter().position(is_owner)
            };
            if let Some(index) = position(&|it| it.name == *name && it.has_own_name()) {
                values[index].push(value);
                continue;
            }
            let mut parameters = self.parameters.iter().enumerate();
            let owner = parameters.find_map(|(index, it)| Some((index, it.property_path(name)?)));
            let rest = || {
                let index = position(&ParameterDecoder::is_rest);
                let index = index.or_else(|| position(&ParameterDecoder::takes_rest));
                Some((index?, vec![&**name]))
            };
            if let Some((index, path)) = owner.or_else(rest) {
                nodes[index].get_or_insert_default().insert(&path, value);
            } else if let Some(index) = position(&|it| it.name == *name) {
                values[index].push(value);
            } else if unknown == UnknownNames::Reject {
                return Err((name.to_string(), self.describe_unknown()));
            }
        }
        let found = values.into_iter().zip(nodes).zip(&self.parameters);
        let mut found: Vec<Option<Raw<'_>>> = found
            .map(|((values, node), parameter)| match node {
                Some(mut node) => {
                    // Beside other properties, its own name is one as well.
                    let path = Some(parameter.name).filter(|_| parameter.is_names());
                    let path = path.as_slice();
                    values.iter().for_each(|value| node.insert(path, value));
                    Some(Raw::Parts(node))
                }
                None => (!values.is_empty()).then_some(Raw::Values(values)),
            })
            .collect();
        self.parse_each(|index, _| Ok(found[index].take()))
    }

    fn parse_each<'r>(
        &self,
        mut find: impl FnMut(usize, &ParameterDecoder<'d, C>) -> Result<Option<Raw<'r>>, String>,
    ) -> Result<Vec<(&'d str, Value)>, Problem> {
        let mut values = Vec::with_capacity(self.parameters.len());
        for (index, parameter) in self.parameters.iter().enumerate() {
            let problem = |message: String| (parameter.name.to_owned(), message);
            let parsed = match find(index, parameter).map_err(problem)? {
                Some(raw) => parameter.parse(&raw).map_err(problem)?,
                None => None,
            };
            let value = match (parsed, &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => default.clone(),
                (None, None) if parameter.required => {
                    return Err(problem("is required".to_owned()));
                }
                (None, None) => continue,
            };
            values.push((parameter.name, value));
        }
        Ok(values)
    }

    fn describe_unknown(&self) -> String {
        let mut known: Vec<&str> = Vec::new();
        for parameter in &self.parameters {
            parameter.add_names(&mut known);
        }
        known.sort_unstable();
        if known.is_empty() {
            "is unknown; the operation has no query parameters".to_owned()
        } else {
            format!("is unknown; known parameters: {}", known.join(", "))
        }
    }
}
