//! Reads untagged unions: the discriminator decides, then how much of the value a variant keeps.

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;
use wire_codec::union::choose;

/// How a union is read.
pub struct Union<T: 'static> {
    name: &'static str,
    property: Option<&'static str>,
    variants: &'static [UnionVariant<T>],
}

/// A variant of a [`Union`].
pub struct UnionVariant<T> {
    /// The values of the discriminator that mean this variant.
    pub tags: &'static [&'static str],
    /// Reads a value as this variant.
    pub read: fn(&Value) -> Result<T, serde_json::Error>,
}

impl<T: Serialize> Union<T> {
    /// Describes the union `name`, whose discriminator is the property `property`. The most special variant is first.
    pub const fn new(
        name: &'static str,
        property: Option<&'static str>,
        variants: &'static [UnionVariant<T>],
    ) -> Self {
        Self {
            name,
            property,
            variants,
        }
    }

    /// Reads a value as the variant that its discriminator names, or else as the one that keeps the most of it.
    ///
    /// # Errors
    /// No variant can be read.
    pub fn read<'de, D: Deserializer<'de>>(&self, deserializer: D) -> Result<T, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let tag = self.property.and_then(|name| value.get(name)?.as_str());
        let is_tagged =
            |variant: &&UnionVariant<T>| tag.is_some_and(|tag| variant.tags.contains(&tag));
        let read = |variant: &UnionVariant<T>| (variant.read)(&value).ok();
        let mut tagged = self.variants.iter().filter(is_tagged);
        let read = tagged
            .find_map(read)
            .or_else(|| choose(self.variants, read));
        read.ok_or_else(|| {
            D::Error::custom(format!("no variant of `{}` fits the value", self.name))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize)]
    #[serde(untagged)]
    enum Code {
        Number(u8),
        Any(Value),
        Other(Value),
    }

    static CODE: Union<Code> = Union::new(
        "Code",
        Some("kind"),
        &[
            UnionVariant {
                tags: &[],
                read: |value| u8::deserialize(value).map(Code::Number),
            },
            UnionVariant {
                tags: &[],
                read: |value| {
                    if value.is_object() {
                        Ok(Code::Any(value.clone()))
                    } else {
                        Err(Error::custom("no object"))
                    }
                },
            },
            UnionVariant {
                tags: &["other"],
                read: |value| {
                    if value.is_object() {
                        Ok(Code::Other(value.clone()))
                    } else {
                        Err(Error::custom("no object"))
                    }
                },
            },
        ],
    );

    #[test]
    fn union_is_read_by_its_tag_or_else_in_order() {
        let other = json!({"kind": "other"});
        assert_eq!(CODE.read(&other).unwrap(), Code::Other(other));
        let any = json!({"kind": "any"});
        assert_eq!(CODE.read(&any).unwrap(), Code::Any(any));
        assert_eq!(CODE.read(json!(7)).unwrap(), Code::Number(7));
        for untagged in [json!({"size": 7}), json!({"kind": "unknown"})] {
            let read = CODE.read(&untagged).unwrap();
            assert_eq!(read, Code::Any(untagged), "the first variant does not fit");
        }
        let error = CODE.read(json!("a")).unwrap_err();
        assert_eq!(error.to_string(), "no variant of `Code` fits the value");
    }
}
