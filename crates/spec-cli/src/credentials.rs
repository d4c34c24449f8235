//! Chooses the credentials of a request, by what its operation demands.

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::operation::Operation;
use crate::request::Credential;

/// The credentials of the first alternative of which all are given.
///
/// # Errors
/// The operation demands credentials, and those given do not suffice.
pub(crate) fn choose(
    invocation: &Invocation<'_>,
    operation: &Operation,
) -> Result<Vec<Credential>, Failure> {
    let schemes = &invocation.interface.schemes;
    let find = |name: &String| schemes.iter().find(|scheme| scheme.name == *name);
    let credential = |name: &String| {
        let scheme = find(name)?;
        let value = invocation.text(&scheme.option)?;
        Some(Credential {
            kind: scheme.kind.clone(),
            value: Some(value).filter(|it| !it.is_empty())?.to_owned(),
            variable: scheme.variable.clone(),
        })
    };
    // An alternative without schemes is last, so that credentials are sent if there are any.
    let mut alternatives: Vec<&Vec<String>> = operation.security.iter().collect();
    alternatives.sort_by_key(|names| names.is_empty());
    let mut complete = alternatives
        .iter()
        .filter_map(|names| names.iter().map(credential).collect::<Option<Vec<_>>>());
    if let Some(credentials) = complete.next() {
        return combine(credentials);
    }
    let ways = alternatives.iter().filter_map(|names| {
        let schemes = names.iter().filter_map(find);
        let options = schemes.map(|scheme| format!("--{}, {}", scheme.option, scheme.variable));
        let options: Vec<String> = options.collect();
        (!options.is_empty()).then(|| options.join(" with "))
    });
    let ways: Vec<String> = ways.collect();
    let Some(first) = alternatives
        .iter()
        .flat_map(|names| names.iter())
        .find_map(find)
    else {
        return Ok(Vec::new());
    };
    Err(Failure::Usage(format!(
        "the command needs credentials: use {}{}",
        ways.join(", or "),
        invocation.sources.in_profile(&first.option)
    )))
}

/// The credentials, of which those for one place are one: two schemes may take the same token.
fn combine(credentials: Vec<Credential>) -> Result<Vec<Credential>, Failure> {
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
        let combined = combine(vec![bearer("ONE"), key, bearer("TWO")]);
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
            let refused = combine(vec![bearer, credential(kind, value, "TWO")]);
            let refused = refused.err().map(|it| it.to_string()).unwrap_or_default();
            assert!(refused.contains("ONE and TWO"), "{refused}");
        }
    }
}
