//! What a merged schema says.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{Aspect, Bound, Number, Schema, is_valid};
use crate::tree::Id;

impl<'d> Schema<'d> {
    /// The node of a keyword, or `otherwise`.
    pub(crate) fn keyword(&self, keyword: &str, otherwise: Id) -> Id {
        self.sites.get(keyword).copied().unwrap_or(otherwise)
    }

    /// The value of an extension as text.
    pub(crate) fn extension(&self, name: &str) -> Option<String> {
        let text = self.rest.get(name)?.first()?;
        let value: Option<Value> = serde_json::from_str(text).ok();
        match value {
            Some(Value::String(text)) => Some(text),
            _ => Some(text.clone()),
        }
    }

    /// Whether numbers and texts are within the bounds, lengths, patterns and multiples of the schema.
    pub(crate) fn accepts_scalars<'v>(&self, mut texts: impl Iterator<Item = &'v String>) -> bool {
        let validator = self.scalar_validator();
        texts.all(|text| validator.as_ref().is_none_or(|it| is_valid(it, text)))
    }

    /// A validator with the keywords for numbers and texts; `None` if one of them cannot be used, such as a pattern.
    pub(crate) fn scalar_validator(&self) -> Option<Validator> {
        let number = |number: Number| serde_json::from_str::<Value>(&number.to_string()).ok();
        let mut schema = Map::new();
        for (keyword, limit) in &self.limits {
            schema.insert((*keyword).to_owned(), number(limit.value)?);
            if limit.exclusive {
                schema.insert(keyword.replacen('m', "exclusiveM", 1), true.into());
            }
        }
        let patterns = self
            .patterns
            .iter()
            .map(|pattern| json!({ "pattern": pattern }));
        let multiples = self.multiples.iter();
        let multiples = multiples.filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let multiples = multiples.map(|number| json!({ "multipleOf": number }));
        let all: Vec<Value> = patterns.chain(multiples).collect();
        if !all.is_empty() {
            schema.insert("allOf".to_owned(), all.into());
        }
        jsonschema::draft4::new(&schema.into()).ok()
    }

    /// A limit as it applies: to an integer, `> 0` and `>= 1` are the same.
    pub(crate) fn effective_limit(&self, keyword: &str, limit: Bound) -> Bound {
        let is_integer = self.types.iter().flatten().eq(&["integer"]);
        let step = is_integer.then_some(1);
        step.map_or(limit, |step| limit.last_multiple(keyword, step))
    }

    /// The last value within a limit: of multiples of 10, 20 within `< 25`.
    pub(crate) fn last_within(&self, keyword: &str, limit: Bound) -> Bound {
        let multiples = self.multiples.iter();
        let multiples = multiples.filter_map(|it| it.parse::<i64>().ok());
        let step = multiples.map(i128::from).filter(|it| *it > 0).max();
        let limit = self.effective_limit(keyword, limit);
        step.map_or(limit, |step| limit.last_multiple(keyword, step))
    }

    /// Whether nothing but `oneOf` and `anyOf` can make a value invalid.
    pub(crate) fn restricts_only_by_choices(&self) -> bool {
        // Members of a choice may allow `null`.
        let empty = Schema {
            nullable: self.nullable,
            ..Schema::default()
        };
        self.not.is_empty()
            && self.items.is_none()
            && self.shallow_text(Aspect::Validity) == empty.shallow_text(Aspect::Validity)
    }

    /// Whether the schema consists of one `oneOf` or `anyOf` and documentation.
    pub(crate) fn is_plain_choice(&self) -> bool {
        self.choices.iter().flatten().count() == 1 && self.restricts_only_by_choices()
    }

    /// Whether a keyword can make `null` invalid.
    pub(super) fn decides_about_null(&self) -> bool {
        self.types.is_some()
            || self.has_choices()
            || self.enumeration.is_some()
            || !self.not.is_empty()
            || !self.conditions.is_empty()
    }

    /// Whether `null` is valid.
    pub(crate) fn accepts_null(&self) -> bool {
        self.nullable || !self.decides_about_null()
    }

    /// Whether `type` allows values of a type.
    pub(crate) fn allows_type(&self, name: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.contains(name))
    }

    /// Whether the schema has `oneOf` or `anyOf`.
    pub(crate) fn has_choices(&self) -> bool {
        self.choices.iter().any(|it| !it.is_empty())
    }
}
