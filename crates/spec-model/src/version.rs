//! The version of OpenAPI that a document is written in. Code is generated from 3.0 only; 3.1 is checked and compared.

use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::node::{Node, Position};
use crate::suggestion::suggest;

/// The version of a document of OpenAPI 3.0, such as `3.0.3`.
///
/// # Errors
/// The document is of another version, or is no OpenAPI document. The help says what to do.
pub fn check_version(document: &Document) -> Result<&str, Diagnostic> {
    match find_version(document, "3.0")? {
        (_, node) if document.is_3_1() => Err(refuse(document, node, "3.0")),
        (version, _) => Ok(version),
    }
}

/// The version of a document that can be checked and compared: of OpenAPI 3.0 or 3.1.
///
/// # Errors
/// As [`check_version`].
pub fn check_comparable_version(document: &Document) -> Result<&str, Diagnostic> {
    Ok(find_version(document, "3.0 and 3.1")?.0)
}

/// The version of OpenAPI 3.0 or 3.1, and its node. An error names those that are supported.
fn find_version<'d>(
    document: &'d Document,
    supported: &str,
) -> Result<(&'d str, &'d Node), Diagnostic> {
    let root = document.root();
    let at = |position: Position, pointer: &str, message: String, help: &str| {
        Diagnostic::new(document.location(position), pointer, message).with_help(help)
    };
    let Some(members) = root.as_object() else {
        let found = root.kind();
        let message = format!("expected an OpenAPI document (an object), found {found}");
        let help = "name an OpenAPI document: it begins with `openapi: 3.0.3`";
        return Err(at(root.position, "", message, help));
    };
    if let Some(swagger) = root.get("swagger") {
        let message = "this is a Swagger 2.0 document: only OpenAPI 3.0 is supported".to_owned();
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
            None => "begin it with `openapi: 3.0.3`, if it is an OpenAPI document".to_owned(),
        };
        let message = "the document has no `openapi` version".to_owned();
        return Err(at(root.position, "", message, &help));
    };
    let text = version.as_str().unwrap_or_default();
    let patch = text.strip_prefix("3.0.");
    let is_3_0 = patch.is_some_and(|patch| patch.starts_with(|c: char| c.is_ascii_digit()));
    if is_3_0 || document.is_3_1() {
        Ok((text, version))
    } else {
        Err(refuse(document, version, supported))
    }
}

/// The error that a version is not supported.
fn refuse(document: &Document, version: &Node, supported: &str) -> Diagnostic {
    let (message, help) = describe(version, supported);
    let location = document.location(version.position);
    Diagnostic::new(location, "/openapi", message).with_help(help)
}

/// What is wrong with a version, and what to do.
fn describe(version: &Node, supported: &str) -> (String, &'static str) {
    let written = version.to_json();
    let text = match written.as_str() {
        Some(text) => text.to_owned(),
        None => written.to_string(),
    };
    let message = match text.as_str() {
        "3.0" => "the version of OpenAPI has three numbers".to_owned(),
        _ => format!("OpenAPI version {written} is not supported, only {supported}"),
    };
    let is_newer = ["3.1", "3.2"]
        .iter()
        .any(|newer| text == *newer || text.starts_with(&format!("{newer}.")));
    let help = if is_newer {
        // Each of them is an error or a warning with a help of its own.

        "write `openapi: 3.0.3`, and run the command again: it lists what 3.0 writes in another way, \
             such as `nullable: true` for a type `null`"
    } else {
        "write `openapi: 3.0.3`"
    };
    (message, help)
}
