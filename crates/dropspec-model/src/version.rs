//! The version of OpenAPI that a document is written in.

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::node::{Node, Position};
use crate::suggestion::suggest;

/// The version of a document, such as `3.1.0`.
///
/// # Errors
/// The document is not of OpenAPI 3.0, 3.1 or 3.2, or is no OpenAPI document. The help says what to do.
pub fn check_version(document: &Document) -> Result<&str, Diagnostic> {
    let root = document.root();
    let at = |position: Position, pointer: &str, message: String, help: &str| {
        Diagnostic::new(document.location(position), pointer, message).with_help(help)
    };
    let Some(members) = root.as_object() else {
        let found = root.kind();
        let message = format!("expected an OpenAPI document (an object), found {found}");
        let help = "name an OpenAPI document: it begins with `openapi: 3.1.0`";
        return Err(at(root.position, "", message, help));
    };
    if let Some(swagger) = root.get("swagger") {
        let message = "this is a Swagger 2.0 document: only OpenAPI 3.0, 3.1 and 3.2 are supported"
            .to_owned();
        let help = format!(
            "convert it, for instance by `npx swagger2openapi {} --outfile openapi.json` or in Swagger Editor \
             (Edit, Convert to OpenAPI 3), and name the result",
            document.name()
        );
        return Err(at(swagger.position, "/swagger", message, &help));
    }
    let Some(version) = root.get("openapi") else {
        let written = members.keys().map(String::as_str);
        let misspelt = written
            .filter(|key| !key.starts_with("x-"))
            .find(|key| suggest(key, ["openapi"]).is_some());
        let help = match misspelt {
            Some(key) => format!("write `openapi` for `{key}`"),
            None => "begin it with `openapi: 3.1.0`, if it is an OpenAPI document".to_owned(),
        };
        let message = "the document has no `openapi` version".to_owned();
        return Err(at(root.position, "", message, &help));
    };
    let text = version.as_str().unwrap_or_default();
    let patch = text.strip_prefix("3.0.");
    let is_3_0 = patch.is_some_and(|patch| patch.starts_with(|c: char| c.is_ascii_digit()));
    if is_3_0 || document.uses_json_schema() {
        return Ok(text);
    }
    let (message, help) = describe(version);
    Err(at(version.position, "/openapi", message, &help))
}

/// What is wrong with a version, and what to do.
fn describe(version: &Node) -> (String, String) {
    let written = version.to_json();
    let text = match written.as_str() {
        Some(text) => text.to_owned(),
        None => written.to_string(),
    };
    let is_short = ["3.0", "3.1", "3.2"].contains(&text.as_str());
    let message = if is_short {
        "the version of OpenAPI has three numbers".to_owned()
    } else {
        format!("OpenAPI version {written} is not supported, only 3.0, 3.1 and 3.2")
    };
    let meant = match text.as_str() {
        "3.0" => "3.0.3",
        "3.2" => "3.2.0",
        _ => "3.1.0",
    };
    (message, format!("write `openapi: {meant}`"))
}
