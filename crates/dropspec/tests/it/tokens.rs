//! Tokens (JWT) in place of API keys: the module of a new workspace's README, in a server that runs.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use crate::made::{Made, block_of, target, text};

/// Notes that are written with a scope, beside a public operation.
const SPEC: &str = "openapi: 3.0.3
info: {title: Diary, version: 1.0.0}
security: [{user: [write]}]
paths:
  /pages:
    get:
      operationId: listPages
      responses:
        '200': {description: The pages., content: {application/json: {schema: {type: array, items: {type: string}}}}}
  /status:
    get:
      operationId: getStatus
      security: []
      responses: {'200': {description: All is well.}}
components:
  securitySchemes:
    user: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://example.com/token', scopes: {write: Write.}}}}
";

const SECRET: &str = "the secret that the issuer shares";
/// In the year 2100.
const LATER: u64 = 4_102_444_800;

/// The header with a signed token.
fn token(secret: &str, claims: &Value) -> String {
    let key = EncodingKey::from_secret(secret.as_bytes());
    let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &key).unwrap();
    format!("Authorization: Bearer {token}")
}

/// Makes the service, with the code of the README.
fn make() -> Made {
    let made = Made::new("diary", "diary.yaml", SPEC);
    let readme = made.readme();
    let (_, section) = readme.split_once("\n## Tokens\n").unwrap();
    made.edit_server("src/tokens.rs", |_| block_of(section, "rust,tokens"));
    made.edit_server("src/main.rs", |text| {
        let (head, rest) = text.split_once("    fn authenticator").unwrap();
        let (_, end) = rest.split_once("\n    }\n").unwrap();
        let function = block_of(section, "rust,authenticator");
        format!("{head}{function}{end}")
            .replace(
                "type Authenticator = ApiKeys;",
                "type Authenticator = Tokens;",
            )
            .replace("mod operations;", "mod operations;\nmod tokens;")
            .replace(
                "use crate::errors::Errors;",
                "use crate::errors::Errors;\nuse crate::tokens::Tokens;",
            )
    });
    made.edit_server("src/operations.rs", |text| {
        let sender = block_of(section, "rust,sender");
        let result = "Ok(HttpResponseOk(vec![subject.unwrap_or_default().to_owned()]))";
        let (head, rest) = text.split_once("async fn list_pages").unwrap();
        let filled = format!("{sender}{result}");
        let filled = rest.replacen("Err(not_implemented())", &filled, 1);
        assert_ne!(filled, rest);
        format!("{head}async fn list_pages{filled}")
    });
    // The versions that the toolchain is tested with, so that cargo asks for no other ones.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(lock, made.root().join("Cargo.lock")).unwrap();
    let commands =
        block_of(section, "sh,tokens").replace("cargo add", "cargo add --offline --quiet");
    let added = Command::new("sh")
        .args(["-ec", &commands])
        .current_dir(made.root())
        .output()
        .unwrap();
    assert!(added.status.success(), "{}", text(&added.stderr));
    made.build();
    made
}

#[test]
fn module_of_the_readme_admits_only_valid_tokens_with_their_scopes() {
    let made = make();
    let variables = [("DIARY_TOKEN_SECRET", SECRET)];
    let server = made.serve_with(&variables);
    assert_eq!(server.header, "", "no API key is made");
    let claims = |change: Value| {
        let mut claims =
            json!({ "sub": "ann", "aud": "diary", "exp": LATER, "scope": "read write" });
        for (name, value) in change.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        claims
    };
    let signed = |change: Value| token(SECRET, &claims(change));
    let invalid = "no valid credentials";
    let forged = token("another secret", &claims(json!({})));
    for (header, status, part) in [
        (String::new(), 401, "send your credentials"),
        (signed(json!({})), 200, "[\"ann\"]"),
        (forged, 401, invalid),
        (signed(json!({ "exp": 1 })), 401, "have expired"),
        (signed(json!({ "exp": null })), 401, invalid),
        (signed(json!({ "aud": "another" })), 401, invalid),
        (signed(json!({ "aud": null })), 401, invalid),
        (signed(json!({ "scope": "read" })), 403, "write"),
        (signed(json!({ "scope": null })), 403, "write"),
    ] {
        let (found, body) = server.get("/pages", &header);
        assert_eq!(found, status, "{header}: {body}");
        assert!(body.contains(part), "{header}: {body}");
    }
    assert_eq!(server.get("/status", "").0, 501, "a public operation");
    drop(server);

    let address = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let output = Command::new(target().join("debug/diary"))
        .arg("serve")
        .args(address)
        .env_remove("DIARY_TOKEN_SECRET")
        .current_dir(made.folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("DIARY_TOKEN_SECRET: "), "{error}");
}
