//! The conventions of a document: what most of its operations do alike.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::noun::{Case, words};
use super::survey::{Operation, Role, Survey, is_json};

/// The names of query parameters that choose a page, in small letters and digits.
const PAGE_PARAMETERS: [&str; 34] = [
    "limit",
    "offset",
    "page",
    "pagesize",
    "perpage",
    "pagenumber",
    "pageindex",
    "pagetoken",
    "nextpagetoken",
    "pagelimit",
    "pageoffset",
    "pagecursor",
    "pageafter",
    "pagebefore",
    "cursor",
    "nextcursor",
    "after",
    "before",
    "startingafter",
    "endingbefore",
    "startafter",
    "startat",
    "first",
    "last",
    "skip",
    "top",
    "take",
    "size",
    "count",
    "maxresults",
    "maxitems",
    "marker",
    "nexttoken",
    "continuationtoken",
];

/// Extensions about the life of one operation, or its place on a page.
const OF_ONE_OPERATION: [&str; 6] = [
    "x-stability",
    "x-stability-level",
    "x-deprecated-since",
    "x-deprecated-sunset",
    "x-successor",
    "x-hideTryItPanel",
];

impl<'d> Survey<'d> {
    /// Whether a parameter chooses a page of a list.
    pub(super) fn is_of_pages(&self, parameter: &Value) -> bool {
        let parameter = spec_schema::resolve(self.document, parameter).unwrap_or(parameter);
        let name = parameter
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_named = PAGE_PARAMETERS.contains(&&*plain.to_ascii_lowercase());
        parameter.get("in") == Some(&json!("query")) && is_named
    }

    /// The parameters of pages of the list that has most of them.
    pub(super) fn page_parameters(&self) -> Vec<&'d Value> {
        let lists = self.operations.iter().filter(|it| it.method == "get");
        let parameters = lists.map(|operation| {
            let parameters = operation.value.get("parameters").and_then(Value::as_array);
            let parameters = parameters.into_iter().flatten();
            parameters
                .filter(|it| self.is_of_pages(it))
                .collect::<Vec<_>>()
        });
        most_frequent(parameters.filter(|it| !it.is_empty())).unwrap_or_default()
    }

    /// Whether most operations have this parameter.
    pub(super) fn is_everywhere(&self, parameter: &Value) -> bool {
        let has_it = |operation: &&Operation<'_>| {
            let parameters = operation.value.get("parameters").and_then(Value::as_array);
            parameters.is_some_and(|it| it.contains(parameter))
        };
        let count = self.operations.iter().filter(has_it).count();
        count > 1 && count * 2 > self.operations.len()
    }

    /// The error responses that most operations of a method have.
    pub(super) fn common_errors(&self, method: &str) -> Map<String, Value> {
        let operations = self.of_method(method);
        let mut counts: BTreeMap<(&str, String), (usize, &Value)> = BTreeMap::new();
        for operation in &operations {
            let responses = operation.value.get("responses").and_then(Value::as_object);
            for (status, response) in responses.into_iter().flatten() {
                if status.starts_with(['2', '3']) {
                    continue;
                }
                let found = counts.entry((status, response.to_string()));
                found.or_insert((0, response)).0 += 1;
            }
        }
        let common = counts
            .into_iter()
            .filter(|(_, (count, _))| count * 2 > operations.len());
        common
            .map(|((status, _), (_, response))| (status.to_owned(), response.clone()))
            .collect()
    }

    /// The response that a missing record has, where several operations share one.
    pub(super) fn common_not_found(&self) -> Option<&'d Value> {
        let responses = self
            .operations
            .iter()
            .filter_map(|it| it.value.get("responses")?.get("404"));
        let shared: Vec<&Value> = responses.filter(|it| it.get("$ref").is_some()).collect();
        let most = most_frequent(shared.iter().copied())?;
        (shared.iter().filter(|it| **it == most).count() > 1).then_some(most)
    }

    /// The content that most errors have.
    pub(super) fn error_content(&self) -> Option<Value> {
        let responses = self
            .operations
            .iter()
            .filter_map(|it| it.value.get("responses")?.as_object());
        let errors = responses
            .flatten()
            .filter(|(status, _)| !status.starts_with(['1', '2', '3']));
        let content = errors.filter_map(|(_, response)| {
            let content = self.resolve(response).get("content")?.as_object()?;
            let (media, value) = content.iter().find(|(name, _)| is_json(name))?;
            let schema = value.get("schema").filter(|it| it.get("$ref").is_some())?;
            Some((media.as_str(), schema))
        });
        let (media, schema) = most_frequent(content)?;
        Some(json!({ media: { "schema": schema } }))
    }

    /// The media type of most JSON.
    pub(super) fn media_type(&self) -> &'d str {
        let bodies = self.operations.iter().flat_map(|operation| {
            let responses = operation.value.get("responses").and_then(Value::as_object);
            let responses = responses.into_iter().flat_map(|it| it.values());
            responses.chain(operation.value.get("requestBody"))
        });
        let media = bodies.filter_map(|body| self.resolve(body).get("content")?.as_object());
        let media = media.flat_map(|content| content.keys().map(String::as_str));
        most_frequent(media.filter(|it| is_json(it))).unwrap_or("application/json")
    }

    /// What operations of a method require and declare alike: `security`, if each writes it, and extensions.
    pub(super) fn common_members(&self, method: &str) -> Map<String, Value> {
        let operations = self.of_method(method);
        let mut common = Map::new();
        let keys = operations.iter().filter_map(|it| it.value.as_object());
        for key in keys.flat_map(|members| members.keys()) {
            let is_general = key == "security"
                || key.starts_with("x-") && !OF_ONE_OPERATION.contains(&key.as_str());
            if !is_general || common.contains_key(key) {
                continue;
            }
            let values = operations.iter().filter_map(|it| it.value.get(key));
            let Some(most) = most_frequent(values.clone()) else {
                continue;
            };
            let count = values.filter(|it| *it == most).count();
            if count * 2 > operations.len() {
                common.insert(key.clone(), most.clone());
            }
        }
        common
    }

    /// The schema that most ids in paths have.
    pub(super) fn id_schema(&self) -> Value {
        let items = self.document.get("paths").and_then(Value::as_object);
        let items = items.into_iter().flat_map(|paths| paths.values());
        let own = self.operations.iter().map(|it| it.value);
        let parameters = items
            .chain(own)
            .filter_map(|it| it.get("parameters")?.as_array());
        let parameters = parameters.flatten().map(|it| self.resolve(it));
        let in_path = parameters.filter(|it| it.get("in") == Some(&json!("path")));
        let named = in_path.filter(|it| {
            let name = it.get("name").and_then(Value::as_str).unwrap_or_default();
            words(name)
                .last()
                .is_some_and(|word| word == "id" || word == "uuid")
        });
        let schemas = named.filter_map(|it| it.get("schema"));
        let plain = schemas.filter(|it| it.get("$ref").is_none() && it.get("type").is_some());
        let most = most_frequent(plain).map(without_texts);
        most.unwrap_or_else(|| json!({ "type": "integer", "format": "int64", "minimum": 1 }))
    }

    /// The case of most `operationId`s.
    pub(super) fn case_of_operations(&self) -> Case {
        let ids = self
            .operations
            .iter()
            .filter_map(|it| it.value.get("operationId")?.as_str());
        Case::of_most(ids).unwrap_or(Case::Camel)
    }

    /// The case of the names of schemas.
    pub(super) fn case_of_schemas(&self) -> Case {
        let names = || {
            let schemas = self.components("schemas").into_iter();
            schemas.flat_map(|it| it.keys().map(String::as_str))
        };
        let small = names()
            .filter(|name| name.starts_with(char::is_lowercase))
            .count();
        if small * 2 > names().count() {
            Case::of_most(names()).unwrap_or(Case::Snake)
        } else {
            Case::Pascal
        }
    }

    /// The case of the segments of paths.
    pub(super) fn case_of_paths(&self) -> Case {
        let segments = self.operations.iter().flat_map(|it| it.path.split('/'));
        let fixed = segments.filter(|it| !it.contains(['{', ':']));
        Case::of_most(fixed).unwrap_or(Case::Kebab)
    }

    /// How a tag is written, if most operations have one.
    pub(super) fn case_of_tags(&self) -> Option<Case> {
        let tags = self
            .operations
            .iter()
            .filter_map(|it| it.value.get("tags")?.get(0)?.as_str());
        let tags: Vec<&str> = tags.collect();
        if tags.len() * 2 < self.operations.len() || tags.is_empty() {
            return None;
        }
        let small = tags
            .iter()
            .filter(|tag| tag.starts_with(char::is_lowercase))
            .count();
        Some(if small * 2 > tags.len() {
            Case::Kebab
        } else {
            Case::Sentence
        })
    }
}

/// The `operationId` of a role, in a case.
pub(super) fn default_operation_id(role: Role, noun: &super::noun::Noun, case: Case) -> String {
    let (verb, object) = match role {
        Role::List => ("list", &noun.plural),
        Role::Create => ("create", &noun.singular),
        Role::Get => ("get", &noun.singular),
        Role::Replace => ("replace", &noun.singular),
        Role::Delete => ("delete", &noun.singular),
    };
    let parts = [&[verb.to_owned()], object.as_slice()].concat();
    case.write(&parts)
}

/// Whether the verb of an `operationId` says what the role does, so that a copy may have it.
pub(super) fn has_verb(role: Role, operation_id: &str) -> bool {
    let verbs: &[&str] = match role {
        Role::List => &[
            "list", "get", "find", "all", "index", "search", "browse", "query", "fetch", "read",
        ],
        Role::Create => &["create", "add", "new", "post", "insert", "register"],
        Role::Get => &[
            "get", "find", "show", "read", "fetch", "retrieve", "view", "describe",
        ],
        Role::Replace => &[
            "replace", "update", "put", "edit", "modify", "set", "change",
        ],
        Role::Delete => &["delete", "remove", "destroy"],
    };
    let words = words(operation_id);
    // A list by the id of something is a filter.
    let is_filter = role == Role::List && words.iter().any(|word| word == "by");
    !is_filter && words.iter().any(|word| verbs.contains(&word.as_str()))
}

/// A schema without what describes one use of it.
fn without_texts(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        for key in ["description", "title", "example", "default", "enum"] {
            members.remove(key);
        }
    }
    schema
}

/// The value that is there most often; of several, the first.
fn most_frequent<T: PartialEq + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: Vec<(T, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => counts.push((value, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max()?;
    counts
        .into_iter()
        .find_map(|(value, count)| (count == most).then_some(value))
}
