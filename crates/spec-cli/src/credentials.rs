//! Chooses the credentials of a request, by what its operation demands.

use clap::ArgMatches;

use crate::document::Interface;
use crate::failure::Failure;
use crate::operation::Operation;
use crate::request::{Credential, Request};
use crate::schemes::Scheme;
use crate::settings::Settings;
use crate::sources::Sources;

/// Adds the credentials of the first alternative of which all are given.
///
/// # Errors
/// The operation demands credentials, and those given do not suffice.
pub(crate) fn apply(
    interface: &Interface,
    operation: &Operation,
    settings: &Settings,
    matches: &ArgMatches,
    sources: &Sources,
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
            let credentials = schemes.into_iter().map(|(scheme, value)| Credential {
                kind: scheme.kind.clone(),
                value,
                variable: scheme.variable(settings),
            });
            request.credentials = combine(credentials)?;
            return Ok(());
        }
    }
    let options = alternatives.iter().map(|schemes| {
        let known = schemes.iter().filter_map(find);
        let options =
            known.map(|scheme| format!("--{}, {}", scheme.option, scheme.variable(settings)));
        options.collect::<Vec<_>>().join(" with ")
    });
    let options: Vec<String> = options.filter(|text| !text.is_empty()).collect();
    let Some(first) = alternatives
        .iter()
        .find_map(|schemes| schemes.first())
        .and_then(find)
        .filter(|_| !options.is_empty())
    else {
        return Ok(());
    };
    Err(Failure::Usage(format!(
        "the command needs credentials: use {}{}",
        options.join(", or "),
        sources.in_profile(&first.option)
    )))
}

/// The credentials, of which those for one place are one: two schemes may take the same token.
fn combine(credentials: impl Iterator<Item = Credential>) -> Result<Vec<Credential>, Failure> {
    let mut combined: Vec<Credential> = Vec::new();
    for credential in credentials {
        let place = credential.kind.place();
        match combined.iter().find(|it| it.kind.place() == place) {
            None => combined.push(credential),
            Some(other) if (&other.kind, &other.value) == (&credential.kind, &credential.value) => {
            }
            Some(other) => {
                let (one, two) = (&other.variable, &credential.variable);
                return Err(Failure::Usage(format!(
                    "the operation requires two credentials in one place, which has room for one: {one} and {two}; if one \
                     token serves for both, set both to it"
                )));
            }
        }
    }
    Ok(combined)
}

#[cfg(test)]
mod tests {
    use super::combine;
    use crate::request::Credential;
    use crate::schemes::Kind;

    fn credential(kind: Kind, value: &str, variable: &str) -> Credential {
        Credential {
            kind,
            value: value.to_owned(),
            variable: variable.to_owned(),
        }
    }

    #[test]
    fn one_token_for_two_schemes_is_sent_once() {
        let bearer = |variable| credential(Kind::Token("Bearer".to_owned()), "abc", variable);
        let key = credential(Kind::Header("X-Key".to_owned()), "abc", "KEY");
        let combined = combine([bearer("ONE"), key, bearer("TWO")].into_iter());
        let combined = combined.map_err(|it| it.to_string()).expect("it fits");
        let variables: Vec<&str> = combined.iter().map(|it| it.variable.as_str()).collect();
        assert_eq!(variables, ["ONE", "KEY"]);
    }

    #[test]
    fn two_credentials_for_one_header_are_refused() {
        for (kind, value) in [
            (Kind::Basic, "abc"),
            (Kind::Token("Bearer".to_owned()), "def"),
        ] {
            let bearer = credential(Kind::Token("Bearer".to_owned()), "abc", "ONE");
            let refused = combine([bearer, credential(kind, value, "TWO")].into_iter());
            let refused = refused.err().map(|it| it.to_string()).unwrap_or_default();
            assert!(refused.contains("ONE and TWO"), "{refused}");
        }
    }
}
