//! `new` from end to end: a workspace for a document, its server, and a call of its client.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// A document in JSON, without keys.
const NOTES: &str = r##"{
  "openapi": "3.0.3",
  "info": { "title": "Notes", "version": "1.0.0" },
  "paths": {
    "/notes": {
      "get": {
        "operationId": "listNotes",
        "parameters": [{ "name": "limit", "in": "query", "schema": { "type": "integer", "format": "int32" } }],
        "responses": {
          "200": { "description": "All notes.", "content": { "application/json": {
            "schema": { "type": "array", "items": { "$ref": "#/components/schemas/Note" } } } } },
          "default": { "description": "An error.", "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Error" } } } }
        }
      }
    }
  },
  "components": { "schemas": {
    "Note": { "type": "object", "required": ["text"], "properties": { "text": { "type": "string" } } },
    "Error": { "type": "object", "required": ["message"],
               "properties": { "message": { "type": "string" }, "error_code": { "type": "string" } } }
  } }
}
"##;

/// A document in YAML with keys, and with errors as RFC 9457 has them.
const BOOKS: &str = "openapi: 3.0.3
info: {title: Book Store, version: 2.1.0}
security: [{key: []}]
paths:
  /books/{isbn}:
    get:
      operationId: getBook
      parameters: [{name: isbn, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: The book., content: {application/json: {schema: {type: string}}}}
        '404': {description: None., content: {application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}}}
  /health:
    get:
      operationId: getHealth
      security: []
      responses: {'200': {description: All is well.}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Store-Key}
  schemas:
    Problem:
      type: object
      properties: {type: {type: string}, status: {type: integer}, detail: {type: string}}
";

/// A program that calls the generated client and prints the status of the error.
const CALL: &str = "#[tokio::main(flavor = \"current_thread\")]
async fn main() {
    let base_url = std::env::args().nth(1).unwrap();
    let client = notes_client::Client::new(&base_url);
    let error = client.list_notes().limit(3).send().await.unwrap_err();
    println!(\"{}\", error.status().unwrap());
}
";

/// A workspace that `new` made.
struct Made {
    folder: TempDir,
    name: &'static str,
}

impl Made {
    fn new(name: &'static str, file: &str, document: &str) -> Made {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), document).unwrap();
        let made = Made { folder, name };
        let output = dropspec(made.folder.path(), &["new", name, "--spec", file]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("is ready. Its crates depend on the checkout"));
        made
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).current_dir(self.root());
        command.env("CARGO_TARGET_DIR", target()).output().unwrap()
    }

    fn build(&self) {
        let built = self.cargo(&["build", "--quiet", "--workspace", "--all-targets"]);
        assert!(built.status.success(), "{}", text(&built.stderr));
        // The client's generator does not care about warnings.
        let warnings = text(&built.stderr);
        for part in ["-api/src", "-server/src"] {
            assert!(!warnings.contains(part), "{warnings}");
        }
    }

    /// Starts the server on a free port, in a new folder.
    fn serve(&self) -> Running {
        let program = target().join("debug").join(self.name);
        let mut process = Command::new(program)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--admin-listen",
                "127.0.0.1:0",
            ])
            .current_dir(self.folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut find = |mark: &str| {
            let line = lines.find(|line| line.as_ref().unwrap().contains(mark));
            line.unwrap().unwrap()
        };
        let first = find("listens on http://");
        let address = first.rsplit("//").next().unwrap().to_owned();
        let key_line = find("curl -H '");
        let header = key_line.split('\'').nth(1).unwrap().to_owned();
        Running {
            process,
            address,
            header,
        }
    }
}

/// A server that is stopped at the end of the test.
struct Running {
    process: Child,
    address: String,
    /// The header with the first API key.
    header: String,
}

impl Running {
    /// The status and the rest of the response to a GET.
    fn get(&self, path: &str, header: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        let header = match header {
            "" => String::new(),
            header => format!("{header}\r\n"),
        };
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{header}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        let response = text(&response);
        let (line, rest) = response.split_once("\r\n").unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        (status, rest.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn dropspec(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dropspec"));
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// The folder of builds of this repository, so that dependencies are built once.
fn target() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_dropspec"));
    program.ancestors().nth(2).unwrap().to_owned()
}

#[test]
fn document_without_keys_becomes_a_server_that_a_generated_client_calls() {
    let made = Made::new("notes", "notes.json", NOTES);
    let client = made.root().join("crates/notes-client");
    fs::create_dir(client.join("examples")).unwrap();
    fs::write(client.join("examples/notes-call.rs"), CALL).unwrap();
    let manifest = client.join("Cargo.toml");
    let text_of = fs::read_to_string(&manifest).unwrap();
    let tokio =
        "\n[dev-dependencies]\ntokio = { version = \"1\", features = [\"macros\", \"rt\"] }\n";
    fs::write(&manifest, text_of + tokio).unwrap();
    made.build();

    let server = made.serve();
    let (status, body) = server.get("/notes", "");
    assert_eq!(status, 501, "{body}");
    assert!(
        body.contains("\"error_code\":\"not_implemented\""),
        "{body}"
    );
    assert_eq!(server.get("/docs", "").0, 200);
    let (status, body) = server.get("/nothing", &server.header);
    assert_eq!(status, 404, "{body}");
    assert!(
        body.contains("\"error_code\":\"route_not_found\""),
        "{body}"
    );
    let call = Command::new(target().join("debug/examples/notes-call"))
        .arg(format!("http://{}", server.address))
        .output()
        .unwrap();
    assert_eq!(
        text(&call.stdout),
        "501 Not Implemented\n",
        "{}",
        text(&call.stderr)
    );

    // The document gets an operation, and the compiler names it.
    let document = made.root().join("spec/openapi.json");
    let edited = fs::read_to_string(&document).unwrap().replacen(
        "\"get\": {",
        "\"delete\": { \"operationId\": \"removeNotes\", \"responses\": { \"204\": { \"description\": \"Done.\" } } },\n\"get\": {",
        1,
    );
    fs::write(&document, edited).unwrap();
    let stale = dropspec(&made.root(), &["generate", "--check"]);
    assert_eq!(stale.status.code(), Some(1));
    let generated = dropspec(&made.root(), &["generate"]);
    assert!(generated.status.success(), "{}", text(&generated.stderr));
    let checked = made.cargo(&["check", "--quiet", "--package", "notes-server"]);
    let errors = text(&checked.stderr);
    assert!(errors.contains("missing: `remove_notes`"), "{errors}");
}

#[test]
fn document_with_keys_becomes_a_server_that_requires_them() {
    let made = Made::new("books", "books.yaml", BOOKS);
    made.build();

    let server = made.serve();
    assert!(
        server.header.starts_with("X-Store-Key: books_"),
        "{}",
        server.header
    );
    let (status, body) = server.get("/books/1", "");
    assert_eq!(status, 401, "{body}");
    assert!(body.contains("application/problem+json"), "{body}");
    assert!(
        body.contains("\"type\":\"missing_api_key\",\"status\":401,\"detail\":"),
        "{body}"
    );
    assert_eq!(server.get("/books/1", &server.header).0, 501);
    assert_eq!(server.get("/health", "").0, 501);
}

#[test]
fn unusable_document_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let document = BOOKS.replace("'200': {description: All is well.}", "'200': 1");
    fs::write(folder.path().join("books.yaml"), document).unwrap();
    let output = dropspec(folder.path(), &["new", "books", "--spec", "books.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("openapi.yaml:16:26: "),
        "{}",
        text(&output.stderr)
    );
    let names = fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 1, "only the document is there");
}
