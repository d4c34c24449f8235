//! Plans a new resource: every value that the document gets, and where.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use serde_json::{Map, Value, json};

use super::copy::Copier;
use super::field::Field;
use super::noun::{Case, Noun};
use super::operations::Maker;
use super::renaming::Renaming;
use super::schemas::{self, Schemas};
use super::survey::{Model, Role, Survey};

/// A value that the document gets.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Addition {
    /// A member of an object, behind the member `after` or at the end.
    Member {
        container: Vec<String>,
        after: Option<String>,
        key: String,
        value: Value,
    },
    /// An item at the end of an array.
    Item {
        container: Vec<String>,
        value: Value,
    },
}

/// What becomes of the document.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) additions: Vec<Addition>,
    /// Method, path and `operationId` of each operation.
    pub(super) operations: Vec<(String, String, String)>,
    /// The schemas.
    pub(super) schemas: Vec<String>,
    /// The path of the collection that it is like.
    pub(super) model: Option<String>,
}

/// What a new resource is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The most complete resource of the document, if it has one.
    Model,
    /// Most of its operations.
    Conventions,
}

/// Plans a resource.
///
/// # Errors
/// Something of it is in the document already, or a field does not fit.
pub(super) fn plan(
    document: &Value,
    noun: &Noun,
    fields: &[Field],
    likeness: Likeness,
) -> anyhow::Result<Plan> {
    let survey = Survey::new(document);
    let mut models = survey.models().into_iter();
    let model = models.next().filter(|_| likeness == Likeness::Model);
    let model =
        model.filter(|it| it.operation(Role::Get).is_some() || it.operation(Role::List).is_some());
    let model = model.as_ref();
    let names = Names::new(&survey, model, noun);
    let mut replaced = BTreeMap::new();
    if let Some(schema) = model.and_then(|it| it.schema) {
        replaced.insert(schema.to_owned(), names.item.clone());
    }
    let renaming = model.map(|it| Renaming::new(&it.noun, noun, survey.case_of_properties()));
    let mut copier = Copier::new(&survey, renaming, replaced);
    let id = schemas::find_id(&survey, model, noun, &mut copier);
    let Schemas {
        item,
        new,
        example,
        new_example,
    } = schemas::make(&survey, model, noun, &id, fields)?;
    let (collection, single) = names.paths(&survey, model, noun, &id.parameter);
    let parameter = IdParameter::new(&survey, model, noun, &id, &mut copier);
    let maker = Maker {
        survey: &survey,
        model,
        noun,
        item: &names.item,
        bodies: &names.bodies,
        example: example.as_ref(),
        new_example: new_example.as_ref(),
        tag: names.tag.as_deref(),
        id: &parameter,
    };
    let mut items = [Map::new(), Map::new()];
    let mut operations = Vec::new();
    items[1] = path_item(&survey, model, &parameter, &mut copier);
    for role in Role::ALL {
        let operation = maker.make(role, &mut copier);
        let path = if role.is_of_collection() {
            &collection
        } else {
            &single
        };
        let id = operation["operationId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        operations.push((role.method().to_ascii_uppercase(), path.clone(), id));
        let index = usize::from(!role.is_of_collection());
        items[index].insert(role.method().to_owned(), operation);
    }
    let mut additions = Vec::new();
    let [of_collection, of_item] = items;
    additions.push(member(
        &["paths"],
        None,
        &collection,
        Value::Object(of_collection),
    ));
    additions.push(member(&["paths"], None, &single, Value::Object(of_item)));
    let mut own = vec![(names.item.clone(), item)];
    let bodies: BTreeSet<&String> = names.bodies.values().collect();
    own.extend(bodies.into_iter().map(|name| (name.clone(), new.clone())));
    let schemas: Vec<String> = own.iter().map(|(name, _)| name.clone()).collect();
    for (name, value) in own {
        additions.push(member(&["components", "schemas"], None, &name, value));
    }
    let copies = std::mem::take(&mut copier.copies);
    additions.extend(new_codes(document, &copier, &copies));
    for copy in copies {
        let after = (copy.section != "schemas").then_some(copy.original);
        let container = ["components", &copy.section];
        additions.push(member(&container, after, &copy.name, copy.value));
    }
    additions.extend(names.tag_declaration(document, noun));
    check_clashes(document, &additions, &operations, names.tag.as_deref())?;
    Ok(Plan {
        additions,
        operations,
        schemas,
        model: model.map(|it| it.collection.to_owned()),
    })
}

/// The names of a new resource.
#[derive(Debug)]
struct Names {
    item: String,
    /// The names of the bodies of requests, by method.
    bodies: BTreeMap<&'static str, String>,
    tag: Option<String>,
}

impl Names {
    fn new(survey: &Survey<'_>, model: Option<&Model<'_>>, noun: &Noun) -> Names {
        let case = survey.case_of_schemas();
        let renaming = model.map(|it| Renaming::new(&it.noun, noun, case));
        let rename = |name: &str| {
            let renamed = renaming.as_ref().map(|it| it.apply(name));
            renamed.filter(|it| it != name)
        };
        let of_model = model.and_then(|it| it.schema);
        let item = of_model
            .and_then(rename)
            .unwrap_or_else(|| noun.singular(case));
        let default = case.write(&[&["new".to_owned()], noun.singular.as_slice()].concat());
        let body = |role: Role| {
            let body = survey.resolve(model?.operation(role)?.get("requestBody")?);
            let schema = survey.json_schema(body)?;
            let name = super::survey::schema_name(schema.get("$ref")?.as_str()?)?;
            rename(name).filter(|it| *it != item)
        };
        let create = body(Role::Create).unwrap_or(default);
        let replace = body(Role::Replace).unwrap_or_else(|| create.clone());
        let tag = survey.case_of_tags().map(|case| {
            let operation =
                model.and_then(|it| Role::ALL.into_iter().find_map(|role| it.operation(role)));
            let of_model = operation.and_then(|it| it.get("tags")?.get(0)?.as_str());
            let words = of_model.and_then(rename);
            words.unwrap_or_else(|| noun.plural(case))
        });
        let bodies = [
            (Role::Create.method(), create),
            (Role::Replace.method(), replace),
        ];
        Names {
            item,
            bodies: bodies.into_iter().collect(),
            tag,
        }
    }

    /// The paths of the collection and of an item.
    fn paths(
        &self,
        survey: &Survey<'_>,
        model: Option<&Model<'_>>,
        noun: &Noun,
        parameter: &str,
    ) -> (String, String) {
        let segment = noun.plural(survey.case_of_paths());
        // The new resource is at the top: a model below another resource lends what is before that one.
        let before = model.map_or("", |it| {
            it.collection
                .rsplit_once('/')
                .map_or("", |(before, _)| before)
        });
        let before = match before.find('{') {
            None => before,
            Some(at) => {
                let fixed = before[..at].trim_end_matches('/');
                fixed.rsplit_once('/').map_or("", |(before, _)| before)
            }
        };
        let end = model.map_or("", |it| it.end);
        (
            format!("{before}/{segment}{end}"),
            format!("{before}/{segment}/{{{parameter}}}{end}"),
        )
    }

    /// The declaration of the tag, in a document that declares its tags.
    fn tag_declaration(&self, document: &Value, noun: &Noun) -> Option<Addition> {
        let tag = self.tag.as_ref()?;
        let declared = document.get("tags")?.as_array()?;
        let has_descriptions = declared.iter().any(|it| it.get("description").is_some());
        let mut value = json!({ "name": tag });
        if has_descriptions || declared.is_empty() {
            value["description"] = json!(format!("The {}.", noun.plural(Case::Text)));
        }
        let container = vec!["tags".to_owned()];
        Some(Addition::Item { container, value })
    }
}

fn member(container: &[&str], after: Option<String>, key: &str, value: Value) -> Addition {
    Addition::Member {
        container: container.iter().map(|it| (*it).to_owned()).collect(),
        after,
        key: key.to_owned(),
        value,
    }
}

/// What all operations of an item have in common: the parameters.
fn path_item(
    survey: &Survey<'_>,
    model: Option<&Model<'_>>,
    id: &IdParameter,
    copier: &mut Copier<'_>,
) -> Map<String, Value> {
    let shared = model.and_then(|it| it.item.get("parameters")?.as_array());
    let shared = shared.into_iter().flatten();
    let others = shared.filter(|it| survey.resolve(it).get("in") != Some(&json!("path")));
    let mut parameters: Vec<Value> = others.map(|it| copier.copy(it)).collect();
    if id.is_shared {
        parameters.insert(0, id.declaration.clone());
    }
    if parameters.is_empty() {
        Map::new()
    } else {
        Map::from_iter([("parameters".to_owned(), Value::Array(parameters))])
    }
}

/// The declaration of the path parameter of an item.
pub(super) struct IdParameter {
    pub(super) declaration: Value,
    /// Whether it is declared once for all operations of the path.
    pub(super) is_shared: bool,
}

impl IdParameter {
    fn new(
        survey: &Survey<'_>,
        model: Option<&Model<'_>>,
        noun: &Noun,
        id: &schemas::Id,
        copier: &mut Copier<'_>,
    ) -> IdParameter {
        let of_model = model.and_then(|it| it.path_parameter(survey));
        let shared = model.and_then(|it| it.item.get("parameters")?.as_array());
        let default = || {
            json!({
                "name": id.parameter,
                "in": "path",
                "required": true,
                "description": format!("The id of the {}.", noun.singular(Case::Text)),
                "schema": id.schema,
            })
        };
        IdParameter {
            declaration: of_model.map_or_else(default, |it| copier.copy(it)),
            is_shared: of_model.is_none_or(|it| shared.is_some_and(|all| all.contains(it))),
        }
    }
}

/// The error codes of `x-error-codes` that the copies have and the document does not.
fn new_codes(
    document: &Value,
    copier: &Copier<'_>,
    copies: &[super::copy::ComponentCopy],
) -> Vec<Addition> {
    let codes = document.get("x-error-codes").and_then(Value::as_object);
    let Some(codes) = codes else {
        return Vec::new();
    };
    let written: Vec<String> = copies.iter().map(|it| it.value.to_string()).collect();
    let new = codes.iter().filter_map(|(code, status)| {
        let renamed = copier.rename(code);
        let is_used = written
            .iter()
            .any(|it| it.contains(&format!("\"{renamed}\"")));
        let is_new = !codes.contains_key(&renamed) && is_used;
        is_new.then(|| {
            member(
                &["x-error-codes"],
                Some(code.clone()),
                &renamed,
                status.clone(),
            )
        })
    });
    new.collect()
}

/// Checks that nothing of a resource is in the document already.
fn check_clashes(
    document: &Value,
    additions: &[Addition],
    operations: &[(String, String, String)],
    tag: Option<&str>,
) -> anyhow::Result<()> {
    let mut clashes = Vec::new();
    let shape = |path: &str| -> String {
        let segments = path
            .split('/')
            .map(|it| if it.starts_with('{') { "{}" } else { it });
        segments.collect::<Vec<_>>().join("/")
    };
    for addition in additions {
        let Addition::Member { container, key, .. } = addition else {
            continue;
        };
        let pointer = container
            .iter()
            .fold(String::new(), |all, it| format!("{all}/{it}"));
        let members = document.pointer(&pointer).and_then(Value::as_object);
        let mut known = members.into_iter().flat_map(|it| it.keys());
        let same =
            known.find(|it| *it == key || container[0] == "paths" && shape(it) == shape(key));
        if let Some(same) = same {
            let section = container.last().map_or("", String::as_str);
            clashes.push(match section {
                "paths" => format!("the path `{same}`"),
                _ => format!("`{same}` in {}", container.join(".")),
            });
        }
    }
    for operation in &Survey::new(document).operations {
        let id = operation.value.get("operationId").and_then(Value::as_str);
        let clash = id.filter(|id| operations.iter().any(|(_, _, new)| new == id));
        clashes.extend(clash.map(|id| format!("the operationId `{id}`")));
    }
    let declared = document
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let mut declared = declared.filter_map(|it| it.get("name")?.as_str());
    if let Some(tag) = tag.filter(|tag| declared.any(|it| it == *tag)) {
        clashes.push(format!("the tag `{tag}`"));
    }
    if !clashes.is_empty() {
        bail!(
            "the document already has {}: choose another name, or another --singular",
            clashes.join(", ")
        );
    }
    Ok(())
}
