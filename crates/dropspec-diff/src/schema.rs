//! Schemas by their meaning: all schemas that apply to one value are merged into one, whether they are combined by
//! `allOf`, by `$ref`, or written in one place.

mod choices;
mod conditions;
mod digest;
mod equality;
mod merge;
mod merged;
mod names;
mod null_keywords;
mod nullable;
mod number;
mod subtypes;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

use dropspec_schema::build_validator;
use indexmap::IndexSet;
use jsonschema::Validator;
use serde_json::{Value, json};

pub(crate) use self::choices::type_of_text;
pub(crate) use self::conditions::{Condition, FurtherKey};
pub(crate) use self::digest::DIGEST_DEPTH;
pub(crate) use self::equality::{same_element, same_schema};
pub(crate) use self::number::Number;
use self::subtypes::Subtypes;
pub(crate) use self::subtypes::{Discriminator, find_subtypes, mapping_target};
use crate::tree::{Id, Tree};

/// The id of a set of schema nodes that all apply to one value, and so of the schema that they form together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SetId(u32);

/// The most sets that are made of several nodes. A few schemas that refer to each other can combine in 2^n ways; real
/// documents have far fewer.
const MAX_COMBINED_SETS: usize = 30_000;

/// Which parts of a schema are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Aspect {
    /// The parts that decide which values are valid.
    Validity,
    /// All parts, including documentation.
    Everything,
}

/// The conjunction of a set of schema nodes.
#[derive(Debug, Default)]
pub(crate) struct Schema<'d> {
    /// `type`, also as a list (OpenAPI 3.1). Absent: any.
    pub(crate) types: Option<BTreeSet<&'d str>>,
    pub(crate) formats: BTreeSet<&'d str>,
    pub(crate) nullable: bool,
    /// The values by canonical text.
    pub(crate) enumeration: Option<BTreeMap<String, Id>>,
    pub(crate) extensible_enum: Option<BTreeMap<String, Id>>,
    pub(crate) defaults: BTreeSet<String>,
    /// `maximum`, `minLength` and the like; values that are not numbers are in `rest`.
    pub(crate) limits: BTreeMap<&'static str, Bound>,
    pub(crate) patterns: BTreeSet<&'d str>,
    pub(crate) multiples: BTreeSet<String>,
    pub(crate) unique: bool,
    pub(crate) items: Option<SetId>,
    pub(crate) properties: BTreeMap<&'d str, SetId>,
    pub(crate) required: BTreeMap<&'d str, Id>,
    pub(crate) additional: Additional,
    /// Those of `oneOf` and those of `anyOf`, by [`ChoiceKind`].
    pub(crate) choices: [Vec<Choice>; 2],
    pub(crate) not: Vec<SetId>,
    pub(crate) discriminator: Option<Rc<Discriminator<'d>>>,
    pub(crate) read_only: bool,
    pub(crate) write_only: bool,
    pub(crate) deprecated: bool,
    /// Schemas of keywords of OpenAPI 3.1 that apply whatever is beside them.
    pub(crate) further: BTreeMap<FurtherKey<'d>, SetId>,
    pub(crate) conditions: Vec<Condition>,
    /// `dependentRequired`: a property, and one that it requires.
    pub(crate) required_with: BTreeMap<(&'d str, &'d str), Id>,
    /// Keywords that no value can violate, with their values.
    pub(crate) ineffective: BTreeSet<String>,
    /// Canonical texts of all other keywords: extensions, documentation, keywords that OpenAPI 3.0 does not define.
    pub(crate) rest: BTreeMap<&'d str, BTreeSet<String>>,
    /// The node of each keyword.
    pub(crate) sites: HashMap<&'d str, Id>,
}

impl Schema<'_> {
    /// Adds a limit, unless a tighter one applies.
    fn tighten(&mut self, keyword: &'static str, bound: Bound) {
        let is_tighter = |other: &Bound| {
            let is_beyond = if keyword.starts_with("min") {
                bound.value > other.value
            } else {
                bound.value < other.value
            };
            is_beyond || (bound.value == other.value && bound.exclusive)
        };
        if self.limits.get(keyword).is_none_or(is_tighter) {
            self.limits.insert(keyword, bound);
        }
    }
}

/// The members of one `oneOf` or `anyOf`. Merged schemas can have several, and each of them applies.
pub(crate) type Choice = Vec<SetId>;

/// Which keyword a choice comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChoiceKind {
    OneOf,
    /// A repeated member makes no difference.
    AnyOf,
}

impl ChoiceKind {
    pub(crate) const ALL: [ChoiceKind; 2] = [ChoiceKind::OneOf, ChoiceKind::AnyOf];

    pub(crate) fn keyword(self) -> &'static str {
        choices::KEYWORDS[self as usize]
    }
}

/// The value of a limit; that of `minimum` or `maximum` with its `exclusive…` flag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: Number,
    pub(crate) exclusive: bool,
}

impl Bound {
    /// The last multiple of an integer within `minimum` or `maximum`. Other limits are returned as they are.
    fn last_multiple(self, keyword: &str, step: i128) -> Bound {
        let inward = match keyword {
            "minimum" => 1,
            "maximum" => -1,
            _ => return self,
        };
        Bound {
            value: self.value.last_multiple(step, self.exclusive, inward),
            exclusive: false,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exclusive = if self.exclusive { " exclusive" } else { "" };
        write!(f, "{}{exclusive}", self.value)
    }
}

/// `additionalProperties`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Additional {
    #[default]
    Any,
    Forbidden,
    Schema(SetId),
}

/// The schemas of one document; each is merged on first use.
pub(crate) struct Schemas<'d> {
    pub(crate) tree: Tree<'d>,
    sets: IndexSet<Vec<Id>>,
    merged: HashMap<SetId, Rc<Schema<'d>>>,
    digests: HashMap<(SetId, Aspect, u8), u64>,
    shallow: HashMap<(SetId, Aspect), u64>,
    /// Whether schemas have the same meaning as schemas of the other document.
    equal: HashMap<(SetId, SetId, Aspect), bool>,
    /// Schemas of the other document that certainly do not accept all values of a schema; with `null` among these or not, and with types or not.
    pub(crate) refuted: HashSet<(SetId, SetId, [bool; 2])>,
    /// The node that each set was first requested for.
    roots: HashMap<SetId, Id>,
    subtypes: Option<Rc<Subtypes<'d>>>,
    /// By the `discriminator` node.
    discriminators: HashMap<Id, Rc<Discriminator<'d>>>,
    /// The number of sets that were made of several nodes.
    combined_sets: usize,
}

impl<'d> Schemas<'d> {
    pub(crate) fn new(tree: Tree<'d>) -> Schemas<'d> {
        Schemas {
            tree,
            sets: IndexSet::new(),
            merged: HashMap::new(),
            digests: HashMap::new(),
            shallow: HashMap::new(),
            equal: HashMap::new(),
            refuted: HashSet::new(),
            roots: HashMap::new(),
            subtypes: None,
            discriminators: HashMap::new(),
            combined_sets: 0,
        }
    }

    /// The schema at a node, with all schemas that its `$ref` and `allOf` lead to.
    pub(crate) fn set_at(&mut self, node: Id) -> SetId {
        self.set_at_without(node, &[])
    }

    /// As [`Schemas::set_at`], without some members of the node's own `allOf` or choices.
    pub(crate) fn set_at_without(&mut self, node: Id, left_out: &[Id]) -> SetId {
        let root = self.tree.resolve(node);
        let atoms = choices::flatten(&self.tree, root, left_out);
        let set = self.intern(atoms);
        self.roots.entry(set).or_insert(root);
        set
    }

    /// The node that a set was first requested for, if any.
    pub(crate) fn root(&self, set: SetId) -> Option<Id> {
        self.roots.get(&set).copied()
    }

    /// Whether some combinations of schemas were left out.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.combined_sets > MAX_COMBINED_SETS
    }

    fn intern(&mut self, mut atoms: Vec<Id>) -> SetId {
        atoms.sort_unstable();
        atoms.dedup();
        let index = self.sets.insert_full(atoms).0;
        SetId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The nodes of the set.
    pub(crate) fn atoms(&self, set: SetId) -> &[Id] {
        &self.sets[set.0 as usize]
    }

    /// The node that is shown as the location of the set.
    pub(crate) fn site(&self, set: SetId) -> Id {
        let first = || self.atoms(set).first().copied();
        self.root(set).or_else(first).unwrap_or(Id::ROOT)
    }

    pub(crate) fn get(&mut self, set: SetId) -> Rc<Schema<'d>> {
        if let Some(schema) = self.merged.get(&set) {
            return Rc::clone(schema);
        }
        let schema = Rc::new(self.merge(set));
        self.merged.insert(set, Rc::clone(&schema));
        schema
    }
}

/// Whether a value, given as canonical text, is valid.
pub(crate) fn is_valid(validator: &Validator, text: &str) -> bool {
    let value: Result<Value, _> = serde_json::from_str(text);
    value.is_ok_and(|value| validator.is_valid(&value))
}

/// Whether a name matches a pattern of `patternProperties`.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    let validator = build_validator(&json!({ "pattern": pattern }));
    validator.is_ok_and(|it| it.is_valid(&name.into()))
}

/// Keywords that only describe, or that name a schema.
pub(crate) const DOCUMENTATION: [&str; 8] = [
    "$anchor",
    "$comment",
    "$id",
    "title",
    "description",
    "example",
    "examples",
    "externalDocs",
];
