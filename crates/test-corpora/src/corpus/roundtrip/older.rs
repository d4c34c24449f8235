//! What older versions of dropshot wrote in another way than today's. A document of such a version is brought into
//! today's form before it is compared. Each form is one that today's dropshot cannot write for any trait, and none of
//! them loses anything that the trait says.

use serde_json::{Map, Value, json};

/// Brings a form of an operation into that of today. Returns the number of its places.
type Change = fn(&mut Map<String, Value>) -> usize;

/// Today every operation whose status is known has two error responses; here, no operation of the document has one.
const NO_ERRORS: &str = "an operation without error responses";

/// The forms that older versions of dropshot wrote, in the order in which they are brought into today's: a WebSocket has a
/// `default` response before.
const OLD_FORMS: [(&str, Change); 5] = [
    // Today the first line of the documentation is the `summary`.
    ("a description without a summary", split_description),
    // Today it is left out.
    ("a style that is the default", remove_default_styles),
    (NO_ERRORS, declare_errors),
    // It had one response, `default`. Today it has 101 and the errors.
    ("a WebSocket without the status 101", declare_upgrade),
    // Today dropshot describes it.
    (
        "an empty description of a response of any content",
        describe_success,
    ),
];

/// Brings a document into the form of today's dropshot. Returns the old forms that it had, each with the number of its
/// places.
pub(super) fn modernize(document: &mut Value) -> Vec<(&'static str, usize)> {
    let mut found = Vec::new();
    for (form, change) in OLD_FORMS {
        if form == NO_ERRORS && has_error_responses(document) {
            continue;
        }
        let places = operations(document).map(change).sum();
        if form == NO_ERRORS && places > 0 {
            define_error(document);
        }
        if places > 0 {
            found.push((form, places));
        }
    }
    found
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flat_map(Map::values_mut);
    let members = items
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut);
    let operations = members.filter_map(Value::as_object_mut);
    operations.filter(|operation| operation.contains_key("responses"))
}

fn responses(operation: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    operation.get_mut("responses")?.as_object_mut()
}

/// Whether an operation of the document declares an error.
fn has_error_responses(document: &mut Value) -> bool {
    operations(document).any(|operation| {
        let mut statuses = responses(operation).into_iter().flat_map(|it| it.keys());
        statuses.any(|status| status.starts_with(['4', '5']))
    })
}

fn split_description(operation: &mut Map<String, Value>) -> usize {
    if operation.contains_key("summary") {
        return 0;
    }
    let Some(Value::String(text)) = operation.remove("description") else {
        return 0;
    };
    let (summary, rest) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    operation.insert("summary".to_owned(), json!(summary.trim()));
    if !rest.trim().is_empty() {
        operation.insert("description".to_owned(), json!(rest.trim()));
    }
    1
}

fn remove_default_styles(operation: &mut Map<String, Value>) -> usize {
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
    let parameters = parameters.into_iter().flatten();
    let mut places = 0;
    for parameter in parameters.filter_map(Value::as_object_mut) {
        let default = match parameter.get("in").and_then(Value::as_str) {
            Some("query" | "cookie") => "form",
            _ => "simple",
        };
        if parameter.get("style").and_then(Value::as_str) == Some(default) {
            parameter.shift_remove("style");
            places += 1;
        }
    }
    places
}

/// The response of any content that dropshot emits where it knows nothing of the response.
fn any_content() -> Value {
    json!({ "description": "", "content": { "*/*": { "schema": {} } } })
}

fn insert_errors(responses: &mut Map<String, Value>) {
    for class in ["4XX", "5XX"] {
        let reference = json!({ "$ref": "#/components/responses/Error" });
        responses.insert(class.to_owned(), reference);
    }
}

fn declare_upgrade(operation: &mut Map<String, Value>) -> usize {
    let is_channel = operation.contains_key("x-dropshot-websocket");
    match responses(operation) {
        Some(responses) if is_channel && responses.get("default") == Some(&any_content()) => {
            responses.remove("default");
            let description = "Negotiating protocol upgrade from HTTP/1.1 to WebSocket";
            responses.insert("101".to_owned(), json!({ "description": description }));
            insert_errors(responses);
            1
        }
        _ => 0,
    }
}

fn declare_errors(operation: &mut Map<String, Value>) -> usize {
    match responses(operation) {
        Some(responses) if !responses.contains_key("default") => {
            insert_errors(responses);
            1
        }
        _ => 0,
    }
}

/// Adds the error of dropshot to the components, unless the document has others of these names.
fn define_error(document: &mut Value) {
    let text = || json!({ "type": "string" });
    let schema = json!({
        "description": "Error information from a response.",
        "type": "object",
        "properties": { "error_code": text(), "message": text(), "request_id": text() },
        "required": ["message", "request_id"]
    });
    let content =
        json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
    let response = json!({ "description": "Error", "content": content });
    for (kind, definition) in [("schemas", schema), ("responses", response)] {
        let definitions = &mut document["components"][kind];
        if definitions.get("Error").is_none() {
            definitions["Error"] = definition;
        }
    }
}

fn describe_success(operation: &mut Map<String, Value>) -> usize {
    match responses(operation).and_then(|responses| responses.get_mut("200")) {
        Some(response) if *response == any_content() => {
            response["description"] = json!("successful operation");
            1
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(operation: &Value) -> Value {
        json!({ "paths": { "/a": { "get": operation } } })
    }

    #[test]
    fn each_old_form_becomes_that_of_today() {
        let error = json!({ "$ref": "#/components/responses/Error" });
        let errors =
            |status: &str, response: Value| json!({ status: response, "4XX": error, "5XX": error });
        let parameter = |location: &str| json!({ "name": "n", "in": location, "schema": {} });
        let styled = |location: &str, style: &str| {
            let mut parameter = parameter(location);
            parameter["style"] = json!(style);
            parameter
        };
        let described = json!({ "description": "successful operation", "content": { "*/*": { "schema": {} } } });
        let upgrade = "Negotiating protocol upgrade from HTTP/1.1 to WebSocket";
        let rows = [
            (
                OLD_FORMS[0].0,
                json!({ "description": "Lists.\nAll of them.\n", "responses": { "4XX": {} } }),
                json!({ "summary": "Lists.", "description": "All of them.", "responses": { "4XX": {} } }),
            ),
            (
                OLD_FORMS[1].0,
                json!({
                    "parameters": [styled("query", "form"), styled("path", "simple"), styled("query", "deepObject")],
                    "responses": { "4XX": {} }
                }),
                json!({
                    "parameters": [parameter("query"), parameter("path"), styled("query", "deepObject")],
                    "responses": { "4XX": {} }
                }),
            ),
            (
                OLD_FORMS[3].0,
                json!({ "responses": { "default": any_content() }, "x-dropshot-websocket": {} }),
                json!({ "responses": errors("101", json!({ "description": upgrade })), "x-dropshot-websocket": {} }),
            ),
            (
                OLD_FORMS[2].0,
                json!({ "responses": { "204": {} } }),
                json!({ "responses": errors("204", json!({})) }),
            ),
            (
                OLD_FORMS[4].0,
                json!({ "responses": errors("200", any_content()) }),
                json!({ "responses": errors("200", described) }),
            ),
        ];
        for (form, old, new) in rows {
            let mut changed = document(&old);
            let forms = modernize(&mut changed);
            let forms: Vec<&str> = forms.into_iter().map(|(form, _)| form).collect();
            assert_eq!(forms, [form]);
            assert_eq!(changed["paths"], document(&new)["paths"], "{form}");
            assert_eq!(modernize(&mut changed), [], "{form} stays in today's form");
        }
    }

    #[test]
    fn what_today_dropshot_can_write_is_not_changed() {
        for operation in [
            json!({ "summary": "Lists.", "description": "All.", "responses": { "4XX": {} } }),
            json!({ "responses": { "default": any_content() } }),
            json!({ "responses": { "200": { "description": "" }, "500": {} } }),
            json!({ "responses": { "200": { "description": "The pets." }, "4XX": {} } }),
        ] {
            let mut changed = document(&operation);
            assert_eq!(modernize(&mut changed), []);
            assert_eq!(changed, document(&operation));
        }
    }

    #[test]
    fn errors_are_added_only_if_no_operation_has_one() {
        let mut document = json!({ "paths": {
            "/a": { "get": { "responses": { "204": {} } } },
            "/b": { "get": { "responses": { "204": {}, "404": {} } } },
        } });
        assert_eq!(modernize(&mut document), []);
    }
}
