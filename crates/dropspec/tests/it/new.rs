//! `new` from end to end: a workspace for a document, its server, and a call of its client.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::checkout::{commit, git};
use crate::made::{CHECKOUT, Made, block_of, dropspec, target, text};

/// A document in YAML with keys, and with errors as RFC 9457 has them.
const BOOKS: &str = "openapi: 3.0.3
info: {title: Book Store, version: 2.1.0}
security: [{key: [], app: []}]
paths:
  /books/{isbn}:
    put:
      operationId: putBook
      parameters: [{name: isbn, in: path, required: true, schema: {type: string}}, {name: dry, in: query, schema: {type: boolean}}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
      responses:
        '200': {description: The book., content: {application/json: {schema: {$ref: '#/components/schemas/Book'}}}}
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
    app: {type: apiKey, in: query, name: app}
  schemas:
    Book: {type: object, required: [title], properties: {title: {type: string}}}
    Error: {type: object, properties: {message: {type: string}, code: {type: string}, margin: {type: number}}}
    Problem:
      type: object
      properties: {type: {type: string}, status: {type: integer}, detail: {type: string}}
";

/// Puts the module of the README into the server, and calls it in `getBook`.
fn fill_in(made: &Made) {
    let readme = made.readme();
    assert!(!readme.contains("{{"), "{readme}");
    assert!(readme.contains("client.get_health().send()"), "{readme}");
    for variable in [
        "export BOOKS_URL='http://127.0.0.1:8080'\n",
        "export BOOKS_KEY='KEY'   # sent as the header `X-Store-Key`\n",
        "export BOOKS_APP='KEY'   # sent as the query parameter `app`\n",
    ] {
        assert!(readme.contains(variable), "{readme}");
    }
    let (_, example) = readme.split_once("\n## Fill it in\n").unwrap();
    made.edit_server("migrations/1_books.sql", |text| {
        text + &block_of(example, "sql")
    });
    made.edit_server("src/books.rs", |_| block_of(example, "rust"));
    fs::create_dir(made.root().join("crates/books-server/tests")).unwrap();
    made.edit_server("tests/service.rs", |_| block_of(&readme, "rust,test"));
    made.edit_server("src/main.rs", |text| {
        text.replacen("mod errors;", "mod books;\nmod errors;", 1)
    });
    let call = block_of(example, "rust,ignore").replace("let title =", "let _title =");
    made.edit_server("src/operations.rs", |text| {
        let (head, rest) = text.split_once("    async fn get_book").unwrap();
        let filled = format!("{call}\nOk(HttpResponseOk(crate::books::title(app, id + 1)?))");
        let rest = rest.replacen("Err(not_implemented().into())", &filled, 1);
        format!("{head}    async fn get_book{rest}")
    });
}

#[test]
fn document_with_keys_becomes_a_server_that_requires_them_and_is_filled_in_by_the_readme() {
    let made = Made::new("books", "books.yaml", BOOKS);
    fill_in(&made);
    // Under a name of its own, as other workspaces are built beside this one.
    let examples = made.root().join("crates/books-client/examples");
    fs::copy(examples.join("call.rs"), examples.join("books-call.rs")).unwrap();
    made.build();
    let built = text(&made.cargo(&["build", "--workspace"]).stderr);
    assert!(!built.contains("warning: profile"), "{built}");
    let tested = made.cargo(&["test", "--quiet", "--workspace"]);
    assert!(tested.status.success(), "{}", text(&tested.stderr));
    assert!(text(&tested.stdout).contains("1 passed"));

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
    assert_eq!(server.get("/books/1", &server.header).0, 401, "half of it");
    let (status, body) = server.get(&server.with_key("/books/1"), &server.header);
    assert_eq!(status, 404, "{body}");
    assert!(body.contains("there is no book 2"), "{body}");
    assert_eq!(server.get("/health", "").0, 501);
    assert_eq!(server.get("/docs", "").0, 200);
    let (status, body) = server.get("/nothing", &server.header);
    assert_eq!(status, 404, "{body}");
    assert!(body.contains("\"type\":\"route_not_found\""), "{body}");
    let example = Command::new(target().join("debug/examples/books-call"))
        .env("BOOKS_URL", format!("http://{}", server.address))
        .env("BOOKS_KEY", server.key())
        .env("BOOKS_APP", server.key())
        .output();
    let error = text(&example.unwrap().stderr);
    assert!(error.contains("not_implemented"), "{error}");
    client_sends_again_what_a_busy_service_refused();

    // The command line calls it with the key of the first start.
    let call = |variable: &str| {
        let key = server.key();
        Command::new(target().join("debug/books-cli"))
            .args(["get-book", "--isbn", "1", "--url"])
            .arg(format!("http://{}", server.address))
            .env("BOOKS_APP", key)
            .env(variable, key)
            .output()
            .unwrap()
    };
    let output = call("BOOKS_KEY");
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.starts_with("error: there is no book"), "{error}");
    assert_eq!(call("BOOKS_OTHER").status.code(), Some(2), "no credentials");
    drop(server);

    // The edit of a migration that was applied is noticed.
    made.edit_server("migrations/1_books.sql", |text| {
        text.replace("title TEXT", "name TEXT")
    });
    let built = made.cargo(&["build", "--quiet", "--workspace"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let address = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let output = Command::new(target().join("debug/books"))
        .arg("serve")
        .args(address)
        .current_dir(made.folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("migration 1 of "), "{error}");

    // The document gets an operation, and the compiler names it.
    let document = made.root().join("spec/openapi.yaml");
    let removal =
        "    delete: {operationId: removeBooks, responses: {'204': {description: Done.}}}\n";
    let edited = BOOKS.replace("  /health:\n", &format!("  /health:\n{removal}"));
    fs::write(&document, edited).unwrap();
    let stale = dropspec(&made.root(), &["generate", "--check"]);
    assert_eq!(stale.status.code(), Some(1));
    let generated = dropspec(&made.root(), &["generate"]);
    assert!(generated.status.success(), "{}", text(&generated.stderr));
    let checked = made.cargo(&["check", "--quiet", "--workspace"]);
    let errors = text(&checked.stderr);
    assert!(errors.contains("missing: `remove_books`"), "{errors}");
}

/// The example of the client, against a service that answers 503 at first.
fn client_sends_again_what_a_busy_service_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let example = Command::new(target().join("debug/examples/books-call"))
        .env("BOOKS_URL", url)
        .envs([("BOOKS_KEY", "k"), ("BOOKS_APP", "a")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    for status in ["503 Busy\r\nretry-after: 0", "200 OK"] {
        let (mut connection, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(&connection).lines().map(Result::unwrap);
        assert_eq!(lines.next().unwrap(), "GET /health HTTP/1.1");
        lines.find(String::is_empty).unwrap();
        let end = "content-length: 0\r\nconnection: close\r\n\r\n";
        write!(connection, "HTTP/1.1 {status}\r\n{end}").unwrap();
    }
    let output = example.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), "200 OK\n");
}

/// A document of several files, of which one is above it.
const LIBRARY: [(&str, &str); 3] = [
    (
        "apis/library/api.yaml",
        "openapi: 3.0.3
info: {title: Library, version: 1.0.0}
paths:
  /books:
    get:
      operationId: listBooks
      responses:
        '200': {description: All books., content: {application/json: {schema: {$ref: 'schemas/book.yaml#/Book'}}}}
        default: {$ref: '../errors.yaml#/Failed'}
",
    ),
    (
        "apis/library/schemas/book.yaml",
        "Book: {type: object, properties: {title: {type: string}}}\n",
    ),
    (
        "apis/errors.yaml",
        "Failed: {description: An error., content: {application/json: {schema: {type: object, properties: {message: {type: string}}}}}}\n",
    ),
];

fn write_library() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("apis/library/schemas")).unwrap();
    for (name, content) in LIBRARY {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

#[test]
fn document_of_several_files_keeps_them() {
    let folder = write_library();
    let new = |name: &str, more: &[&str]| {
        let new = [&["new", name, "--spec", "apis/library/api.yaml"], more].concat();
        let output = dropspec(folder.path(), &new);
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    new("library", &["--toolchain", CHECKOUT]);
    let root = folder.path().join("library");
    for (name, content) in LIBRARY {
        let copy = root.join(name.replacen("apis", "spec", 1));
        assert_eq!(fs::read_to_string(copy).unwrap(), content, "{name}");
    }
    let checked = dropspec(&root, &["generate", "--check"]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    let read = |workspace: &str, file: &str| {
        let path = folder.path().join(workspace).join(file);
        fs::read_to_string(path).unwrap()
    };
    // What a toolchain of this machine, one in git, and one in the registry mean for others.
    let url = "https://example.com/toolchain.git";
    new("far", &["--toolchain", url]);
    new("published", &[]);
    let version = env!("CARGO_PKG_VERSION");
    let (git, published) = (
        format!("--git {url} dropspec"),
        format!("dropspec@{version}"),
    );
    for (workspace, from, dependency) in [
        ("library", None, "{ path = "),
        ("far", Some(git), "{ git = "),
        ("published", Some(published), &format!("{version:?}\n")),
    ] {
        let ci = read(workspace, ".github/workflows/ci.yml");
        let install = "- run: cargo install --locked --debug ";
        let found = ci
            .lines()
            .find_map(|line| line.trim().strip_prefix(install));
        assert_eq!(found, from.as_deref(), "{ci}");
        let readme = read(workspace, "README.md");
        let steps = readme.split_once("\n### On another machine\n");
        assert_eq!(steps.is_some(), from.is_none(), "{readme}");
        let manifest = read(workspace, "Cargo.toml");
        let (_, found) = manifest.split_once("\ndropspec-gate = ").unwrap();
        assert!(found.starts_with(dependency), "{manifest}");
    }
    // The steps of the README, in their order.
    let readme = read("library", "README.md");
    let (_, steps) = readme.split_once("\n## Change the interface\n").unwrap();
    let author = "git config user.name a && git config user.email a@example.com";
    let script = block_of(steps, "sh").replacen("\ngit add", &format!("\n{author}\ngit add"), 1);
    let output = Command::new("sh")
        .args(["-ec", &script])
        .current_dir(&root)
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let diff = dropspec(&root, &["diff", "--base", "main"]);
    assert_eq!(diff.status.code(), Some(0), "{}", text(&diff.stderr));
    // An edit of a file of the document makes the code stale.
    let book = root.join("spec/library/schemas/book.yaml");
    fs::write(&book, LIBRARY[1].1.replace("title:", "isbn:")).unwrap();
    let checked = dropspec(&root, &["generate", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
}

#[test]
fn errors_name_the_file_of_the_document_that_has_them() {
    let folder = write_library();
    let errors = LIBRARY[2]
        .1
        .replace("description: An error.", "description: 1");
    fs::write(folder.path().join("apis/errors.yaml"), errors).unwrap();
    let spec = ["new", "library", "--spec", "apis/library/api.yaml"];
    let output = dropspec(folder.path(), &spec);
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(
        errors.starts_with("error: apis/errors.yaml:1:23: "),
        "{errors}"
    );
    let names = fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 1, "only the document is there");
}

/// Documents whose names are hard to turn into Rust or are those of the client's own methods, and one without operations.
const ODD: [(&str, &str); 2] = [
    (
        "empty-one",
        "openapi: 3.0.3\ninfo: {title: Empty, version: 1.0.0}\npaths: {}\n",
    ),
    (
        "odd",
        "openapi: 3.0.3
info: {title: 'Odd \"names\" {}', version: '1'}
security: [{self: []}, {timeout: []}, {retries: []}]
paths:
  /a:
    get: {operationId: self, responses: {'200': {description: It.}}}
    put: {operationId: Self, responses: {'200': {description: It.}}}
    delete: {operationId: type, responses: {'200': {description: It.}}}
    patch: {operationId: Type, responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/self'}}}}}}
  /b/{type}:
    parameters: [{name: type, in: path, required: true, schema: {type: string, enum: [self, Self, '', '1', '2_3', a_1, A1]}}]
    get: {operationId: not_implemented, parameters: [{name: Type, in: query, schema: {type: string}}], responses: {'200': {description: It.}}}
    put: {operationId: rqctx, responses: {'200': {description: It., content: {text/plain: {schema: {type: string}}}}}}
    post: {operationId: new, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/App'}}}}, responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Interface'}}}}}}
  /names:
    get: {operationId: builder, responses: {'204': {description: ok}}}
    put: {operationId: from_env, responses: {'204': {description: ok}}}
    post: {operationId: with_retries, responses: {'204': {description: ok}}}
    delete: {operationId: client_builder, responses: {'204': {description: ok}}}
components:
  securitySchemes:
    self: {type: http, scheme: bearer}
    timeout: {type: oauth2, flows: {}}
    retries: {type: openIdConnect, openIdConnectUrl: https://example.com}
  schemas:
    self: {type: object, properties: {self: {type: string}, Self: {type: string}, type: {type: string}, _: {type: string}, '1': {type: string}}}
    App: {type: object, properties: {App: {type: string}}}
    Interface: {type: object, properties: {HttpError: {type: string}}}
",
    ),
];

/// More operations than are dispatched in one function; the first ones have the names of its arguments.
fn many_operations() -> String {
    let names = ["permit", "request", "call", "to_response"].map(str::to_owned);
    let names = names
        .into_iter()
        .chain((0..40).map(|index| format!("more{index}")));
    let paths = names.map(|name| {
        format!("  /many/{name}:\n    get: {{operationId: {name}, responses: {{'200': {{description: It.}}}}}}\n")
    });
    paths.collect()
}

#[test]
fn fresh_workspace_passes_its_own_checks_whatever_its_document() {
    for (name, document) in ODD {
        let document = document.replace("components:\n", &(many_operations() + "components:\n"));
        let made = Made::new(name, "api.yaml", &document);
        commit(&made.root());
        git(
            &made.root(),
            &["update-ref", "refs/remotes/origin/main", "HEAD"],
        );
        // The commands of the CI file.
        let file = made.root().join(".github/workflows/ci.yml");
        let file = fs::read_to_string(file).unwrap();
        let file = file.replace("\"origin/$GITHUB_BASE_REF\"", "origin/main");
        let commands = file
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- run: "));
        let (own, cargo): (Vec<&str>, Vec<&str>) =
            commands.partition(|command| command.starts_with("dropspec "));
        assert!(cargo.len() >= 3 && !own.is_empty(), "{file}");
        for command in own.into_iter().chain(cargo) {
            let (program, arguments) = command.split_once(' ').unwrap();
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let output = match program {
                "dropspec" => dropspec(&made.root(), &arguments),
                _ => made.cargo(&arguments),
            };
            let said = text(&output.stdout) + &text(&output.stderr);
            assert!(output.status.success(), "{name}: {command}: {said}");
        }
    }
}
