//! Tests of `config`.

use super::*;

fn error(text: &str) -> String {
    let error = Config::parse(Path::new("dropspec.toml"), text).unwrap_err();
    error.to_string()
}

#[test]
fn variables_are_those_that_a_shell_can_have() {
    let text = "[generate]\nvariables = \"BOOKS_2\"\n";
    assert!(Config::parse(Path::new("dropspec.toml"), text).is_ok());
    for wrong in ["", "2BOOKS", "book-store", "Books"] {
        let error = error(&format!("[generate]\nvariables = \"{wrong}\"\n"));
        let start = format!("dropspec.toml:2:13: `{wrong}` begins no environment variable");
        assert!(error.starts_with(&start), "{error}");
    }
}

#[test]
fn files_that_are_not_there_are_errors_with_the_name_that_was_probably_meant() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("spec")).unwrap();
    let path = folder.path().join(FILE);
    let check = |text: &str| {
        let config = Config::parse(&path, text).unwrap();
        let error = files::check_files(&path, text, &config).err();
        let error = error.map(|it| it.to_string()).unwrap_or_default();
        error.replace(&path.display().to_string(), FILE)
    };
    assert!(
        check("command = \"a\"\n").starts_with(
            "dropspec.toml:1:1: there is no `spec/openapi.yaml`, and no `document` names another file: write"
        ),
        "{}",
        check("")
    );
    std::fs::write(folder.path().join("spec/books.yaml"), "").unwrap();
    let error = check("\ndocument = \"spec/boks.yaml\"\n");
    let expected =
        "dropspec.toml:2:12: there is no file `spec/boks.yaml`: did you mean `spec/books.yaml`?";
    assert!(error.starts_with(expected), "{error}");
    let overlay = "document = \"spec/books.yaml\"\noverlays = [\"spec/gate.yaml\"]\n";
    assert!(
        check(overlay).starts_with("dropspec.toml:2:13: there is no file `spec/gate.yaml`"),
        "{}",
        check(overlay)
    );
    assert_eq!(check("document = \"spec/books.yaml\"\n"), "");
}

#[test]
fn unknown_keys_wrong_values_and_contradictions_are_errors_with_line_and_column() {
    for (text, expected) in [
        (
            "document = \"a.yaml\"\ndocumnt = 1\n",
            "dropspec.toml:2:1: unknown field `documnt`: did you mean `document`? (`dropspec settings` prints",
        ),
        (
            "[output]\n\n  api = 7\n",
            "dropspec.toml:3:9: invalid type: integer `7`, expected",
        ),
        (
            "[lint]\nrequired-statuses = [\"401\"]\nlint = true",
            "dropspec.toml:3:1: unknown field `lint`, expected",
        ),
        ("document = [", "dropspec.toml:1:"),
        (
            "[generate]\nclient = \"mine\"\n",
            "dropspec.toml:2:10: unknown variant `mine`, expected `progenitor` or `own`",
        ),
    ] {
        let error = error(text);
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
