//! The files of a new workspace that are not generated from the document: manifests, settings, the server, a README.

use anyhow::Context;
use dropspec_codegen::{Implementation, Part, rustfmt};
use dropspec_model::base_url_variable;
use serde_json::Value;

use super::copy::Copy;
use super::errors::ErrorFormat;
use super::{document, name};
use crate::package::{self, Member};
use crate::toolchain::Source;

/// The templates whose files are written before code is generated: their paths and texts.
const FIRST: [(&str, &str); 9] = [
    (".gitignore", include_str!("templates/gitignore")),
    (".github/workflows/ci.yml", include_str!("templates/ci.yml")),
    // The compiler that the toolchain is built with.
    (
        "rust-toolchain.toml",
        include_str!("../../shared/rust-toolchain.toml"),
    ),
    SETTINGS,
    (
        "crates/{{name}}-cli/Cargo.toml",
        include_str!("templates/cli_manifest.toml"),
    ),
    (
        "crates/{{name}}-cli/src/main.rs",
        include_str!("templates/cli.rs"),
    ),
    (
        "crates/{{name}}-server/Cargo.toml",
        include_str!("templates/server_manifest.toml"),
    ),
    (
        "crates/{{name}}-server/migrations/1_{{crate}}.sql",
        include_str!("templates/migration.sql"),
    ),
    (
        "crates/{{name}}-server/migrations/postgres/1_{{crate}}.sql",
        include_str!("templates/postgres_migration.sql"),
    ),
];
const SETTINGS: (&str, &str) = ("dropspec.toml", include_str!("templates/dropspec.toml"));
const README: (&str, &str) = ("README.md", include_str!("templates/README.md"));
const MAIN: &str = include_str!("templates/main.rs");
/// An example of a call, and what it uses.
const CALL: (&str, &str) = (
    "crates/{{name}}-client/examples/call.rs",
    include_str!("templates/call.rs"),
);
const CALL_DEPENDENCIES: &str = "\n[dev-dependencies]\ntokio.workspace = true\n";
/// What a README says of a toolchain that only this machine has.
const OTHER_MACHINES: &str = include_str!("templates/other_machines.md");
const CREDENTIALS: &str = include_str!("templates/credentials.md");
/// What that file says of credentials.
const AND_KEY: &str = ",\nand an API key in place of `KEY`: the one that the first start printed, or the one that \
                       `cargo run -- keys create --name me` prints";
/// The plans of a service whose document has none, and what makes them its plans.
const PLANS: &str = include_str!("templates/plans.rs");
const OWN_PLANS: &str = "\n    fn plans() -> &'static [PlanInfo] {\n        PLANS\n    }\n";
/// What the CI file says if the toolchain is a folder of one machine, which no other has.
const LOCAL_TOOLCHAIN: &str = "      # These steps fail on other machines, because the crates depend on a checkout of the toolchain on this one.\n      \
     # \"On another machine\" in README.md says what to change.";
/// The largest number of letters of a service's name in its keys.
const MARK_LENGTH: usize = 12;

/// The path of a file from the root, and its text.
pub(super) type NamedText = (String, String);

/// A workspace to be made.
#[derive(Debug)]
pub(super) struct Workspace<'a> {
    name: &'a str,
    /// Where the crates of the toolchain are.
    source: &'a Source,
    /// The files of the document.
    copy: Copy,
    /// What templates write as `{{key}}`: keys and values.
    values: Vec<(&'static str, String)>,
}

impl<'a> Workspace<'a> {
    /// A workspace for the service `name`, whose document is `json` in one file. `partial`: whether operations that cannot be
    /// expressed are left out.
    pub(super) fn new(
        name: &'a str,
        source: &'a Source,
        copy: Copy,
        json: &Value,
        partial: bool,
    ) -> Workspace<'a> {
        let crate_name = name.replace('-', "_");
        // What the names of the environment variables of the client and of the command line begin with.
        let variables = crate_name.to_ascii_uppercase();
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let mark: String = letters.take(MARK_LENGTH).collect();
        let title = json.pointer("/info/title").and_then(Value::as_str);
        let plans = document::find_plans(json);
        let (first_key_plan, anonymous_plan) = plans.unwrap_or(("standard", "anonymous"));
        let (imports, table, own_plans) = match plans {
            Some(_) => ("", "", ""),
            None => (
                "use dropspec_runtime::{PlanInfo, RateLimits};",
                PLANS,
                OWN_PLANS,
            ),
        };
        let install = |from: &str| format!("      - run: cargo install --locked --debug {from}");
        let (install, other_machines) = match source {
            Source::Registry => {
                let version = env!("CARGO_PKG_VERSION");
                (install(&format!("dropspec@{version}")), String::new())
            }
            Source::Path(path) => {
                let path = path.display().to_string();
                let text = OTHER_MACHINES.replace("{{toolchain}}", &path);
                (LOCAL_TOOLCHAIN.to_owned(), text)
            }
            Source::Git(url) => (install(&format!("--git {url} dropspec")), String::new()),
        };
        let exports = document::exports(json, &variables);
        let (and_key, keys) = if exports.is_empty() {
            (
                "",
                "No operation of the document requires a key: it has no `security`.",
            )
        } else {
            let keys = "A key is sent as the document's security schemes say, which the variables above are for. Where an operation requires \
                        several schemes at once, the same key is sent by each.";
            (AND_KEY, keys)
        };
        let credentials = CREDENTIALS.replace("{{exports}}", &exports);
        let credentials = credentials.replace("{{and_key}}", and_key);
        let credentials = credentials.replace("{{url}}", &base_url_variable(&variables));
        let values = vec![
            ("credentials", credentials),
            ("other_machines", other_machines),
            ("plans", table.to_owned()),
            ("own_plans", own_plans.to_owned()),
            ("runtime_imports", imports.to_owned()),
            ("name", name.to_owned()),
            ("crate", crate_name),
            ("variables", variables),
            ("document", copy.document.clone()),
            ("partial", partial.to_string()),
            ("install", install),
            ("about", format!("{:?}", title.unwrap_or(name))),
            ("key_mark", format!("{mark}_")),
            ("keys", keys.to_owned()),
            ("first_key_plan", first_key_plan.to_owned()),
            ("anonymous_plan", anonymous_plan.to_owned()),
            (
                "application_id",
                format!("{:#x}", name::application_id(name)),
            ),
        ];
        Workspace {
            name,
            source,
            copy,
            values,
        }
    }

    /// The files that are needed before code is generated.
    ///
    /// # Errors
    /// The toolchain does not have a dependency.
    pub(super) fn files_before_generation(&self) -> anyhow::Result<Vec<NamedText>> {
        let mut files = vec![("Cargo.toml".to_owned(), self.manifest()?)];
        files.extend(FIRST.map(|template| self.fill(template, &[("traits", "by-size")])));
        let document = self.copy.files.iter();
        files.extend(document.map(|(path, text)| (format!("spec/{path}"), text.clone())));
        // The versions of dependencies that the toolchain is tested with.
        if let Source::Path(path) = self.source
            && let Ok(lock) = std::fs::read_to_string(path.join("Cargo.lock"))
        {
            files.push(("Cargo.lock".to_owned(), lock));
        }
        let description = format!("Generated from spec/{}.", self.copy.document);
        for (part, end, more) in [
            (Part::Api, "api", ""),
            (Part::Client, "client", CALL_DEPENDENCIES),
        ] {
            let member = format!("{}-{end}", self.name);
            let manifest = package::manifest(&member, &description, part) + more;
            files.push((format!("crates/{member}/Cargo.toml"), manifest));
        }
        Ok(files)
    }

    /// The files of the server and the README.
    ///
    /// # Errors
    /// rustfmt does not format them.
    pub(super) fn server_files(
        &self,
        implementation: Implementation,
        errors: &ErrorFormat,
    ) -> anyhow::Result<Vec<NamedText>> {
        let stubs = implementation.files;
        let method = implementation.example_method;
        let values = [
            ("interface", implementation.interface_name.as_str()),
            ("method", method.as_deref().unwrap_or("operation")),
            // The traits stay as they are when the document grows.
            ("traits", if stubs.len() == 1 { "one" } else { "by-tag" }),
        ];
        let mut files = vec![self.fill(SETTINGS, &values), self.fill(README, &values)];
        if method.is_some() {
            files.push(self.fill(CALL, &values));
        }
        let (_, main) = self.fill(("", MAIN), &values);
        let own = [
            ("main.rs".to_owned(), main),
            ("errors.rs".to_owned(), errors.render_file()),
        ];
        for (file, text) in own.into_iter().chain(stubs) {
            let path = format!("crates/{}-server/src/{file}", self.name);
            let text = rustfmt(&text).with_context(|| path.clone())?;
            files.push((path, text));
        }
        Ok(files)
    }

    /// What a person does next.
    pub(super) fn next_steps(&self) -> String {
        let name = self.name;
        let source = match self.source {
            Source::Registry => format!("the toolchain {}", env!("CARGO_PKG_VERSION")),
            Source::Path(path) => format!("the checkout {}", path.display()),
            Source::Git(url) => url.clone(),
        };
        format!(
            "{name} is ready. Its crates depend on {source}.\n\n    \
             cd {name}\n    cargo run -- serve\n\n\
             Then open http://127.0.0.1:8080/docs, and fill in crates/{name}-server/src/operations.rs.\n\
             The document is now spec/{}: edit it there, and run `dropspec generate`.\n",
            self.copy.document,
        )
    }

    fn manifest(&self) -> anyhow::Result<String> {
        let member = |end: &str| Member {
            name: format!("{}-{end}", self.name),
            folder: format!("crates/{}-{end}", self.name),
        };
        let members = name::CRATES.map(member);
        let default = format!("crates/{}-server", self.name);
        let more = name::PROGRAM_DEPENDENCIES;
        package::workspace_manifest(&members, Some(&default), more, self.source)
    }

    /// Fills path and text of a template.
    fn fill(&self, (path, text): (&str, &str), more: &[(&str, &str)]) -> NamedText {
        let fill = |text: &str| {
            let own = self
                .values
                .iter()
                .map(|(key, value)| (*key, value.as_str()));
            own.chain(more.iter().copied())
                .fold(text.to_owned(), |text, (key, value)| {
                    text.replace(&format!("{{{{{key}}}}}"), value)
                })
        };
        (fill(path), fill(text))
    }
}
