//! The command line of every document of the corpora passes the checks of clap, and the help of each command renders.

use std::path::Path;

use dropspec_cli::{Interface, command};

use crate::settings;

#[test]
fn every_document_has_a_command_line() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.exists() {
        assert!(std::env::var_os("CI").is_none(), "no corpus in CI");
        eprintln!("skipped: there is no ../shared/corpus beside the repository");
        return;
    }
    let mut commands = 0;
    for folder in ["dropshot", "more-dropshot", "others", "more-others"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.display();
            let text = std::fs::read_to_string(&path).unwrap();
            let interface = match Interface::read(&text, settings()) {
                Ok(interface) => interface,
                Err(error) => {
                    assert!(error.to_string().contains("no `paths`"), "{name}: {error}");
                    continue;
                }
            };
            let mut command = command(&interface);
            command.build();
            command.clone().debug_assert();
            assert!(command.render_long_help().to_string().len() > 300, "{name}");
            for command in command.get_subcommands_mut() {
                let help = command.render_long_help().to_string();
                assert!(help.contains("Usage: pets "), "{name}: {help}");
                commands += 1;
            }
        }
    }
    assert!(commands > 500, "{commands} commands");
}
