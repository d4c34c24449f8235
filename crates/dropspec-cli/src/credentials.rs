//! Chooses the credentials of a request among those that are given.

use dropspec_client::Credentials;

use crate::console::Failure;
use crate::invocation::Invocation;
use crate::schemes::Scheme;

/// The credentials of the first of these alternatives of which all are given.
pub(crate) fn choose(
    invocation: &Invocation<'_>,
    security: &[Vec<usize>],
) -> Result<Credentials, Failure> {
    let schemes = &invocation.interface.schemes;
    let mut given = Credentials::default();
    for (position, scheme) in schemes.iter().enumerate() {
        let value = invocation.text(&scheme.option);
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            given.set(position, scheme.kind, value);
        }
    }
    let first = security.iter().flatten().next();
    let chosen = given.choose(security);
    match (chosen, first) {
        (Some(chosen), _) => Ok(chosen),
        (None, None) => Ok(Credentials::default()),
        (None, Some(first)) => {
            let name = |position: usize| {
                let Scheme {
                    option, variable, ..
                } = &schemes[position];
                format!("--{option}, {variable}")
            };
            Err(Failure::Usage(format!(
                "the command needs credentials: use {}{}",
                given.describe_missing(security, name),
                invocation.profile.way_to_set(&schemes[*first].option)
            )))
        }
    }
}
