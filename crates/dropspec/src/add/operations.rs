//! The five operations of a new resource, like those of the model, or like most of the document where there is none.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::conventions::{default_operation_id, has_verb};
use super::copy::Copier;
use super::noun::{Case, Noun, capitalized};
use super::resource::IdParameter;
use super::survey::{Model, Role, Survey, is_json};

/// Statuses that say what a rule of the model forbids.
const OF_RULES: [&str; 4] = ["402", "409", "423", "424"];

/// What an operation is made from.
pub(super) struct Maker<'d, 'm> {
    pub(super) survey: &'d Survey<'d>,
    pub(super) model: Option<&'m Model<'d>>,
    pub(super) noun: &'m Noun,
    /// The names of the schemas of an item, and of the bodies of both requests.
    pub(super) item: &'m str,
    pub(super) bodies: &'m BTreeMap<&'static str, String>,
    pub(super) example: Option<&'m Value>,
    pub(super) new_example: Option<&'m Value>,
    pub(super) tag: Option<&'m str>,
    pub(super) id: &'m IdParameter,
}

impl Maker<'_, '_> {
    /// Makes the operation of a role.
    pub(super) fn make(&self, role: Role, copier: &mut Copier<'_>) -> Value {
        let model = self.model.and_then(|it| it.operation(role));
        let mut operation = Map::new();
        let id = self.operation_id(role, model, copier);
        operation.insert("operationId".to_owned(), json!(id));
        if let Some(tag) = self.tag {
            operation.insert("tags".to_owned(), json!([tag]));
        }
        let (summary, description) = self.texts(role);
        operation.insert("summary".to_owned(), json!(summary));
        operation.insert("description".to_owned(), json!(description));
        let mut members = self.survey.common_members(role.method());
        // The model knows better than most who may do this.
        if let Some(security) = model.and_then(|it| it.get("security")) {
            members.insert("security".to_owned(), security.clone());
        }
        operation.extend(members);
        let parameters = self.parameters(role, model, copier);
        if !parameters.is_empty() {
            operation.insert("parameters".to_owned(), Value::Array(parameters));
        }
        if matches!(role, Role::Create | Role::Replace) {
            operation.insert("requestBody".to_owned(), self.request_body(role, model));
        }
        let responses = self.responses(role, model, copier);
        operation.insert("responses".to_owned(), Value::Object(responses));
        Value::Object(operation)
    }

    fn operation_id(&self, role: Role, model: Option<&Value>, copier: &Copier<'_>) -> String {
        let of_model = model.and_then(|it| it.get("operationId")?.as_str());
        let copied = of_model.map(|id| copier.rename(id));
        // Another noun, and a verb that says what the operation does: `cancelOrder` deletes an order, but no review.
        let fits = |id: &String| Some(id.as_str()) != of_model && has_verb(role, id);
        copied.filter(fits).unwrap_or_else(|| {
            default_operation_id(role, self.noun, self.survey.case_of_operations())
        })
    }

    fn texts(&self, role: Role) -> (String, String) {
        let (one, several) = (self.noun.singular(Case::Text), self.noun.plural(Case::Text));
        let a = self.noun.with_article();
        match role {
            Role::List if !self.has_pages() => {
                (format!("List {several}"), format!("All {several}."))
            }
            Role::List => (
                format!("List {several}"),
                format!("{}, a page at a time.", capitalized(&several)),
            ),
            Role::Create => (format!("Create {a}"), format!("Creates {a}.")),
            Role::Get => (format!("Get {a}"), format!("The {one} with this id.")),
            Role::Replace => (
                format!("Replace {a}"),
                format!("Replaces the {one}. An optional property that is left out is removed."),
            ),
            Role::Delete => (format!("Delete {a}"), format!("Deletes the {one}.")),
        }
    }

    fn parameters(&self, role: Role, model: Option<&Value>, copier: &mut Copier<'_>) -> Vec<Value> {
        let of_model = model.and_then(|it| it.get("parameters")?.as_array());
        let mut parameters = Vec::new();
        if !role.is_of_collection() && !self.id.is_shared {
            parameters.push(self.id.declaration.clone());
        }
        for parameter in of_model.into_iter().flatten() {
            let resolved =
                spec_schema::resolve(self.survey.document, parameter).unwrap_or(parameter);
            let text = |key: &str| {
                resolved
                    .get(key)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            };
            let is_kept = match text("in") {
                "header" => true,
                "query" => self.survey.is_everywhere(parameter),
                _ => false,
            };
            if is_kept {
                parameters.push(copier.copy(parameter));
            }
        }
        if role == Role::List {
            let own = of_model.into_iter().flatten();
            let own: Vec<&Value> = own.filter(|it| self.survey.is_of_pages(it)).collect();
            let pages = match model {
                Some(_) => own,
                None => self.survey.page_parameters(),
            };
            let pages: Vec<Value> = pages.into_iter().map(|it| copier.copy(it)).collect();
            parameters.extend(
                pages
                    .into_iter()
                    .filter(|it| !parameters.contains(it))
                    .collect::<Vec<_>>(),
            );
        }
        parameters
    }

    /// Whether a list is read page by page.
    fn has_pages(&self) -> bool {
        let of_model = self.model.and_then(|it| it.operation(Role::List));
        let parameters = of_model.map(|it| it.get("parameters").and_then(Value::as_array));
        match parameters {
            Some(parameters) => {
                let mut parameters = parameters.into_iter().flatten();
                parameters.any(|it| self.survey.is_of_pages(it))
            }
            None => !self.survey.page_parameters().is_empty(),
        }
    }

    fn request_body(&self, role: Role, model: Option<&Value>) -> Value {
        let body = model.and_then(|it| it.get("requestBody"));
        let body = body.map(|it| spec_schema::resolve(self.survey.document, it).unwrap_or(it));
        let media = body.and_then(|it| {
            it.get("content")?
                .as_object()?
                .keys()
                .find(|name| is_json(name))
        });
        let media = media.map_or_else(|| self.survey.media_type(), String::as_str);
        // A partial update has a media type of its own.
        let media = if media.contains("patch") {
            self.survey.media_type()
        } else {
            media
        };
        let name = &self.bodies[role.method()];
        let mut content = json!({ "schema": reference(name) });
        if let Some(example) = self.new_example {
            content["example"] = example.clone();
        }
        let mut made = Map::new();
        if body.is_some_and(|it| it.get("description").is_some()) {
            let verb = if role == Role::Create {
                "create"
            } else {
                "store"
            };
            let text = format!("The {} to {verb}.", self.noun.singular(Case::Text));
            made.insert("description".to_owned(), json!(text));
        }
        made.insert("required".to_owned(), json!(true));
        made.insert("content".to_owned(), json!({ media: content }));
        Value::Object(made)
    }

    fn responses(
        &self,
        role: Role,
        model: Option<&Value>,
        copier: &mut Copier<'_>,
    ) -> Map<String, Value> {
        let mut responses = Map::new();
        let (status, success) = self.success(role, model, copier);
        responses.insert(status, success);
        match model.and_then(|it| it.get("responses")?.as_object()) {
            Some(of_model) => {
                for (status, response) in of_model {
                    let is_missing_in_collection = status == "404" && role.is_of_collection();
                    let name = response
                        .get("$ref")
                        .and_then(Value::as_str)
                        .unwrap_or_default();
                    let is_of_rule = OF_RULES.contains(&status.as_str())
                        && (name.is_empty() || copier.is_renamed(name));
                    if status.starts_with('2') || is_missing_in_collection || is_of_rule {
                        continue;
                    }
                    responses.insert(status.clone(), copier.copy(response));
                }
            }
            None => {
                let common = self.survey.common_errors(role.method()).into_iter();
                let is_possible = |status: &String| !(status == "404" && role.is_of_collection());
                responses.extend(common.filter(|(status, _)| is_possible(status)));
            }
        }
        let has_not_found = responses
            .keys()
            .any(|it| it == "404" || it == "default" || it == "4XX");
        if !role.is_of_collection() && !has_not_found {
            responses.insert("404".to_owned(), self.not_found(copier));
        }
        responses.sort_keys();
        responses
    }

    fn not_found(&self, copier: &mut Copier<'_>) -> Value {
        let roles = [Role::Get, Role::Delete, Role::Replace].into_iter();
        let mut of_model = roles.filter_map(|role| {
            let operation = self.model.and_then(|it| it.operation(role));
            operation?.get("responses")?.get("404")
        });
        if let Some(response) = of_model.next() {
            return copier.copy(response);
        }
        if let Some(shared) = self.survey.common_not_found() {
            return shared.clone();
        }
        let text = format!("There is no such {}.", self.noun.singular(Case::Text));
        let mut response = json!({ "description": text });
        if let Some(content) = self.survey.error_content() {
            response["content"] = content;
        }
        response
    }

    /// The success response: its status, and what it has.
    fn success(
        &self,
        role: Role,
        model: Option<&Value>,
        copier: &mut Copier<'_>,
    ) -> (String, Value) {
        let of_model = model.and_then(|it| {
            let responses = it.get("responses")?.as_object()?;
            let (status, response) = responses
                .iter()
                .find(|(status, _)| status.starts_with('2'))?;
            let resolved = spec_schema::resolve(self.survey.document, response).unwrap_or(response);
            Some((status.clone(), resolved))
        });
        let default = match role {
            Role::List | Role::Get | Role::Replace => "200",
            Role::Create => "201",
            Role::Delete => "204",
        };
        let status = match &of_model {
            Some((status, _)) if status != "2XX" => status.clone(),
            _ => default.to_owned(),
        };
        let one = self.noun.singular(Case::Text);
        let text = match role {
            Role::List if !self.has_pages() => {
                format!("All {}.", self.noun.plural(Case::Text))
            }
            Role::List => format!("A page of {}.", self.noun.plural(Case::Text)),
            Role::Create => format!("The {one} as it was created."),
            Role::Get => format!("The {one}."),
            Role::Replace => format!("The {one} as it is now."),
            Role::Delete => format!("The {one} is gone."),
        };
        let mut response = Map::from_iter([("description".to_owned(), json!(text))]);
        let headers = of_model.as_ref().and_then(|(_, it)| it.get("headers"));
        if let Some(headers) = headers {
            response.insert("headers".to_owned(), copier.copy(headers));
        }
        let content = of_model
            .as_ref()
            .map(|(_, it)| it.get("content").and_then(Value::as_object));
        let has_content = match (&content, role) {
            (_, Role::Delete) => false,
            (_, Role::List | Role::Get) => true,
            // A creation may answer with `Location` alone.
            (Some(content), _) => content.is_some(),
            (None, _) => true,
        };
        if has_content {
            let json = content.flatten();
            let json = json.and_then(|it| it.iter().find(|(name, _)| is_json(name)));
            let made = self.content(role, json, copier);
            response.insert("content".to_owned(), made);
        }
        let status = match (role, has_content) {
            (Role::Delete, _) => "204".to_owned(),
            (_, true) if status == "204" => default.to_owned(),
            _ => status,
        };
        (status, Value::Object(response))
    }

    fn content(
        &self,
        role: Role,
        model: Option<(&String, &Value)>,
        copier: &mut Copier<'_>,
    ) -> Value {
        let media = model.map_or_else(|| self.survey.media_type(), |(name, _)| name);
        let schema = model.and_then(|(_, it)| it.get("schema"));
        let copied = schema
            .map(|it| copier.copy(it))
            .filter(|it| copier.reaches(it, self.item));
        let is_list = role == Role::List;
        let schema = copied.unwrap_or_else(|| {
            if is_list {
                json!({ "type": "array", "items": reference(self.item) })
            } else {
                reference(self.item)
            }
        });
        let example = self.example_of(&schema, copier, 0);
        let mut content = json!({ "schema": schema });
        if let Some(example) = example {
            content["example"] = example;
        }
        json!({ media: content })
    }

    /// An example of a schema that has an item in it: everything that it must have.
    fn example_of(&self, schema: &Value, copier: &Copier<'_>, depth: usize) -> Option<Value> {
        if depth > 8 {
            return None;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let name = super::survey::schema_name(target)?;
            if name == self.item {
                return self.example.cloned();
            }
            let copy = copier
                .copies
                .iter()
                .find(|it| it.section == "schemas" && it.name == name);
            let known = || {
                self.survey
                    .components("schemas")
                    .and_then(|it| it.get(name))
            };
            let target = copy.map(|it| &it.value).or_else(known)?;
            return self.example_of(target, copier, depth + 1);
        }
        let composed = ["oneOf", "anyOf", "not"]
            .iter()
            .any(|key| schema.get(key).is_some());
        if composed {
            return None;
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            let mut all = Map::new();
            for part in parts {
                all.extend(
                    self.example_of(part, copier, depth + 1)?
                        .as_object()?
                        .clone(),
                );
            }
            return Some(Value::Object(all));
        }
        if let Some(items) = schema.get("items") {
            return Some(json!([self.example_of(items, copier, depth + 1)?]));
        }
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return super::schemas::scalar_example(self.survey, schema);
        };
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|it| it.contains(&json!(name)));
        let mut object = Map::new();
        for (name, property) in properties {
            if is_required(name) || copier.reaches(property, self.item) {
                object.insert(name.clone(), self.example_of(property, copier, depth + 1)?);
            }
        }
        Some(Value::Object(object))
    }
}

/// A reference to a schema of the components.
pub(super) fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}
