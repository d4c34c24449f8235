//! The files of a new workspace that are not generated from the document: manifests, settings, the server, a README.

use anyhow::Context;
use spec_codegen::{Part, rustfmt};
use syn::Item;

use super::document::Facts;
use super::errors::ErrorFormat;
use super::operations::Api;
use crate::package::{self, Member};
use crate::toolchain::Source;

const GITIGNORE: &str = include_str!("templates/gitignore");
const SETTINGS: &str = include_str!("templates/dropspec.toml");
const CI: &str = include_str!("templates/ci.yml");
const README: &str = include_str!("templates/README.md");
const ALIAS: &str = include_str!("templates/alias.toml");
const SERVER_MANIFEST: &str = include_str!("templates/server_manifest.toml");
const CLI_MANIFEST: &str = include_str!("templates/cli_manifest.toml");
const CLI: &str = include_str!("templates/cli.rs");
const MAIN: &str = include_str!("templates/main.rs");
const PLANS: &str = include_str!("templates/plans.rs");
const ERRORS: &str = include_str!("templates/errors.rs");
const MIGRATION: &str = include_str!("templates/migration.sql");
/// The compiler that the toolchain is built with.
const TOOLCHAIN: &str = include_str!("../../../../rust-toolchain.toml");

/// What the server uses beside the generated interface, and what the command line uses.
const PROGRAM_DEPENDENCIES: &[&str] = &[
    "dropshot",
    "http",
    "serde_json",
    "spec-cli",
    "spec-gate",
    "spec-runtime",
    "sqlite-engine",
];

/// A workspace to be made.
#[derive(Debug)]
pub(super) struct Workspace<'a> {
    /// The name of the service.
    pub(super) name: &'a str,
    /// Whether operations that cannot be expressed are left out.
    pub(super) partial: bool,
    /// Where the crates of the toolchain are.
    pub(super) source: &'a Source,
    /// The name of the file with the document.
    pub(super) document: &'static str,
    /// What the document says of the service.
    pub(super) facts: Facts,
}

/// The path of a file from the root, and its text.
type NamedText = (String, String);

impl Workspace<'_> {
    /// The files that are needed before code is generated.
    ///
    /// # Errors
    /// The toolchain does not have a dependency.
    pub(super) fn files(&self, document: &str) -> anyhow::Result<Vec<NamedText>> {
        let name = self.name;
        let description = format!("Generated from spec/{}.", self.document);
        let mut files = vec![
            ("Cargo.toml".to_owned(), self.manifest()?),
            (".gitignore".to_owned(), GITIGNORE.to_owned()),
            (".github/workflows/ci.yml".to_owned(), self.fill(CI)),
            ("rust-toolchain.toml".to_owned(), TOOLCHAIN.to_owned()),
            ("README.md".to_owned(), self.fill(README)),
            ("dropspec.toml".to_owned(), self.fill(SETTINGS)),
            (format!("spec/{}", self.document), document.to_owned()),
            (
                format!("crates/{name}-cli/Cargo.toml"),
                self.fill(CLI_MANIFEST),
            ),
            (format!("crates/{name}-cli/src/main.rs"), self.fill(CLI)),
        ];
        if let Source::Path(path) = self.source {
            let manifest = format!("{:?}", path.join("Cargo.toml"));
            // Words of an alias are separated by spaces, so it is a list.
            let text = ALIAS.replace("{{manifest}}", &manifest);
            files.push((".cargo/config.toml".to_owned(), text));
            // The versions of dependencies that the toolchain is tested with.
            if let Ok(lock) = std::fs::read_to_string(path.join("Cargo.lock")) {
                files.push(("Cargo.lock".to_owned(), lock));
            }
        }
        for (part, end) in [(Part::Api, "api"), (Part::Client, "client")] {
            let member = format!("{name}-{end}");
            let text = package::manifest(&member, &description, part);
            files.push((format!("crates/{member}/Cargo.toml"), text));
        }
        Ok(files)
    }

    /// The files of the server, for the generated `api.rs` and `interface.rs`.
    ///
    /// # Errors
    /// The generated files are not as expected.
    pub(super) fn server_files(
        &self,
        api: &str,
        interface: &str,
        errors: ErrorFormat,
    ) -> anyhow::Result<Vec<NamedText>> {
        let name = self.name;
        let folder = format!("crates/{name}-server");
        let library = format!("{}_api", self.crate_name());
        let stubs = Api::parse(api)?.render_stubs(&library)?;
        let main = self
            .fill(MAIN)
            .replace("{{interface}}", &find_interface(interface)?);
        let rust = |file: &str, text: &str| -> anyhow::Result<NamedText> {
            let path = format!("{folder}/src/{file}");
            let text = rustfmt(text).with_context(|| path.clone())?;
            Ok((path, text))
        };
        Ok(vec![
            (format!("{folder}/Cargo.toml"), self.fill(SERVER_MANIFEST)),
            (
                format!("{folder}/migrations/1_{}.sql", self.crate_name()),
                self.fill(MIGRATION),
            ),
            rust("main.rs", &main)?,
            rust("errors.rs", &render_errors(&errors))?,
            rust("operations.rs", &stubs)?,
        ])
    }

    /// What a person does next.
    pub(super) fn next_steps(&self) -> String {
        let name = self.name;
        let source = match self.source {
            Source::Path(path) => format!("the checkout {}", path.display()),
            Source::Git(url) => url.clone(),
        };
        format!(
            "{name} is ready. Its crates depend on {source}.\n\n    \
             cd {name}\n    cargo run -- serve\n\n\
             Then open http://127.0.0.1:8080/docs, and fill in crates/{name}-server/src/operations.rs.\n"
        )
    }

    fn manifest(&self) -> anyhow::Result<String> {
        let member = |end: &str| Member {
            name: format!("{}-{end}", self.name),
            folder: format!("crates/{}-{end}", self.name),
        };
        let members = ["api", "client", "server", "cli"].map(member);
        let default = members[2].folder.clone();
        package::workspace_manifest(&members, Some(&default), PROGRAM_DEPENDENCIES, self.source)
    }

    fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The command that runs dropspec in the workspace.
    fn command(&self) -> &'static str {
        match self.source {
            Source::Path(_) => "cargo dropspec",
            Source::Git(_) => "dropspec",
        }
    }

    /// Fills a template.
    fn fill(&self, template: &str) -> String {
        let facts = &self.facts;
        let plan = |name: Option<&String>, own: &str| name.map_or(own.to_owned(), String::clone);
        let plans = facts.plans.as_ref();
        let (imports, table, value) = match plans {
            Some(_) => (
                "use spec_runtime::Interface as _;",
                "",
                "Interface::plans()",
            ),
            None => ("use spec_runtime::{PlanInfo, RateLimits};", PLANS, "PLANS"),
        };
        let install = match self.source {
            Source::Path(_) => {
                "      # The toolchain is a checkout on one machine: depend on its git repository for CI.".to_owned()
            }
            Source::Git(url) => format!("      - run: cargo install --locked --git {url} dropspec"),
        };
        let values = [
            ("name", self.name.to_owned()),
            ("crate", self.crate_name()),
            ("variables", self.crate_name().to_ascii_uppercase()),
            ("document", self.document.to_owned()),
            ("partial", self.partial.to_string()),
            ("command", self.command().to_owned()),
            ("install", install),
            ("about", format!("{:?}", facts.title)),
            ("key_mark", facts.key_mark.clone()),
            ("key_header", facts.key_header.clone()),
            (
                "first_key_plan",
                plan(plans.map(|plans| &plans.0), "standard"),
            ),
            (
                "anonymous_plan",
                plan(plans.map(|plans| &plans.1), "anonymous"),
            ),
            ("runtime_imports", imports.to_owned()),
            ("plans_value", value.to_owned()),
            ("plans", table.to_owned()),
            (
                "application_id",
                format!("{:#x}", application_id(self.name)),
            ),
        ];
        values
            .iter()
            .fold(template.to_owned(), |text, (key, value)| {
                text.replace(&format!("{{{{{key}}}}}"), value)
            })
    }
}

/// The `application_id` of the databases of a service: a hash of its name, positive and not 0.
fn application_id(name: &str) -> u32 {
    // FNV-1a.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    (hash & 0x7fff_ffff).max(1)
}

/// The name of the generated interface in `interface.rs`.
fn find_interface(text: &str) -> anyhow::Result<String> {
    let file = syn::parse_file(text).context("the generated interface.rs is not Rust")?;
    let found = file.items.iter().find_map(|item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        _ => None,
    });
    found.context("the generated interface.rs has no interface")
}

fn render_errors(errors: &ErrorFormat) -> String {
    let origin = match errors.recognized {
        true => "/// The body of the error responses of the document.",
        false => {
            "/// The document has no error schema with a text: write here what the errors of the service look like."
        }
    };
    ERRORS
        .replace("{{media_type}}", &errors.media_type)
        .replace("{{origin}}", origin)
        .replace("{{members}}", &errors.members.replace(", \"", ",\n\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn application_id_is_positive_and_differs_by_name() {
        assert!(application_id("books") <= i32::MAX as u32);
        assert_ne!(application_id("books"), application_id("pets"));
    }
}
