//! The scopes of an API key.

/// The scopes that an API key has been granted: all, or those of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyScopes(Option<Vec<String>>);

impl KeyScopes {
    /// All scopes, also those that the document will declare later.
    pub const ALL: KeyScopes = KeyScopes(None);

    /// These scopes only; without any, the key may call what needs none.
    pub fn only(scopes: impl IntoIterator<Item = String>) -> KeyScopes {
        KeyScopes(Some(scopes.into_iter().collect()))
    }

    /// Whether a scope is among them.
    pub fn has(&self, scope: &str) -> bool {
        let list = self.0.as_ref();
        list.is_none_or(|list| list.iter().any(|granted| granted == scope))
    }

    /// The list; `None` if it is all scopes.
    pub fn list(&self) -> Option<&[String]> {
        self.0.as_deref()
    }

    /// The text in the database.
    pub(super) fn to_column(&self) -> Option<String> {
        self.0.as_ref().map(|list| list.join(" "))
    }

    pub(super) fn of_column(text: Option<&str>) -> KeyScopes {
        KeyScopes(text.map(|text| text.split_whitespace().map(str::to_owned).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_survive_the_database() {
        let some = || KeyScopes::only(["read".to_owned(), "write:all".to_owned()]);
        for scopes in [KeyScopes::ALL, KeyScopes::only([]), some()] {
            let stored = KeyScopes::of_column(scopes.to_column().as_deref());
            assert_eq!(stored, scopes);
        }
        assert!(KeyScopes::ALL.has("read") && some().has("write:all"));
        assert!(!some().has("write") && !KeyScopes::only([]).has("read"));
    }
}
