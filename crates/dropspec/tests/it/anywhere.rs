//! `diff`, `lint` and `release` of any document: without settings, in git, on standard input, several at once.
#![allow(clippy::unwrap_used)]

use test_network::{Server, response};

use crate::checkout::{Checkout, SPEC};

const SAME: &str = "no findings: the documents have the same meaning\n";

/// A document whose schema is in another file, and that file.
const MAIN: &str = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
paths:
  /pets:
    get:
      operationId: getPet
      responses: {'200': {description: It., content: {application/json: {schema: {$ref: 'schemas/pet.yaml#/Pet'}}}}}
";
const PET: &str =
    "Pet:\n  type: object\n  required: [id]\n  properties:\n    id: {type: integer}\n";

/// A repository with the document `apis/pets.yaml` of two files on `main`, at the branch `work`.
fn repository() -> Checkout {
    let checkout = Checkout::empty();
    checkout.write("apis/pets.yaml", MAIN);
    checkout.write("apis/schemas/pet.yaml", PET);
    checkout.begin_branch();
    checkout
}

fn with_text_id() -> String {
    PET.replace("integer", "string")
}

#[test]
fn two_files_are_compared_in_any_folder() {
    let folder = Checkout::empty();
    folder.write("old.yaml", SPEC);
    folder.write("new.yaml", &SPEC.replace("type: string", "type: integer"));
    for arguments in [
        &["diff", "old.yaml", "new.yaml"][..],
        &["diff", "--base", "old.yaml", "new.yaml"],
    ] {
        let (code, said, error) = folder.run(arguments);
        assert_eq!((code, error.as_str()), (1, ""), "{arguments:?}");
        assert!(said.starts_with("new.yaml:11:"), "{said}");
    }
    let (code, said, _) = folder.run(&["diff", "old.yaml", "old.yaml"]);
    assert_eq!((code, said.as_str()), (0, SAME));
    let rows = "
diff old.yaml nwe.yaml => there is no file `nwe.yaml`
diff odl.yaml http://127.0.0.1:1/a.yaml => there is no file `odl.yaml`
diff odl.yaml new.yaml => `odl.yaml` is not a file, and no revision
diff old.yaml => there is no git repository to find the base in
diff old.yaml new.yaml --base old.yaml => more than two documents
diff - - => only one of the documents can be standard input
diff ftp://example.com/a.yaml new.yaml => is a URL of another scheme
diff http://127.0.0.1:1/a.yaml new.yaml => http://127.0.0.1:1/a.yaml: no answer comes from there
diff http://me:secret@127.0.0.1:1/a.yaml new.yaml => error: 127.0.0.1:1: reports would print the credentials
";
    folder.assert_refused(rows);
}

#[test]
fn standard_input_is_a_document() {
    let folder = Checkout::empty();
    folder.write("api.yaml", SPEC);
    let changed = SPEC.replace("type: string", "type: integer");
    let (code, said, _) = folder.run_with_input(&["diff", "api.yaml", "-"], &changed);
    assert_eq!(code, 1);
    assert!(said.starts_with("stdin:11:"), "{said}");
    let (code, said, _) = folder.run_with_input(&["diff", "-", "api.yaml"], SPEC);
    assert_eq!((code, said.as_str()), (0, SAME));
    let (code, said, _) = folder.run_with_input(&["lint", "-"], "openapi: 3.0.3\npaths: {}\n");
    assert_eq!(code, 1);
    assert!(said.contains("stdin:1:1"), "{said}");
    folder.write("schemas/pet.yaml", PET);
    let (code, said, error) = folder.run_with_input(&["lint", "-"], MAIN);
    assert_eq!(code, 0, "{said}{error}");
}

#[test]
fn files_of_a_revision_come_from_that_revision() {
    let checkout = repository();
    checkout.write("apis/schemas/pet.yaml", &with_text_id());
    for arguments in [
        &["diff", "main:apis/pets.yaml", "apis/pets.yaml"][..],
        &["diff", "main", "apis/pets.yaml"],
        &["diff", "--base", "main", "apis/pets.yaml"],
        &["diff", "apis/pets.yaml"],
    ] {
        let (code, said, error) = checkout.run(arguments);
        assert_eq!(code, 1, "{arguments:?}: {error}");
        assert!(
            said.starts_with("apis/schemas/pet.yaml:5:10: error: the response property `id`"),
            "{said}"
        );
    }
    let (_, said, _) = checkout.run(&["diff", "main", "apis/pets.yaml", "--format", "json"]);
    assert!(
        said.contains("\"file\": \"main:apis/schemas/pet.yaml\""),
        "{said}"
    );
    let (code, said, _) = checkout.run_in("apis", &["diff", "main:./pets.yaml", "pets.yaml"]);
    assert_eq!(code, 1, "{said}");
    let (code, said, _) = checkout.run(&["diff", "main:apis/pets.yaml", "HEAD:apis/pets.yaml"]);
    assert_eq!((code, said.as_str()), (0, SAME));
    checkout.git(&["add", "-A"]);
    let (code, said, _) = checkout.run(&["diff", "HEAD:apis/pets.yaml", ":apis/pets.yaml"]);
    assert_eq!(code, 1, "the index: {said}");
    assert_eq!(checkout.run(&["lint", "main:apis/pets.yaml"]).0, 0);
}

#[test]
fn file_that_a_revision_does_not_have_is_an_error() {
    let checkout = repository();
    std::fs::remove_file(checkout.path("apis/schemas/pet.yaml")).unwrap();
    checkout.commit();
    let rows = "
diff main:apis/pets.yaml apis/pets.yaml => apis/pets.yaml:7:89: apis/schemas/pet.yaml cannot be read
diff main:apis/pets.yaml HEAD:apis/pets.yaml => HEAD:apis/pets.yaml:7:89: HEAD:apis/schemas/pet.yaml cannot be read
lint HEAD:apis/pets.yaml => HEAD:apis/pets.yaml:7:89: 
diff main:apis/cats.yaml apis/pets.yaml => `main:apis/cats.yaml` is not in git
diff mian:apis/pets.yaml apis/pets.yaml => did you mean `main`?
";
    checkout.assert_refused(rows);
}

#[test]
fn base_of_one_argument_is_where_the_branch_left_the_default_branch() {
    let checkout = repository();
    checkout.write("apis/schemas/pet.yaml", &with_text_id());
    checkout.commit();
    checkout.git(&["checkout", "-q", "main"]);
    // What happened on the default branch since is not a change of this branch.
    checkout.write("apis/pets.yaml", &MAIN.replace("/pets", "/animals"));
    checkout.commit();
    checkout.git(&["checkout", "-q", "work"]);
    let (code, said, error) = checkout.run(&["diff", "apis/pets.yaml"]);
    assert_eq!(code, 1);
    assert!(error.ends_with(", where HEAD left main\n"), "{error}");
    let summary = "\n1 error, 0 warnings, 0 infos; a major version is required\n";
    assert!(said.contains(summary), "{said}");

    checkout.git(&["branch", "-m", "main", "trunk"]);
    let (code, _, error) = checkout.run(&["diff", "apis/pets.yaml"]);
    assert_eq!(code, 2);
    assert!(error.contains("the default branch is unknown"), "{error}");
    checkout.git(&["update-ref", "refs/remotes/origin/trunk", "trunk"]);
    let head = [
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/trunk",
    ];
    checkout.git(&head);
    let (code, _, error) = checkout.run(&["diff", "apis/pets.yaml"]);
    assert_eq!(code, 1);
    assert!(
        error.ends_with(", where HEAD left origin/trunk\n"),
        "{error}"
    );
}

#[test]
fn shallow_clone_of_one_branch_has_no_base() {
    let checkout = repository();
    let url = format!("file://{}", checkout.path("").display());
    checkout.git(&["clone", "-q", "--depth", "1", &url, "clone"]);
    let (code, said, error) = checkout.run_in("clone", &["diff", "apis/pets.yaml"]);
    assert_eq!((code, said.as_str()), (2, ""), "{error}");
    assert!(
        error.contains("there is no base, as nothing is known since origin/work"),
        "{error}"
    );
    checkout.git(&["branch", "other"]);
    checkout.git(&["clone", "-q", "--depth", "1", "-b", "other", &url, "other"]);
    let (_, _, error) = checkout.run_in("other", &["diff", "apis/pets.yaml"]);
    let expected = "neither origin/HEAD nor a branch main or master: this clone is shallow: fetch its history, in GitHub Actions by `fetch-depth: 0`";
    assert!(error.contains(expected), "{error}");
    checkout.write("clone/apis/schemas/pet.yaml", &with_text_id());
    let (code, _, error) = checkout.run_in("clone", &["diff", "apis/pets.yaml"]);
    assert_eq!(code, 1, "what is not committed has a base: {error}");
}

#[test]
fn document_at_a_url_is_read_with_the_files_beside_it() {
    let folder = Checkout::empty();
    folder.write("apis/pets.yaml", MAIN);
    folder.write("apis/schemas/pet.yaml", &with_text_id());
    let above = MAIN.replace("'schemas/", "'../schemas/");
    let server = Server::start(move |request| match request.target() {
        "/v1/pets.yaml?of=a//b" => response("200 OK", &above),
        "/schemas/pet.yaml" => response("200 OK", PET),
        _ => response("404 Not Found", ""),
    });
    let url = server.url() + "/v1/pets.yaml?of=a//b";
    let (code, said, error) = folder.run(&["diff", &url, "apis/pets.yaml"]);
    assert_eq!(code, 1, "{said}{error}");
    assert!(said.contains("the response property `id`"), "{said}");
    let wrong = url.replace("pets", "cats");
    let (code, _, error) = folder.run(&["diff", &wrong, "apis/pets.yaml"]);
    assert_eq!(code, 2);
    let expected =
        format!("error: {wrong}: the server answers 404 Not Found\n  help: correct the URL");
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn folders_are_compared_as_sets() {
    let checkout = repository();
    checkout.write("apis/v2/books.yaml", SPEC);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(checkout.path("apis/v2/books.yaml"), executable).unwrap();
    checkout.write("apis/notes.yaml", "this: {is: no document}\n");
    let (code, said, _) = checkout.run(&["diff", "main:apis", "apis"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("info: the document `v2/books.yaml` was added [document-added]"),
        "{said}"
    );
    checkout.commit();
    checkout.git(&["branch", "-f", "main"]);
    checkout.write("apis/schemas/pet.yaml", &with_text_id());
    std::fs::remove_file(checkout.path("apis/v2/books.yaml")).unwrap();
    for arguments in [
        &["diff", "main:apis", "apis"][..],
        &["diff", "apis"],
        &["diff", "main", "apis"],
    ] {
        let (code, said, error) = checkout.run(arguments);
        assert_eq!(code, 1, "{arguments:?}: {error}");
        for expected in [
            "error: the response property `id`: the type `integer` became `string`",
            "error: the document `v2/books.yaml` was removed [document-removed]\n  affects: GET /a\n",
            "2 errors, 0 warnings, 0 infos",
        ] {
            assert!(said.contains(expected), "{arguments:?}: {said}");
        }
    }
    assert_eq!(checkout.run(&["lint", "apis"]).0, 0);
    checkout.write("apis/broken.yaml", "openapi: 3.0.3\n\tinfo: a\n");
    let rows = "
diff apis/schemas apis/schemas => neither the base nor the revision has
lint apis/schemas => `apis/schemas` has no OpenAPI document
lint apis/broken.yaml => apis/broken.yaml:2:1
diff main:apis apis => apis/broken.yaml:2:1
";
    checkout.assert_refused(rows);
}

#[test]
fn any_document_is_released_into_a_folder() {
    let folder = Checkout::empty();
    folder.write("pets.yaml", MAIN);
    folder.write("schemas/pet.yaml", PET);
    let release = ["release", "pets.yaml", "--releases", "releases"];
    let (code, said, error) = folder.run(&release);
    assert_eq!(
        (code, said.as_str()),
        (0, "1.0.0 was released as releases/1.0.0.yaml\n"),
        "{error}"
    );
    folder.write("schemas/pet.yaml", &with_text_id());
    folder.write("pets.yaml", &MAIN.replace("1.0.0", "1.1.0"));
    let (code, said, _) = folder.run(&release);
    assert_eq!(code, 1);
    assert!(said.starts_with("schemas/pet.yaml:5:10: error: "), "{said}");
    let (code, said, _) = folder.run(&["diff", "releases/1.0.0.yaml", "pets.yaml"]);
    assert_eq!(code, 1, "{said}");
}
