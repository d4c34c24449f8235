//! `petstore serve`: its output, its settings, and its help.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use test_support::files::file_names;
use test_support::{Process, ServerProcess, Storage, blocking_http, petstore, run_petstore};

#[test]
fn only_the_first_start_prints_a_curl_line_with_the_file_of_the_first_key() {
    let mut server = ServerProcess::run(petstore(), Storage::new(), &[]);
    assert_ne!(server.public.port(), 0, "the port that is in use");
    let line = server.process.read_line_with_prefix("curl ");
    let pasted = Command::new("sh").args(["-c", &line]).output().unwrap();
    let stderr = String::from_utf8(pasted.stderr).unwrap();
    assert!(pasted.status.success(), "{line}: {stderr}");
    assert_eq!(pasted.stdout, b"[]", "{line}");

    assert!(!line.contains("pst_"), "{line}");
    let file = server.storage.path().join("first-key");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    server.process.signal("TERM");
    let rest = server.process.read_rest();
    assert!(!rest.contains("pst_"), "{rest}");
    let directory = server.wait_for_success();
    let mut server = ServerProcess::run(petstore(), directory, &[]);
    server.process.signal("TERM");
    assert_eq!(server.process.read_rest(), "");
}

#[test]
fn without_a_terminal_and_a_file_no_first_key_is_created_and_the_log_says_where_to_get_one() {
    let folder = TempDir::new().unwrap();
    let mut command = petstore();
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .current_dir(folder.path());
    let mut server = Process::run(&mut command);
    server.read_address();
    server.signal("TERM");
    let printed = server.read_rest();
    for part in [
        "keys create --name first --database petstore.db",
        "curl -H 'X-API-Key: KEY' http://",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(!printed.contains("pst_"), "{printed}");
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
    assert!(log.contains("the command `keys create`"), "{log}");
    assert_eq!(run_keys_in(folder.path()), serde_json::json!([]));
}

#[test]
fn file_of_the_first_key_that_exists_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("key"), "precious").unwrap();
    let mut command = petstore();
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(["--first-key-file", "key"])
        .current_dir(folder.path());
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("exists already: key; remove it"),
        "{stderr}"
    );
    let kept = std::fs::read_to_string(folder.path().join("key")).unwrap();
    assert_eq!(kept, "precious");
    assert_eq!(run_keys_in(folder.path()), serde_json::json!([]));
}

/// The keys of the database in a folder.
fn run_keys_in(folder: &Path) -> serde_json::Value {
    let output = run_petstore(folder, &["keys", "list", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn settings_come_from_a_file_unless_the_environment_or_a_flag_overrides_them() {
    let folder = TempDir::new().unwrap();
    let text = "listen = \"127.0.0.1:0\"\ndatabase = \"from-the-file.db\"\nlog-format = \"json\"\nlog-level = \"error\"\n\
                first-key-file = \"key\"\nlog-fields = [\"client\", \"path\"]\n";
    std::fs::write(folder.path().join("petstore.toml"), text).unwrap();
    let mut command = petstore();
    command
        .args(["serve", "--config", "petstore.toml"])
        .args(["--log-level", "info"])
        .current_dir(folder.path())
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
    assert_eq!(
        blocking_http::get(address, "/pets?api_key=secret").status,
        401
    );
    server.signal("TERM");
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
    let request = log.lines().find(|line| line.contains("listPets")).unwrap();
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    assert_eq!(
        (&request["client"], &request["path"]),
        (&"127.0.0.1".into(), &"/pets".into())
    );

    // Other commands read it, too.
    let keys = ["keys", "list", "--json", "--config", "petstore.toml"];
    let output = run_petstore(folder.path(), &keys);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("no petstore database at from-the-file.db"),
        "{stderr}"
    );
}

#[test]
fn settings_can_be_checked_without_a_start() {
    let folder = TempDir::new().unwrap();
    let check = |text: &str| {
        std::fs::write(folder.path().join("petstore.toml"), text).unwrap();
        let arguments = ["serve", "--config", "petstore.toml", "--check"];
        let output = run_petstore(folder.path(), &arguments);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (code, text) = check("database = \"postgres://u:secret@db.example/pets\"\n");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("the settings can be used"), "{text}");
    assert!(!text.contains("secret"), "{text}");
    assert!(!text.contains("warning"), "{text}");
    let open = ["--listen", "0.0.0.0:80", "--admin-listen", "0.0.0.0:9090"];
    let output = run_petstore(folder.path(), &[&["serve", "--check"][..], &open].concat());
    assert_eq!(output.status.code(), Some(0));
    let warnings = String::from_utf8(output.stderr).unwrap();
    for warning in [
        "no proxy is trusted",
        "the panel on 0.0.0.0:9090, and it has no token",
    ] {
        assert!(warnings.contains(warning), "{warnings}");
    }
    for (text, expected) in [
        (
            "\nlisen = 1",
            "petstore.toml:2:1: there is no setting `lisen`",
        ),
        ("listen = \"here\"", "invalid value 'here' for '--listen"),
        ("listen = ", "petstore.toml:1:"),
        ("tls-cert = \"a\"", "tls-cert needs tls-key"),
        ("tls-cert = \"a\"\ntls-key = \"b\"", "certificate"),
        ("database = \"postgres://localhost\"", "names no database"),
    ] {
        let (code, found) = check(text);
        assert_eq!(code, Some(2), "{text}: {found}");
        assert!(found.contains(expected), "{text}: {found}");
    }
    let files = file_names(folder.path());
    assert_eq!(files, ["petstore.toml"]);
    let missing = run_petstore(folder.path(), &["serve", "--config", "absent.toml"]);
    let missing = String::from_utf8(missing.stderr).unwrap();
    assert!(
        missing.contains("the configuration file absent.toml cannot be read"),
        "{missing}"
    );
}

#[test]
fn shells_get_completions() {
    let output = petstore().args(["completions", "bash"]).output().unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(
        script.contains("--drain-delay") && script.contains("petstore__"),
        "{script}"
    );
}

#[test]
fn largest_body_is_a_setting() {
    let flags = ["--max-body", "11"];
    let server = ServerProcess::run(petstore(), Storage::new(), &flags);
    let server = server.with_first_key();
    let key = &server.key;
    for (body, status) in [("{\"name\":\"a\"}", 413), ("{\"name\": 1}", 422)] {
        let length = body.len();
        let request = format!(
            "POST /categories HTTP/1.1\r\nHost: petstore\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        let response = blocking_http::send(server.public, &request);
        assert_eq!(response.status, status, "{body}");
    }
}

#[test]
fn help_lists_every_flag_with_its_environment_variable() {
    let help = |arguments: &[&str]| {
        let output = petstore().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let top = help(&["--help"]);
    assert!(top.contains("serve") && top.contains("empty folder to try it"));

    let serve = help(&["serve", "--help"]);
    let flags: Vec<&str> = serve
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|flag| !["help", "check"].contains(flag))
        .collect();
    let all = [
        "listen",
        "database",
        "limits",
        "trusted-proxy",
        "admin-listen",
        "tls-cert",
        "tls-key",
        "log-format",
        "log-level",
        "log-sample",
        "max-body",
        "max-raw-body",
        "config",
        "first-key-file",
        "drain-delay",
        "log-fields",
    ];
    for known in all {
        assert!(flags.contains(&known), "{known} is not in {flags:?}");
    }
    for flag in flags {
        let variable = format!("PETSTORE_{}", flag.to_uppercase().replace('-', "_"));
        // The value is not shown where it may have a password.
        let shown = ["=", "]"].map(|end| format!("[env: {variable}{end}"));
        assert!(shown.iter().any(|it| serve.contains(it)), "{variable}");
    }
}

#[test]
fn invalid_flag_values_are_rejected_with_an_example() {
    for (flag, value, help) in [
        ("--listen", "localhost:80", "such as 127.0.0.1:8080"),
        ("--admin-listen", "9090", "such as 127.0.0.1:8080"),
        (
            "--trusted-proxy",
            "nginx",
            "such as 127.0.0.1 or 10.0.0.0/8",
        ),
        ("--log-level", "loud", "error, warn, info, debug"),
        ("--log-format", "silent", "terminal, json"),
        ("--log-sample", "0", "from 1 to 4294967295"),
        ("--max-body", "0", "would be zero"),
        ("--drain-delay", "2h", "at most an hour, such as 15s"),
        ("--log-fields", "key", "client, path"),
        (
            "--cors-origin",
            "https://shop.example/app",
            "and no path; or * for all sites",
        ),
    ] {
        let output = petstore().args(["serve", flag, value]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        for part in [flag, value, help] {
            assert!(stderr.contains(part), "{part} is missing in {stderr}");
        }
    }
}
