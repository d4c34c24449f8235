//! Chooses the credentials of a request, by what its operation demands.

use clap::ArgMatches;

use crate::document::Interface;
use crate::failure::Failure;
use crate::operation::Operation;
use crate::request::{Credential, Request};
use crate::schemes::Scheme;
use crate::settings::Settings;

/// Adds the credentials of the first alternative of which all are given.
///
/// # Errors
/// The operation demands credentials, and those given do not suffice.
pub(crate) fn apply(
    interface: &Interface,
    operation: &Operation,
    settings: &Settings,
    matches: &ArgMatches,
    request: &mut Request,
) -> Result<(), Failure> {
    let find = |name: &String| interface.schemes.iter().find(|scheme| scheme.name == *name);
    let value = |scheme: &Scheme| {
        let value = matches.get_one::<String>(&scheme.option);
        value.filter(|value| !value.is_empty()).cloned()
    };
    // An alternative without schemes is last, so that credentials are sent if there are any.
    let mut alternatives: Vec<&Vec<String>> = operation.security.iter().collect();
    alternatives.sort_by_key(|schemes| schemes.is_empty());
    for schemes in &alternatives {
        let schemes: Option<Vec<(&Scheme, String)>> = schemes
            .iter()
            .map(|name| find(name).and_then(|scheme| Some((scheme, value(scheme)?))))
            .collect();
        if let Some(schemes) = schemes {
            request.credentials = schemes
                .into_iter()
                .map(|(scheme, value)| Credential {
                    kind: scheme.kind.clone(),
                    value,
                    variable: scheme.variable(settings),
                })
                .collect();
            return Ok(());
        }
    }
    let options = alternatives.iter().map(|schemes| {
        let known = schemes.iter().filter_map(find);
        let options =
            known.map(|scheme| format!("--{} or {}", scheme.option, scheme.variable(settings)));
        options.collect::<Vec<_>>().join(" with ")
    });
    let options: Vec<String> = options.filter(|text| !text.is_empty()).collect();
    match options.is_empty() {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "the command needs credentials: use {}",
            options.join(", or ")
        ))),
    }
}
