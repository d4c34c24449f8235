//! Rust names for the names of a document: case, keywords, collisions. It knows no schema.

use std::collections::HashSet;

use deunicode::deunicode_char;
use heck::{ToSnakeCase, ToUpperCamelCase};
use syn::Ident;

/// Keywords of Rust that cannot be raw identifiers, so that names get an underscore instead of `r#`.
const PATH_KEYWORDS: &[&str] = &["crate", "self", "super", "_"];

/// The crates that generated code uses, and `core`, which every crate sees.
pub(crate) const CRATES: &[&str] = &[
    "chrono",
    "core",
    "dropshot",
    "http",
    "schemars",
    "serde",
    "serde_json",
    "dropspec_client",
    "dropspec_runtime",
    "std",
    "uuid",
];

/// The types, traits and variants of the standard prelude of edition 2024, and the traits that Rust itself derives: what a file
/// uses without importing it. A schema with such a name gets the suffix `Schema`, so that it hides none of them.
pub(crate) const PRELUDE: &str = "AsMut AsRef AsyncFn AsyncFnMut AsyncFnOnce Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err \
    ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Future Hash Into IntoFuture IntoIterator Iterator \
    None Ok Option Ord PartialEq PartialOrd Result Self Send Sized Some String Sync ToOwned ToString TryFrom \
    TryInto Unpin Vec";

/// The types of the language, which a module of the same name hides.
const PRIMITIVES: &str =
    "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize";

/// The methods of traits that code calls on every value that can be cloned. A method of the type itself hides them.
const TRAIT_METHODS: [&str; 6] = [
    "clone",
    "clone_from",
    "clone_into",
    "into",
    "to_owned",
    "try_into",
];

/// The constant beside the variants of an enum that lists them.
pub(crate) fn reserve_list() -> HashSet<String> {
    HashSet::from(["ALL".to_owned()])
}

/// The names that no method made of the document may have: these, and those of [`TRAIT_METHODS`].
pub(crate) fn reserve(methods: &[&str]) -> HashSet<String> {
    let all = methods.iter().chain(&TRAIT_METHODS);
    all.map(|name| (*name).to_owned()).collect()
}

/// Converts a name of the document to the name of a Rust type: `pet-status` becomes `PetStatus`. A name in ASCII
/// letters that begins with a capital stays.
pub(crate) fn type_name(name: &str) -> Option<String> {
    let kept = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric());
    let camel = if kept {
        name.to_owned()
    } else {
        replace_signs(name).to_upper_camel_case()
    };
    let name = to_identifier(&camel)?;
    Some(if PRELUDE.split(' ').any(|it| it == name) {
        format!("{name}Schema")
    } else {
        name
    })
}

/// Converts a string of the document to the name of an enum variant.
pub(crate) fn variant_name(value: &str) -> Option<String> {
    let camel = match value {
        "" => "Empty".to_owned(),
        value => replace_signs(value).to_upper_camel_case(),
    };
    let name = to_identifier(&camel)?;
    // Without an underscore, because names of types begin with it.
    Some(if name == "Self" {
        "Itself".to_owned()
    } else {
        name
    })
}

/// Converts a name of the document to the name of a field, argument or function: `petId` becomes `pet_id`.
pub(crate) fn field_name(name: &str) -> Option<String> {
    let snake = to_identifier(&replace_signs(name).to_snake_case())?;
    Some(if PATH_KEYWORDS.contains(&snake.as_str()) {
        format!("{snake}_")
    } else if snake == "gen" || syn::parse_str::<Ident>(&snake).is_err() {
        format!("r#{snake}")
    } else {
        snake
    })
}

/// Converts an operation id to the name of a method. A keyword gets an underscore, because dropshot makes other names of it.
pub(crate) fn method_name(id: &str) -> Option<String> {
    let name = field_name(id)?;
    Some(match name.strip_prefix("r#") {
        Some(keyword) => format!("{keyword}_"),
        None => name,
    })
}

/// Converts a tag or resource to the name of a module, which is the name of its file, too. `mod.rs` would be the file of the
/// module around it, and modules with the names of crates and of types of the language would hide them.
pub(crate) fn module_name(name: &str) -> Option<String> {
    let name = field_name(name)?;
    Some(match stem(&name) {
        "mod" => "mod_".to_owned(),
        of if CRATES.contains(&of) || PRIMITIVES.split(' ').any(|it| it == of) => {
            format!("{name}_")
        }
        _ => name,
    })
}

/// The name of the module that dropshot makes for a trait, where its own name for it would begin with a digit.
pub(crate) fn support_module(trait_name: &str) -> Option<String> {
    let is_marked = trait_name.starts_with('_');
    is_marked.then(|| format!("_{}_mod", trait_name.to_snake_case()))
}

/// A name without what makes a keyword of Rust a name.
pub(crate) fn stem(name: &str) -> &str {
    let name = name.strip_prefix("r#").unwrap_or(name);
    name.strip_suffix('_').unwrap_or(name)
}

/// `name`, or `name2`, `name3`, … if it is already in `taken`. Adds the result to `taken`. A number replaces what a keyword
/// needs: `self_` becomes `self2`, and `r#type` becomes `type2`.
pub(crate) fn make_unique(name: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = name.clone();
    let stem = stem(&name);
    let mut count = 1;
    while !taken.insert(candidate.clone()) {
        count += 1;
        candidate = format!("{stem}{count}");
    }
    candidate
}

/// A name that is not taken: `name`, or else with a suffix.
pub(crate) fn with_suffix(name: &str, suffix: &str, taken: &mut HashSet<String>) -> String {
    if taken.insert(name.to_owned()) {
        name.to_owned()
    } else {
        make_unique(format!("{}{suffix}", stem(name)), taken)
    }
}

/// Replaces `+` and `-` at the start of a name by words, letters beyond ASCII by Latin ones, and other signs by spaces.
fn replace_signs(name: &str) -> String {
    let (sign, rest) = match name.chars().next() {
        Some('+') => ("plus ", &name[1..]),
        Some('-') => ("minus ", &name[1..]),
        Some('$') => ("", &name[1..]),
        _ => ("", name),
    };
    let mut words = sign.to_owned();
    for c in rest.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => words.push(c),
            c if c.is_ascii() => words.push(' '),
            c => {
                let latin = deunicode_char(c).unwrap_or_default();
                let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
                words.extend(latin.chars().map(letters));
            }
        }
    }
    words
}

/// Puts an underscore before a name that begins with a digit; `None` for an empty name.
pub(crate) fn to_identifier(name: &str) -> Option<String> {
    let first = name.chars().next()?;
    Some(if first.is_ascii_digit() {
        format!("_{name}")
    } else {
        name.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_replaces_what_a_keyword_needs() {
        for (name, second) in [("pet", "pet2"), ("self_", "self2"), ("r#type", "type2")] {
            let mut taken = HashSet::from([name.to_owned()]);
            assert_eq!(make_unique(name.to_owned(), &mut taken), second);
        }
    }

    #[test]
    fn names_of_documents_become_rust_names() {
        for (document, rust) in [
            ("petId", "pet_id"),
            ("type", "r#type"),
            ("self", "self_"),
            ("Idempotency-Key", "idempotency_key"),
            ("+1", "plus_1"),
            ("-1", "minus_1"),
            ("2fa", "_2fa"),
            ("$ref", "r#ref"),
        ] {
            assert_eq!(field_name(document).unwrap(), rust, "{document}");
        }
        assert_eq!(method_name("type").unwrap(), "type_");
        for (document, rust) in [
            ("Open Shelves", "open_shelves"),
            ("mod", "mod_"),
            ("MOD", "mod_"),
            ("self", "self_"),
            ("super", "super_"),
            ("crate", "crate_"),
            ("type", "r#type"),
            ("lib", "lib"),
            ("main", "main"),
            ("HTTP", "http_"),
        ] {
            assert_eq!(module_name(document).unwrap(), rust, "{document}");
        }
        assert_eq!(module_name(""), None);
        assert_eq!(type_name("pet-status").unwrap(), "PetStatus");
        assert_eq!(type_name("UUIDs").unwrap(), "UUIDs");
        assert_eq!(type_name("Option").unwrap(), "OptionSchema");
        assert_eq!(type_name("from").unwrap(), "FromSchema");
        assert_eq!(type_name("Hash").unwrap(), "HashSchema");
        assert_eq!(variant_name("").unwrap(), "Empty");
        assert_eq!(variant_name("self").unwrap(), "Itself");
        assert_eq!(field_name("___"), None, "no letter or digit");
        assert_eq!(type_name("größe").unwrap(), "Grosse");
        assert_eq!(type_name("名前").unwrap(), "MingQian");
    }
}
