//! docs/dropspec.md: its example is a valid file of settings with every key.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use dropspec::config::Config;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dropspec.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn example_of_settings_is_valid_and_has_every_key() {
    let page = page();
    let example = page.split("```toml\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    Config::parse(Path::new("docs/dropspec.md"), example).unwrap();
    // An unknown key is an error that lists the known ones.
    for (table, wrong) in [
        ("", "wrong = 1"),
        ("output", "[output]\nwrong = 1"),
        ("generate", "[generate]\nwrong = 1"),
        (
            "generate.client-layer",
            "[generate.client-layer]\nwrong = 1",
        ),
        ("contract", "[contract]\nwrong = 1"),
        ("lint", "[lint]\nwrong = 1"),
    ] {
        let error = Config::parse(Path::new("a.toml"), wrong).unwrap_err();
        let error = error.to_string();
        let known = error.split("expected").nth(1).unwrap();
        let (known, _) = known.split_once(" (").unwrap();
        let keys = known.split('`').skip(1).step_by(2);
        let mut count = 0;
        for key in keys {
            let is_written = [format!("{key} = "), format!("[{key}]"), format!(".{key}]")];
            let is_written = is_written
                .iter()
                .any(|text| example.contains(text.as_str()));
            assert!(is_written, "`{key}` of [{table}] is not in the example");
            count += 1;
        }
        assert!(count > 1, "{error}");
    }
}

#[test]
fn page_lists_every_command() {
    let help = Command::new(env!("CARGO_BIN_EXE_dropspec"))
        .arg("help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("Commands:\n").nth(1).unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let page = page();
    for name in names.filter(|name| !name.is_empty() && *name != "help") {
        assert!(page.contains(&format!("| `{name}")), "{name}");
    }
}
