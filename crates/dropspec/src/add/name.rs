//! The name of a resource, in the plural and in the singular, and in each form that a template uses.

use anyhow::bail;
use heck::{ToKebabCase, ToLowerCamelCase, ToPascalCase, ToSnakeCase};

/// What a template calls one item.
const SAMPLE: &str = "sample-item";

/// How a plural ends, and its singular: the first row that fits. `None` where nobody knows, as of `status` and `series`.
const SINGULARS: [(&str, Option<&str>); 10] = [
    ("series", None),
    ("ies", Some("y")),
    ("sses", Some("ss")),
    ("xes", Some("x")),
    ("ches", Some("ch")),
    ("shes", Some("sh")),
    ("tuses", Some("tus")),
    ("ss", None),
    ("us", None),
    ("s", Some("")),
];

/// The singular of a plural; `None` where nobody knows.
pub(crate) fn derive_singular(plural: &str) -> Option<String> {
    let derived = SINGULARS.iter().find_map(|(end, singular)| {
        let stem = plural.strip_suffix(end)?;
        Some(singular.map(|end| format!("{stem}{end}")))
    });
    derived.flatten()
}

/// The name of a resource.
#[derive(Debug)]
pub(super) struct Name {
    plural: String,
    singular: String,
}

impl Name {
    /// The name whose plural is given, and its singular where no rule makes it.
    ///
    /// # Errors
    /// The plural has none of the usual ends, and no singular is given.
    pub(super) fn new(plural: &str, singular: Option<&str>) -> anyhow::Result<Name> {
        let singular = singular
            .map(str::to_owned)
            .or_else(|| derive_singular(plural));
        let singular = singular.filter(|it| {
            let it = it.to_snake_case();
            !it.is_empty() && it != plural.to_snake_case()
        });
        let Some(singular) = singular else {
            bail!(
                "`{plural}` does not say what one of them is called: name the resource in the plural, such as `{plural}s`, or add \
                 --singular"
            );
        };
        Ok(Name {
            plural: plural.to_owned(),
            singular,
        })
    }

    /// A text about sample items, as one about this resource.
    pub(super) fn apply(&self, text: &str) -> String {
        let sample = format!("{SAMPLE}s");
        let plurals = forms(&sample).into_iter().zip(forms(&self.plural));
        let singulars = forms(SAMPLE).into_iter().zip(forms(&self.singular));
        let article = if self
            .singular
            .to_lowercase()
            .starts_with(['a', 'e', 'i', 'o'])
        {
            "an"
        } else {
            "a"
        };
        let text = text.replace(" a sample", &format!(" {article} sample"));
        plurals
            .chain(singulars)
            .fold(text, |text, (from, to)| text.replace(&from, &to))
    }
}

/// A name in each form that a template uses.
fn forms(name: &str) -> [String; 6] {
    let words = name.to_snake_case().replace('_', " ");
    let (first, rest) = words.split_at(1);
    [
        name.to_pascal_case(),
        name.to_lower_camel_case(),
        name.to_kebab_case(),
        name.to_snake_case(),
        format!("{}{rest}", first.to_ascii_uppercase()),
        words,
    ]
}
