//! The files of a new workspace that are not generated from the document: manifests, settings, the server, a README.

use anyhow::Context;
use spec_codegen::{Part, rustfmt};
use spec_model::{base_url_variable, credential_variable};
use syn::Item;

use super::copy::Copy;
use super::document::Facts;
use super::errors::ErrorFormat;
use super::name;
use super::operations::Api;
use crate::package::{self, Member};
use crate::toolchain::Source;

const GITIGNORE: &str = include_str!("templates/gitignore");
const README: &str = include_str!("templates/README.md");
const OTHER_MACHINES: &str = include_str!("templates/other_machines.md");
const CREDENTIALS: &str = include_str!("templates/credentials.md");
/// What that file says of credentials.
const AND_KEY: &str = ",\nand an API key in place of `KEY`: the one that the first start printed, or the one that \
                       `cargo run -- keys create --name me` prints";
const SETTINGS: &str = include_str!("templates/dropspec.toml");
const CI: &str = include_str!("templates/ci.yml");
const SERVER_MANIFEST: &str = include_str!("templates/server_manifest.toml");
const CLI_MANIFEST: &str = include_str!("templates/cli_manifest.toml");
const CLI: &str = include_str!("templates/cli.rs");
const CALL: &str = include_str!("templates/call.rs");
/// What that example uses.
const CALL_DEPENDENCIES: &str = "\n[dev-dependencies]\ntokio.workspace = true\n";
const MAIN: &str = include_str!("templates/main.rs");
const PLANS: &str = include_str!("templates/plans.rs");
/// What makes them the plans of the service.
const OWN_PLANS: &str = "\n    fn plans() -> &'static [PlanInfo] {\n        PLANS\n    }\n";
const MIGRATION: &str = include_str!("templates/migration.sql");
const POSTGRES_MIGRATION: &str = include_str!("templates/postgres_migration.sql");
/// What the CI file says if the toolchain is a folder of one machine, which no other has.
const LOCAL_TOOLCHAIN: &str = "      # These steps fail on other machines, because the crates depend on a checkout of the toolchain on this one.\n      \
     # \"On another machine\" in README.md says what to change.";
/// The compiler that the toolchain is built with.
const TOOLCHAIN: &str = include_str!("../../../../rust-toolchain.toml");

/// A workspace to be made.
#[derive(Debug)]
pub(super) struct Workspace<'a> {
    /// The name of the service.
    pub(super) name: &'a str,
    /// Whether operations that cannot be expressed are left out.
    pub(super) partial: bool,
    /// Where the crates of the toolchain are.
    pub(super) source: &'a Source,
    /// The files of the document.
    pub(super) copy: Copy,
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
    pub(super) fn files(&self) -> anyhow::Result<Vec<NamedText>> {
        let name = self.name;
        let description = format!("Generated from spec/{}.", self.copy.document);
        let mut files = vec![
            ("Cargo.toml".to_owned(), self.manifest()?),
            (".gitignore".to_owned(), GITIGNORE.to_owned()),
            (".github/workflows/ci.yml".to_owned(), self.fill(CI)),
            ("rust-toolchain.toml".to_owned(), TOOLCHAIN.to_owned()),
            self.settings("by-size"),
            (
                format!("crates/{name}-cli/Cargo.toml"),
                self.fill(CLI_MANIFEST),
            ),
            (format!("crates/{name}-cli/src/main.rs"), self.fill(CLI)),
        ];
        let document = self.copy.files.iter();
        files.extend(document.map(|(path, text)| (format!("spec/{path}"), text.clone())));
        if let Source::Path(path) = self.source {
            // The versions of dependencies that the toolchain is tested with.
            if let Ok(lock) = std::fs::read_to_string(path.join("Cargo.lock")) {
                files.push(("Cargo.lock".to_owned(), lock));
            }
        }
        for (part, end) in [(Part::Api, "api"), (Part::Client, "client")] {
            let member = format!("{name}-{end}");
            let mut manifest = package::manifest(&member, &description, part);
            if part == Part::Client {
                manifest.push_str(CALL_DEPENDENCIES);
            }
            files.push((format!("crates/{member}/Cargo.toml"), manifest));
        }
        Ok(files)
    }

    /// The files of the server and the README, for the generated files of the interface, by their names.
    ///
    /// # Errors
    /// The generated files are not as expected.
    pub(super) fn server_files(
        &self,
        interface: &[(&str, &str)],
        errors: ErrorFormat,
    ) -> anyhow::Result<Vec<NamedText>> {
        let name = self.name;
        let folder = format!("crates/{name}-server");
        let library = format!("{}_api", self.crate_name());
        let api = Api::parse(interface.iter().copied())?;
        let stubs = api.render_stubs(&library);
        let main = self
            .fill(MAIN)
            .replace("{{interface}}", &find_interface(interface)?);
        let rust = |file: &str, text: &str| -> anyhow::Result<NamedText> {
            let path = format!("{folder}/src/{file}");
            let text = rustfmt(text).with_context(|| path.clone())?;
            Ok((path, text))
        };
        // The traits stay as they are when the document grows.
        let traits = match stubs.len() {
            1 => "one",
            _ => "by-tag",
        };
        let method = api.simplest_method();
        let mut files = vec![
            self.settings(traits),
            ("README.md".to_owned(), self.readme(method.as_deref())),
            (format!("{folder}/Cargo.toml"), self.fill(SERVER_MANIFEST)),
            (
                format!("{folder}/migrations/1_{}.sql", self.crate_name()),
                self.fill(MIGRATION),
            ),
            (
                format!("{folder}/migrations/postgres/1_{}.sql", self.crate_name()),
                POSTGRES_MIGRATION.to_owned(),
            ),
            rust("main.rs", &main)?,
            rust("errors.rs", &errors.render_file())?,
        ];
        for (name, text) in &stubs {
            files.push(rust(name, text)?);
        }
        if let Some(method) = method {
            let example = format!("crates/{name}-client/examples/call.rs");
            files.push((example, self.fill(CALL).replace("{{method}}", &method)));
        }
        Ok(files)
    }

    /// The README, with a call of an operation by its method.
    fn readme(&self, method: Option<&str>) -> String {
        let other_machines = match self.source {
            Source::Path(path) => {
                OTHER_MACHINES.replace("{{toolchain}}", &path.display().to_string())
            }
            Source::Git(_) => String::new(),
        };
        let readme = self.fill(README);
        let readme = readme.replace("{{other_machines}}", &other_machines);
        readme.replace("{{method}}", method.unwrap_or("operation"))
    }

    /// What the names of the environment variables of the client and of the command line begin with.
    fn variables(&self) -> String {
        self.crate_name().to_ascii_uppercase()
    }

    /// The settings of the repository. `traits` says how many a server implements.
    fn settings(&self, traits: &str) -> NamedText {
        let text = self.fill(SETTINGS).replace("{{traits}}", traits);
        ("dropspec.toml".to_owned(), text)
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
        let default = members[2].folder.clone();
        package::workspace_manifest(
            &members,
            Some(&default),
            name::PROGRAM_DEPENDENCIES,
            self.source,
        )
    }

    pub(super) fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Fills a template.
    pub(super) fn fill(&self, template: &str) -> String {
        let facts = &self.facts;
        let plan = |name: Option<&String>, own: &str| name.map_or(own.to_owned(), String::clone);
        let plans = facts.plans.as_ref();
        let (imports, table, own_plans) = match plans {
            Some(_) => ("", "", ""),
            None => (
                "use spec_runtime::{PlanInfo, RateLimits};",
                PLANS,
                OWN_PLANS,
            ),
        };
        let install = match self.source {
            Source::Path(_) => LOCAL_TOOLCHAIN.to_owned(),
            Source::Git(url) => {
                format!("      - run: cargo install --locked --debug --git {url} dropspec")
            }
        };
        let variables = self.variables();
        let exports = facts.schemes.iter().filter_map(|scheme| {
            let variable = credential_variable(&variables, &scheme.name);
            let way = scheme.way.as_deref()?;
            let value = if scheme.is_basic { "KEY:" } else { "KEY" };
            Some(format!("export {variable}='{value}'   # sent as {way}\n"))
        });
        let exports: String = exports.collect();
        let key = if exports.is_empty() { "" } else { AND_KEY };
        let credentials = CREDENTIALS.replace("{{exports}}", &exports);
        let credentials = credentials.replace("{{and_key}}", key);
        let credentials = credentials.replace("{{url}}", &base_url_variable(&variables));
        let values = [
            ("name", self.name.to_owned()),
            ("crate", self.crate_name()),
            ("variables", variables),
            ("credentials", credentials),
            ("document", self.copy.document.clone()),
            ("partial", self.partial.to_string()),
            ("install", install),
            ("about", format!("{:?}", facts.title)),
            ("key_mark", facts.key_mark.clone()),
            ("keys", facts.keys.clone()),
            (
                "first_key_plan",
                plan(plans.map(|plans| &plans.0), "standard"),
            ),
            (
                "anonymous_plan",
                plan(plans.map(|plans| &plans.1), "anonymous"),
            ),
            ("runtime_imports", imports.to_owned()),
            ("own_plans", own_plans.to_owned()),
            ("plans", table.to_owned()),
            (
                "application_id",
                format!("{:#x}", name::application_id(self.name)),
            ),
        ];
        values
            .iter()
            .fold(template.to_owned(), |text, (key, value)| {
                text.replace(&format!("{{{{{key}}}}}"), value)
            })
    }
}

/// The name of the generated interface in `interface.rs`.
fn find_interface(files: &[(&str, &str)]) -> anyhow::Result<String> {
    let file = files.iter().find(|(name, _)| *name == "interface.rs");
    let (_, text) = file.context("no interface is generated")?;
    let file = syn::parse_file(text).context("the generated interface.rs is not Rust")?;
    let found = file.items.iter().find_map(|item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        _ => None,
    });
    found.context("the generated interface.rs has no interface")
}
