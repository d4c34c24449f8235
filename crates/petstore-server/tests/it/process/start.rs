//! `petstore serve`: its output, its settings, its help, and why it does not start.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::files::{file_names, read_files};
use test_support::{
    Process, ServerProcess, Storage, blocking_http, error_line, petstore, petstore_by, run_petstore,
};

/// `petstore serve` in a folder, on free ports unless the arguments name others.
fn serve(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = petstore();
    command.current_dir(folder).arg("serve").args(arguments);
    command.env("PETSTORE_LISTEN", "127.0.0.1:0");
    command
}

/// The keys of the database in a folder.
fn list_keys(folder: &Path) -> Value {
    let output = run_petstore(folder, &["keys", "list", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn only_the_first_start_prints_a_curl_line_with_the_file_of_the_first_key() {
    let mut server = ServerProcess::run(petstore(), Storage::new(), &[]);
    assert_ne!(server.public.port(), 0, "the port that is in use");
    let line = server.process.read_line_with_prefix("curl ");
    let pasted = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert!(pasted.status.success(), "{line}: {pasted:?}");
    assert_eq!(pasted.stdout, b"[]", "{line}");
    let file = server.storage.path().join("first-key");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    server.process.signal("TERM");
    let printed = line + &server.process.read_rest();
    assert!(!printed.contains("pst_"), "{printed}");
    let directory = server.wait_for_success();
    let mut server = ServerProcess::run(petstore(), directory, &[]);
    server.process.signal("TERM");
    assert_eq!(server.process.read_rest(), "");
}

#[test]
fn names_are_listened_on_and_the_start_names_the_pages_of_both() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--listen", "localhost:0", "--admin-listen", "localhost:0"];
    let mut server = Process::run(&mut serve(folder.path(), &arguments));
    let first = server.read_line();
    let url = first.strip_prefix("petstore listens on ").unwrap();
    let second = server.read_line();
    let panel = second.strip_prefix("its panel is on ").unwrap();
    let (panel, reference) = panel
        .split_once(", the page of the operator; its reference page is ")
        .unwrap();
    assert_eq!(reference, format!("{url}/docs"));
    for (page, content) in [(reference, "<title>"), (panel, "operator")] {
        let (address, path) = page
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let response = blocking_http::get(address.parse().unwrap(), &format!("/{path}"));
        assert!(response.text().contains(content), "{page}");
    }
    let unknown = serve(folder.path(), &["--listen", "no-such-host.invalid:80"])
        .output()
        .unwrap();
    let error = String::from_utf8(unknown.stderr).unwrap();
    assert!(
        error.contains("the name no-such-host.invalid has no address"),
        "{error}"
    );
}

#[test]
fn manual_has_a_page_for_each_command_and_nothing_has_escapes() {
    let folder = TempDir::new().unwrap();
    let page = run_petstore(folder.path(), &["man"]);
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(
        page.contains(".TH petstore 1") && !page.contains("{name}"),
        "{page}"
    );
    let written = run_petstore(folder.path(), &["man", "--dir", "pages"]);
    assert!(
        written.status.success() && written.stdout.is_empty(),
        "{written:?}"
    );
    let pages = file_names(&folder.path().join("pages"));
    for name in ["petstore.1", "petstore-serve.1", "petstore-keys-create.1"] {
        assert!(pages.iter().any(|it| it == name), "{pages:?}");
    }
    for arguments in [
        &["--help"][..],
        &["serv"],
        &["keys", "--nam"],
        &["keys", "list", "--database", "absent"],
    ] {
        let output = petstore()
            .current_dir(folder.path())
            .env("TERM", "xterm-256color")
            .args(arguments)
            .output();
        let output = output.unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(
            text.starts_with("error: ") || arguments == ["--help"],
            "{text}"
        );
    }
}

#[test]
fn first_key_needs_a_terminal_or_a_file_that_does_not_exist() {
    let folder = TempDir::new().unwrap();
    let mut server = Process::run(&mut serve(folder.path(), &[]));
    server.read_address();
    server.signal("TERM");
    let printed = server.read_rest();
    let create = "keys create --name first --database petstore.db";
    assert!(
        printed.contains(create) && !printed.contains("pst_"),
        "{printed}"
    );
    let (status, log) = server.wait();
    assert!(
        status.success() && log.contains("the command `keys create`"),
        "{log}"
    );
    assert_eq!(list_keys(folder.path()), json!([]));

    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("key"), "precious").unwrap();
    let output = serve(folder.path(), &["--first-key-file", "key"]).output();
    let line = error_line(&output.unwrap());
    assert!(line.contains("exists already: key; remove it"), "{line}");
    assert_eq!(
        fs::read_to_string(folder.path().join("key")).unwrap(),
        "precious"
    );
    assert_eq!(list_keys(folder.path()), json!([]));
}

#[test]
fn settings_come_from_a_file_unless_the_environment_or_a_flag_overrides_them() {
    let folder = TempDir::new().unwrap();
    let text = "database = \"from-the-file.db\"\nlog-format = \"json\"\nlog-level = \"error\"\n\
                first-key-file = \"key\"\nlog-fields = [\"client\", \"path\"]\n";
    fs::write(folder.path().join("petstore.toml"), text).unwrap();
    let arguments = ["--config", "petstore.toml", "--log-level", "info"];
    let mut command = serve(folder.path(), &arguments);
    command
        .env("PETSTORE_LOG_LEVEL", "warn")
        .env("PETSTORE_DATABASE", "from-the-environment.db");
    let mut server = Process::run(&mut command);
    let address = server.read_address();
    let files = file_names(folder.path());
    assert!(
        files.contains(&"from-the-environment.db".to_owned()),
        "{files:?}"
    );
    assert!(!files.contains(&"from-the-file.db".to_owned()), "{files:?}");
    let refused = blocking_http::get(address, "/pets?api_key=secret");
    assert_eq!(refused.status, 401);
    server.signal("TERM");
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
    let request = log.lines().find(|line| line.contains("listPets")).unwrap();
    let request: Value = serde_json::from_str(request).unwrap();
    assert_eq!(
        (&request["client"], &request["path"]),
        (&json!("127.0.0.1"), &json!("/pets"))
    );

    // Other commands read it, too.
    let keys = ["keys", "list", "--config", "petstore.toml"];
    let line = error_line(&run_petstore(folder.path(), &keys));
    assert!(
        line.contains("no petstore database at from-the-file.db"),
        "{line}"
    );
}

#[test]
fn settings_can_be_checked_without_a_start() {
    let folder = TempDir::new().unwrap();
    let check = |text: &str, flags: &[&str]| {
        fs::write(folder.path().join("petstore.toml"), text).unwrap();
        let arguments = ["serve", "--config", "petstore.toml", "--check"];
        let output = run_petstore(folder.path(), &[&arguments, flags].concat());
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let database = "database = \"postgres://u:secret@db.example/pets\"\n";
    let (code, text) = check(database, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("the settings can be used"), "{text}");
    assert!(
        !text.contains("secret") && !text.contains("warning"),
        "{text}"
    );
    let (code, text) = check(
        "listen = \"0.0.0.0:80\"",
        &["--admin-listen", "0.0.0.0:8079"],
    );
    assert_eq!(code, Some(0), "{text}");
    for warning in [
        "no proxy is trusted",
        "the panel on 0.0.0.0:8079, and it has no token",
    ] {
        assert!(text.contains(warning), "{text}");
    }
    for (text, expected) in [
        (
            "\nlisen = 1",
            "petstore.toml:2:1: there is no setting `lisen`",
        ),
        (
            "listen = \"here\"",
            "petstore.toml:1:10: listen: invalid value 'here'",
        ),
        ("listen = ", "petstore.toml:1:"),
        ("tls-cert = \"a\"", "tls-cert needs tls-key"),
        ("database = \"postgres://localhost\"", "names no database"),
        (
            "otlp-endpoint = \"127.0.0.1:4318\"",
            ":1:17: otlp-endpoint: ",
        ),
    ] {
        let (code, found) = check(text, &[]);
        assert_eq!(code, Some(2), "{text}: {found}");
        assert!(found.contains(expected), "{text}: {found}");
    }
    assert_eq!(file_names(folder.path()), ["petstore.toml"]);
}

#[test]
fn password_of_a_malformed_url_is_not_shown() {
    let folder = TempDir::new().unwrap();
    let shown = |mut command: Command, arguments: &[&str]| {
        let command = command.current_dir(folder.path()).args(arguments);
        let output = command.output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for (flag, urls) in [
        ("limits", &["redis://"][..]),
        ("otlp-endpoint", &["http://", "grpc://"]),
        ("database", &["postgres://", "postgres:/"]),
    ] {
        let rests = [
            "u:s3cret",
            ":s3cret",
            "u:s3cret@",
            "u:s3cret@h:port",
            "u:s3cret%40h",
            "u:s3cret@[::1",
            "u:a?s3cret@h",
            "u:a#s3cret@h",
            "u:1#s3cret@h",
            "u:1/s3cret@h",
            "u:a@s3cret@h/p",
            "h?password=s3cret&x=1",
            "h/?s3cret",
        ];
        let variable = format!("PETSTORE_{}", flag.to_uppercase().replace('-', "_"));
        for url in urls
            .iter()
            .flat_map(|begin| rests.map(|rest| format!("{begin}{rest}")))
        {
            let file = folder.path().join("petstore.toml");
            fs::write(&file, format!("{flag} = {url:?}\n")).unwrap();
            let mut of_variable = petstore();
            of_variable.env(&variable, &url);
            let flag = format!("--{flag}");
            let mut texts = vec![
                shown(petstore(), &["serve", "--check", &flag, &url]),
                shown(of_variable, &["serve", "--check"]),
                shown(
                    petstore(),
                    &["serve", "--check", "--config", "petstore.toml"],
                ),
            ];
            if flag != "--otlp-endpoint" {
                texts.push(shown(petstore(), &["keys", "list", &flag, &url]));
            }
            if flag == "--database" {
                texts.push(shown(petstore(), &["backup", &flag, &url, "copy.db"]));
            }
            for text in texts {
                assert!(!text.contains("s3cret"), "{flag} {url}: {text}");
            }
        }
    }
}

#[test]
fn largest_body_is_a_setting() {
    let server = ServerProcess::start_with(&["--max-body", "11"]);
    for (body, status) in [("{\"name\":\"a\"}", 413), ("{\"name\": 1}", 422)] {
        let response = server.send("POST", "/categories", body);
        assert_eq!(response.status, status, "{body}");
    }
}

#[test]
fn every_flag_has_its_environment_variable_and_invalid_values_an_example() {
    let output = |arguments: &[&str]| {
        let output = petstore().args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    assert!(output(&["--help"]).1.contains("empty folder to try it"));
    assert!(output(&["completions", "bash"]).1.contains("--drain-delay"));
    let (_, serve) = output(&["serve", "--help"]);
    let flags = serve
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--"));
    let flags: Vec<&str> = flags
        .filter(|flag| !["help", "check"].contains(flag))
        .collect();
    assert!(flags.len() > 15, "{flags:?}");
    for flag in flags {
        let variable = format!("PETSTORE_{}", flag.to_uppercase().replace('-', "_"));
        // The value is not shown where it may have a password.
        let shown = ["=", "]"].map(|end| format!("[env: {variable}{end}"));
        assert!(shown.iter().any(|it| serve.contains(it)), "{variable}");
    }
    for (flag, value, help) in [
        ("--listen", "localhost", "such as 127.0.0.1:8080"),
        (
            "--trusted-proxy",
            "nginx",
            "such as 127.0.0.1 or 10.0.0.0/8",
        ),
        ("--log-level", "loud", "error, warn, info, debug"),
        ("--log-sample", "0", "from 1 to 4294967295"),
        ("--max-body", "0", "would be zero"),
        ("--drain-delay", "2h", "at most an hour, such as 15s"),
        ("--backup-every", "5s", "at least a minute"),
        (
            "--cors-origin",
            "https://shop.example/app",
            "and no path; or * for all sites",
        ),
    ] {
        let (code, text) = output(&["serve", flag, value]);
        assert_eq!(code, Some(2), "{flag}");
        for part in [flag, value, help] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}

/// Runs a command that cannot start a server and changes no file, and returns its line on standard error.
#[track_caller]
fn startup_error(folder: &Path, command: &mut Command) -> String {
    let before = read_files(folder);
    let line = error_line(&command.output().unwrap());
    assert!(before == read_files(folder), "a file was changed");
    line.replace(
        &format!("{}/", folder.canonicalize().unwrap().display()),
        "",
    )
}

#[test]
fn too_few_open_files_and_used_ports_are_rejected_before_a_database_is_created() {
    let folder = TempDir::new().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 60 && exec \"$@\"", "sh"]);
    let mut limited = petstore_by(shell);
    limited
        .current_dir(&folder)
        .args(["serve", "--listen", "127.0.0.1:0"]);
    let error = startup_error(folder.path(), &mut limited);
    let expected = "may open only 60 files, and a server needs 128: raise the limit (ulimit -n)";
    assert!(error.contains(expected), "{error}");

    let used = TcpListener::bind("127.0.0.1:0").unwrap();
    let used = &used.local_addr().unwrap().to_string();
    for flag in ["--listen", "--admin-listen"] {
        let mut command = petstore();
        command.current_dir(&folder).arg("serve");
        command
            .env("PETSTORE_LISTEN", "127.0.0.1:0")
            .args([flag, used]);
        let error = startup_error(folder.path(), &mut command);
        let expected = format!("cannot listen on {used}: Address already in use");
        assert!(error.contains(&expected), "{error}");
        let help = format!("; stop what listens there, or choose another port with {flag}\n");
        assert!(error.ends_with(&help), "{error}");
    }
}

#[test]
fn database_that_cannot_be_used_is_rejected_with_its_name_and_the_reason() {
    let server = ServerProcess::start_on_file();
    let running = server.database().canonicalize().unwrap();
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("folder")).unwrap();
    fs::write(path("notes.txt"), "Feed the cat.\n".repeat(20)).unwrap();
    std::os::unix::fs::symlink(&running, path("alias")).unwrap();
    for (name, reason) in [
        (
            "missing/db",
            "as missing is not a directory; create it or name another",
        ),
        (
            "folder",
            "folder is a directory; name a file for the database",
        ),
        (
            "notes.txt",
            "notes.txt is not a SQLite database; the file was not changed, name another file",
        ),
        (
            "alias",
            "is in use by another server; stop it first, or name another file",
        ),
    ] {
        let database = path(name).display().to_string();
        let mut command = serve(folder.path(), &["--database", &database]);
        // The running server may write to its own files meanwhile.
        let error = match name {
            "alias" => error_line(&command.output().unwrap()),
            _ => startup_error(folder.path(), &mut command),
        };
        assert!(error.contains(reason), "{name}: {error}");
    }
    assert_eq!(server.send("GET", "/pets", "").status, 200);
}
