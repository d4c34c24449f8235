//! serde's `rename_all`: which rule, if any, spells every name as it is on the wire.

/// A rule of serde's `rename_all`, applied to Rust names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameRule {
    /// `lowercase`
    Lower,
    /// `UPPERCASE`
    Upper,
    /// `camelCase`
    Camel,
    /// `PascalCase`
    Pascal,
    /// `snake_case`
    Snake,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
    /// `kebab-case`
    Kebab,
}

impl RenameRule {
    const ALL: [RenameRule; 7] = [
        RenameRule::Lower,
        RenameRule::Snake,
        RenameRule::Camel,
        RenameRule::Kebab,
        RenameRule::Pascal,
        RenameRule::Upper,
        RenameRule::ScreamingSnake,
    ];

    /// As serde spells it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            RenameRule::Lower => "lowercase",
            RenameRule::Upper => "UPPERCASE",
            RenameRule::Camel => "camelCase",
            RenameRule::Pascal => "PascalCase",
            RenameRule::Snake => "snake_case",
            RenameRule::ScreamingSnake => "SCREAMING_SNAKE_CASE",
            RenameRule::Kebab => "kebab-case",
        }
    }

    /// The rule that turns every variant into its name on the wire.
    pub(crate) fn of_variants<'n>(
        names: impl Iterator<Item = (&'n str, &'n str)> + Clone,
    ) -> Option<RenameRule> {
        RenameRule::ALL.into_iter().find(|rule| {
            names
                .clone()
                .all(|(rust, wire)| rule.of_variant(rust) == wire)
        })
    }

    /// The rule that turns every field into its name on the wire.
    pub(crate) fn of_fields<'n>(
        names: impl Iterator<Item = (&'n str, &'n str)> + Clone,
    ) -> Option<RenameRule> {
        RenameRule::ALL.into_iter().find(|rule| {
            names
                .clone()
                .all(|(rust, wire)| rule.of_field(rust.trim_start_matches("r#")) == wire)
        })
    }

    fn of_variant(self, name: &str) -> String {
        let snake = || {
            let mut snake = String::new();
            for (index, c) in name.char_indices() {
                if index > 0 && c.is_uppercase() {
                    snake.push('_');
                }
                snake.push(c.to_ascii_lowercase());
            }
            snake
        };
        match self {
            RenameRule::Lower => name.to_ascii_lowercase(),
            RenameRule::Upper => name.to_ascii_uppercase(),
            RenameRule::Camel => lower_first(name),
            RenameRule::Pascal => name.to_owned(),
            RenameRule::Snake => snake(),
            RenameRule::ScreamingSnake => snake().to_ascii_uppercase(),
            RenameRule::Kebab => snake().replace('_', "-"),
        }
    }

    fn of_field(self, name: &str) -> String {
        let pascal = || {
            let mut pascal = String::new();
            let mut capitalize = true;
            for c in name.chars() {
                if c == '_' {
                    capitalize = true;
                } else if capitalize {
                    pascal.push(c.to_ascii_uppercase());
                    capitalize = false;
                } else {
                    pascal.push(c);
                }
            }
            pascal
        };
        match self {
            RenameRule::Lower | RenameRule::Snake => name.to_owned(),
            RenameRule::Upper | RenameRule::ScreamingSnake => name.to_ascii_uppercase(),
            RenameRule::Camel => lower_first(&pascal()),
            RenameRule::Pascal => pascal(),
            RenameRule::Kebab => name.replace('_', "-"),
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_rule_is_found_only_if_it_fits_every_name() {
        let camel = [("pet_id", "petId"), ("name", "name")];
        assert_eq!(
            RenameRule::of_fields(camel.into_iter()),
            Some(RenameRule::Camel)
        );
        let mixed = [("pet_id", "petId"), ("url_path", "URLPath")];
        assert_eq!(RenameRule::of_fields(mixed.into_iter()), None);
        let kebab = [("InProgress", "in-progress"), ("Done", "done")];
        assert_eq!(
            RenameRule::of_variants(kebab.into_iter()),
            Some(RenameRule::Kebab)
        );
    }
}
