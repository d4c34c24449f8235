//! Which profile applies, and what is said about mistakes in its file.
#![allow(clippy::unwrap_used)]

use super::*;

const FILE: &str = "default-profile = \"local\"\n[profiles.local]\nurl = \"http://a\"\nkey = \"secret\"\n[profiles.shop]\nurl = \"http://b\"\n";

/// The URL, or the error, of a command line with this configuration file.
fn url(file: &str, arguments: &[&str], profile_variable: Option<&str>) -> Result<String, String> {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/pets");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), file).unwrap();
    let settings = Settings {
        name: "pets".to_owned(),
        variables: "SPEC_CLI_TEST".to_owned(),
        ..Settings::default()
    };
    let command = Command::new("pets")
        .arg(
            Arg::new("url")
                .long("url")
                .global(true)
                .default_value("http://none"),
        )
        .arg(
            Arg::new("key")
                .long("key")
                .global(true)
                .hide_env_values(true),
        )
        .arg(argument(&settings).global(true));
    let arguments: Vec<OsString> = ["pets"]
        .iter()
        .chain(arguments)
        .map(OsString::from)
        .collect();
    let variable = |name: &str| match name {
        "HOME" => home.path().to_str().map(str::to_owned),
        "SPEC_CLI_TEST_PROFILE" => profile_variable.map(str::to_owned),
        _ => None,
    };
    let command = apply(&settings, command, &arguments, variable);
    let command = command.map_err(|failure| failure.to_string())?.command;
    let matches = command.try_get_matches_from(arguments).unwrap();
    Ok(matches.get_one::<String>("url").unwrap().clone())
}

#[test]
fn option_comes_before_profile_and_profile_before_default() {
    assert_eq!(url("", &[], None).unwrap(), "http://none");
    assert_eq!(url(FILE, &[], None).unwrap(), "http://a");
    assert_eq!(url(FILE, &[], Some("shop")).unwrap(), "http://b");
    assert_eq!(
        url(FILE, &["--profile", "local"], Some("shop")).unwrap(),
        "http://a"
    );
    assert_eq!(
        url(FILE, &["--profile=shop", "--url", "http://c"], None).unwrap(),
        "http://c"
    );
}

#[test]
fn mistakes_name_file_and_remedy_and_no_key() {
    let cases = [
        (
            FILE,
            "toys",
            "there is no profile `toys`; there are: local, shop",
        ),
        ("", "toys", "there is no profile `toys`; there is none"),
        (
            "[profiles.a]\nkye = \"secret\"",
            "a",
            "a profile has no option `kye`; it has: url, key",
        ),
        (
            "[profiles.a]\nkey = [1]",
            "a",
            "the value of `key` is neither a text nor a whole number",
        ),
        (
            "url = \"secret\"",
            "a",
            "unknown key `url`: write options into a profile",
        ),
        ("\n\nkey = secret", "a", "line 3, column 7"),
    ];
    for (file, profile, expected) in cases {
        let error = url(file, &["--profile", profile], None).unwrap_err();
        assert!(
            error.contains(expected) && error.contains("config.toml: "),
            "{error}"
        );
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn help_shows_no_key_of_a_profile() {
    let table = parse(FILE).unwrap();
    let command = Command::new("pets")
        .arg(Arg::new("url").long("url").global(true))
        .arg(
            Arg::new("key")
                .long("key")
                .global(true)
                .hide_env_values(true),
        );
    let mut command = {
        let (_, profile) = find_profile(&table, None).unwrap().unwrap();
        set_defaults(command, profile).unwrap()
    };
    let help = command.render_long_help().to_string();
    assert!(
        help.contains("http://a") && !help.contains("secret"),
        "{help}"
    );
}
