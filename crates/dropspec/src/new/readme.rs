//! The README of a new workspace, with examples made of the user's own document.

use spec_codegen::rustfmt;
use syn::Signature;

use super::builders::Builders;
use super::sample_values::SampleValues;
use super::workspace::Workspace;
use super::{client_example, server_example};
use crate::toolchain::Source;

const README: &str = include_str!("templates/README.md");
const CALL_EXAMPLE: &str = include_str!("templates/call_example.md");
const SERVER_EXAMPLE: &str = include_str!("templates/server_example.md");
const OTHER_MACHINES: &str = include_str!("templates/other_machines.md");

/// The examples of a README.
pub(super) struct Examples {
    /// How the client calls an operation; empty without an example.
    call: String,
    /// How a method of the server is filled in; empty without an example.
    method: String,
}

impl Workspace<'_> {
    /// Chooses the operations that show most, and writes the examples. Returns with them the program that calls the service.
    ///
    /// # Errors
    /// An example is not Rust.
    pub(super) fn examples(
        &self,
        methods: &[Signature],
        client: &[(&str, &str)],
    ) -> anyhow::Result<(Examples, Option<String>)> {
        let builders = Builders::read(client);
        let crate_name = format!("{}_client", self.crate_name());
        let client = client_example::Client {
            builders: &builders,
            crate_name: &crate_name,
            document: self.document,
        };
        let simple = server_example::simple_methods(methods);
        let program = client_example::choose_client_example(&client, &simple);
        let program = program.map(|(method, text)| rustfmt(&text).map(|text| (method, text)));
        let program = program.transpose()?;
        let call = program.as_ref().map(|(method, text)| {
            let example = self.fill(CALL_EXAMPLE).replace("{{call_method}}", method);
            example.replace("{{call}}", text.trim_end())
        });
        let server = server_example::find_server_example(methods, |method| {
            let builder = builders.find(method)?;
            SampleValues::new(self.document, &builder.verb, &builder.path).result()
        });
        // rustfmt takes a method only in an implementation.
        let method =
            server.map(|example| rustfmt(&format!("impl Api for App {{ {} }}", example.code)));
        let method = method.transpose()?.map(|text| {
            let inner = text.trim_end().trim_end_matches('}').trim_end();
            let lines = inner.lines().skip(1);
            let lines: Vec<&str> = lines
                .map(|line| line.strip_prefix("    ").unwrap_or(line))
                .collect();
            SERVER_EXAMPLE.replace("{{method}}", &lines.join("\n"))
        });
        let examples = Examples {
            call: call.unwrap_or_default(),
            method: method.unwrap_or_default(),
        };
        Ok((examples, program.map(|(_, text)| text)))
    }

    /// The README.
    pub(super) fn readme(&self, examples: &Examples) -> String {
        let other_machines = match self.source {
            Source::Path(path) => {
                OTHER_MACHINES.replace("{{toolchain}}", &path.display().to_string())
            }
            Source::Git(_) => String::new(),
        };
        let readme = self.fill(README);
        let readme = readme.replace("{{other_machines}}", &other_machines);
        let readme = readme.replace("{{call_example}}", &examples.call);
        readme.replace("{{server_example}}", &examples.method)
    }
}
