//! What a document does already: its operations, and the resource that is most like a new one, the *model*.

use serde_json::{Map, Value};

use super::noun::{Case, Noun, words};

/// The methods of operations.
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The operations of a document.
#[derive(Debug, Clone)]
pub(super) struct Survey<'d> {
    pub(super) document: &'d Value,
    pub(super) operations: Vec<Operation<'d>>,
}

/// An operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation<'d> {
    pub(super) path: &'d str,
    pub(super) method: &'d str,
    pub(super) value: &'d Value,
}

/// A resource of the document that a new one can be like: a path of the collection, and one of an item in it.
#[derive(Debug, Clone)]
pub(super) struct Model<'d> {
    pub(super) noun: Noun,
    /// The path of the collection, without a slash at its end.
    pub(super) collection: &'d str,
    /// What ends both paths: a slash or nothing.
    pub(super) end: &'static str,
    /// The name of the path parameter of an item.
    pub(super) parameter: &'d str,
    pub(super) collection_item: &'d Value,
    pub(super) item: &'d Value,
    /// The component of an item, if there is one.
    pub(super) schema: Option<&'d str>,
}

/// What an operation does to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    List,
    Create,
    Get,
    Replace,
    Delete,
}

impl Role {
    pub(super) const ALL: [Role; 5] = [
        Role::List,
        Role::Create,
        Role::Get,
        Role::Replace,
        Role::Delete,
    ];

    pub(super) fn method(self) -> &'static str {
        match self {
            Role::List | Role::Get => "get",
            Role::Create => "post",
            Role::Replace => "put",
            Role::Delete => "delete",
        }
    }

    /// Whether the operation is at the path of the collection.
    pub(super) fn is_of_collection(self) -> bool {
        matches!(self, Role::List | Role::Create)
    }
}

impl<'d> Survey<'d> {
    pub(super) fn new(document: &'d Value) -> Survey<'d> {
        let paths = document.get("paths").and_then(Value::as_object);
        let items = paths.into_iter().flatten();
        let operations = items.flat_map(|(path, item)| {
            let members = item.as_object().into_iter().flatten();
            let operations = members.filter(|(key, _)| METHODS.contains(&key.as_str()));
            operations.map(move |(method, value)| Operation {
                path,
                method,
                value,
            })
        });
        Survey {
            document,
            operations: operations.collect(),
        }
    }

    /// What a value is, or what it refers to in the document.
    pub(super) fn resolve(&self, value: &'d Value) -> &'d Value {
        spec_schema::resolve(self.document, value).unwrap_or(value)
    }

    /// The components of a section.
    pub(super) fn components(&self, section: &str) -> Option<&'d Map<String, Value>> {
        self.document.get("components")?.get(section)?.as_object()
    }

    /// The operations of a method; if there are none, all.
    pub(super) fn of_method(&self, method: &str) -> Vec<&Operation<'d>> {
        let of_method = self.operations.iter().filter(|it| it.method == method);
        let of_method: Vec<_> = of_method.collect();
        if of_method.is_empty() {
            self.operations.iter().collect()
        } else {
            of_method
        }
    }

    /// The case of the names of properties.
    pub(super) fn case_of_properties(&self) -> Case {
        let schemas = self.components("schemas").into_iter().flatten();
        let names = schemas.filter_map(|(_, schema)| schema.get("properties")?.as_object());
        let names = names.flat_map(|properties| properties.keys().map(String::as_str));
        Case::of_most(names).unwrap_or(Case::Camel)
    }

    /// All resources, the one that is most like a new one first.
    pub(super) fn models(&self) -> Vec<Model<'d>> {
        let paths = self.document.get("paths").and_then(Value::as_object);
        let mut models: Vec<(i64, Model<'d>)> = Vec::new();
        for (path, item) in paths.into_iter().flatten() {
            let Some(model) = self.model_at(path, item) else {
                continue;
            };
            models.push((self.likeness(&model), model));
        }
        models.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
        models.into_iter().map(|(_, model)| model).collect()
    }

    /// The resource whose items are at a path.
    fn model_at(&self, path: &'d str, item: &'d Value) -> Option<Model<'d>> {
        let end = if path.ends_with('/') { "/" } else { "" };
        let (collection, last) = path.trim_end_matches('/').rsplit_once('/')?;
        let parameter = last.strip_prefix('{')?.strip_suffix('}')?;
        let name = collection.rsplit('/').next()?;
        if parameter.contains(['{', '}']) || name.contains(['{', '}']) || words(name).is_empty() {
            return None;
        }
        let paths = self.document.get("paths")?;
        let collection_item = paths.get(format!("{collection}{end}"))?;
        let mut model = Model {
            noun: Noun::of_plural(name),
            collection,
            end,
            parameter,
            collection_item,
            item,
            schema: None,
        };
        model.schema = self.schema_of_item(&model);
        Some(model)
    }

    /// How much a resource is like a new one: a complete one, without parameters before it and without much of its own.
    fn likeness(&self, model: &Model<'d>) -> i64 {
        let mut score = 0;
        for role in Role::ALL {
            let Some(operation) = model.operation(role) else {
                continue;
            };
            let is_deprecated = operation.get("deprecated") == Some(&Value::Bool(true));
            score += if is_deprecated { 0 } else { 20 };
        }
        if !model.collection.contains('{') {
            score += 30;
        }
        if model.schema.is_some() {
            score += 20;
        }
        // A user who is found by name is less like a record of the service.
        if words(model.parameter)
            .last()
            .is_some_and(|word| word == "id" || word == "uuid")
        {
            score += 25;
        }
        let size = model.collection_item.to_string().len() + model.item.to_string().len();
        // Of two complete resources the smaller one has less of its own.
        score - i64::try_from(size / 1_000).unwrap_or(i64::MAX).min(19)
    }

    /// The component that an item is.
    fn schema_of_item(&self, model: &Model<'d>) -> Option<&'d str> {
        let roles = [Role::Get, Role::Create, Role::Replace];
        let roles = roles.into_iter();
        roles.into_iter().find_map(|role| {
            let operation = model.operation(role)?;
            let (_, response) = self.success(operation)?;
            let schema = self.json_schema(response)?;
            let mut found = Vec::new();
            self.referred(schema, 0, &mut found);
            let exact = found.iter().find(|name| {
                let name = words(name);
                name == model.noun.singular || name == model.noun.plural
            });
            let direct = schema
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(schema_name);
            exact.copied().or(direct)
        })
    }

    /// The components that a schema refers to, in levels from the outside.
    fn referred(&self, schema: &'d Value, depth: usize, found: &mut Vec<&'d str>) {
        if depth > 6 {
            return;
        }
        match schema {
            Value::Object(members) => {
                let name = members
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(schema_name);
                if let Some(name) = name {
                    if found.contains(&name) {
                        return;
                    }
                    found.push(name);
                    let target = self.components("schemas").and_then(|it| it.get(name));
                    target
                        .into_iter()
                        .for_each(|it| self.referred(it, depth + 1, found));
                    return;
                }
                members
                    .values()
                    .for_each(|it| self.referred(it, depth + 1, found));
            }
            Value::Array(items) => items
                .iter()
                .for_each(|it| self.referred(it, depth + 1, found)),
            _ => {}
        }
    }

    /// The first success of an operation: its status, and its response.
    pub(super) fn success(&self, operation: &'d Value) -> Option<(&'d str, &'d Value)> {
        let responses = operation.get("responses")?.as_object()?;
        let (status, response) = responses
            .iter()
            .find(|(status, _)| status.starts_with('2'))?;
        Some((status, self.resolve(response)))
    }

    /// The schema of the JSON of a response or of a request body.
    pub(super) fn json_schema(&self, content_of: &'d Value) -> Option<&'d Value> {
        let content = content_of.get("content")?.as_object()?;
        let (_, media) = content.iter().find(|(name, _)| is_json(name))?;
        media.get("schema")
    }
}

impl<'d> Model<'d> {
    /// The operation of a role; a partial update stands in for a replacement.
    pub(super) fn operation(&self, role: Role) -> Option<&'d Value> {
        let item = if role.is_of_collection() {
            self.collection_item
        } else {
            self.item
        };
        let found = item.get(role.method());
        match role {
            Role::Replace => found.or_else(|| item.get("patch")),
            _ => found,
        }
    }
}

/// Whether a media type is one of JSON.
pub(super) fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence == "application/json" || essence.ends_with("+json")
}

/// The name of the component that a reference within the document names.
pub(super) fn schema_name(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/components/schemas/")
}
