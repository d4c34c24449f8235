//! Finds what the values in a document are, by their place. It decides where a `$ref` is a reference, into which components
//! its target is taken, and what is a schema. Keywords of OpenAPI 3.1 are common in files of schemas of 3.0, too.

use dropspec_schema::{METHODS, pointer};

use crate::node::{Node, Value};
use crate::objects::{Kind, ObjectType};

impl Kind {
    /// The whole document.
    pub const DOCUMENT: Kind = Kind::Object(ObjectType::Document);
    /// A schema.
    pub const SCHEMA: Kind = Kind::Object(ObjectType::Schema);
    pub(crate) const PATH_ITEM: Kind = Kind::Object(ObjectType::PathItem);
    pub(crate) const PARAMETER: Kind = Kind::Object(ObjectType::Parameter);

    /// The kind of the member `key` of an object of this kind.
    pub fn of_member(self, key: &str) -> Kind {
        match self {
            Kind::Any => Kind::Any,
            Kind::Map(ObjectType::PathItem | ObjectType::Response) if key.starts_with("x-") => {
                Kind::Other
            }
            Kind::Map(of) => Kind::Object(of),
            Kind::Object(of) if key.starts_with("x-") => of.field(key).unwrap_or(Kind::Other),
            // One of `additionalOperations`, in a document that was read.
            Kind::PATH_ITEM if METHODS.contains(&key) => Kind::Object(ObjectType::Operation),
            // Not of OpenAPI.
            Kind::SCHEMA if key == "definitions" => Kind::Map(ObjectType::Schema),
            Kind::Object(of) => match (of.field(key), of.entry_type()) {
                (Some(Kind::SchemaOrBoolean), _) => Kind::SCHEMA,
                (Some(kind), _) => kind,
                (None, entry) => entry.map_or(Kind::Other, Kind::Object),
            },
            _ => Kind::Other,
        }
    }

    /// The kind of the items of an array of this kind.
    pub fn of_item(self) -> Kind {
        match self {
            Kind::List(of) => Kind::Object(of),
            Kind::Any => Kind::Any,
            _ => Kind::Other,
        }
    }

    /// The section of `components` for values of this kind; none if components of OpenAPI 3.0 cannot hold them.
    pub fn section(self) -> Option<&'static str> {
        let sections = ObjectType::Components.fields(0).into_iter();
        let found = sections.filter(|section| section.value.of_member("") == self);
        found.map(|section| section.name).next()
    }

    /// The kind of the components in this section.
    pub fn of_section(section: &str) -> Kind {
        Kind::Object(ObjectType::Components)
            .of_member(section)
            .of_member("")
    }

    /// Calls a function for a value of this kind and for each in it, but not for those of extensions, and not for parts of
    /// data. Values are visited as the function leaves them. `at` is the pointer of the value.
    pub fn walk(self, node: &mut Node, at: &str, each: &mut impl FnMut(&mut Node, Kind, &str)) {
        each(node, self, at);
        match &mut node.value {
            _ if self == Kind::Any => {}
            Value::Object(members) => {
                for (key, member) in members {
                    let kind = self.of_member(key);
                    if kind != Kind::Other || !key.starts_with("x-") {
                        kind.walk(&mut member.node, &pointer::join(at, key), each);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.of_item().walk(item, &format!("{at}/{index}"), each);
                }
            }
            _ => {}
        }
    }
}
