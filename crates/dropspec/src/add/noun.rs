//! The nouns of resources: their singular and plural, and how identifiers and texts write them.

use heck::ToSnakeCase;

/// What a resource is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Noun {
    /// The words of its plural, in small letters.
    pub(super) plural: Vec<String>,
    /// The words of its singular.
    pub(super) singular: Vec<String>,
}

/// A way to write several words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// `petReview`
    Camel,
    /// `PetReview`
    Pascal,
    /// `pet_review`
    Snake,
    /// `pet-review`
    Kebab,
    /// `PET_REVIEW`
    Screaming,
    /// `pet review`
    Text,
    /// `Pet review`
    Sentence,
}

impl Noun {
    /// A noun by its plural, such as `pet-reviews`.
    pub(super) fn of_plural(plural: &str) -> Noun {
        let plural = words(plural);
        let mut singular = plural.clone();
        if let Some(last) = singular.last_mut() {
            *last = singular_of(last);
        }
        Noun { plural, singular }
    }

    pub(super) fn singular(&self, case: Case) -> String {
        case.write(&self.singular)
    }

    pub(super) fn plural(&self, case: Case) -> String {
        case.write(&self.plural)
    }

    /// The singular with its article: `a review`, `an order`.
    pub(super) fn with_article(&self) -> String {
        let text = self.singular(Case::Text);
        format!("{} {text}", article(&text))
    }
}

impl Case {
    /// All cases.
    pub(super) const ALL: [Case; 7] = [
        Case::Camel,
        Case::Pascal,
        Case::Snake,
        Case::Kebab,
        Case::Screaming,
        Case::Text,
        Case::Sentence,
    ];

    /// Writes words in this case.
    pub(super) fn write(self, words: &[String]) -> String {
        match self {
            Case::Snake => words.join("_"),
            Case::Kebab => words.join("-"),
            Case::Text => words.join(" "),
            Case::Sentence => capitalized(&words.join(" ")),
            Case::Screaming => words.join("_").to_ascii_uppercase(),
            Case::Pascal => words.iter().map(|word| capitalized(word)).collect(),
            Case::Camel => {
                let pascal = Case::Pascal.write(words);
                let first = words.first().map_or(0, String::len);
                pascal[..first].to_ascii_lowercase() + &pascal[first..]
            }
        }
    }

    /// The case of most of the identifiers that have several words.
    pub(super) fn of_most<'n>(names: impl Iterator<Item = &'n str>) -> Option<Case> {
        let cases = [Case::Camel, Case::Pascal, Case::Snake, Case::Kebab];
        let mut counts = [0_usize; 4];
        for name in names {
            let parts = words(name);
            let written = cases.iter().position(|case| case.write(&parts) == name);
            if let (Some(index), true) = (written, parts.len() > 1) {
                counts[index] += 1;
            }
        }
        let most = counts.iter().copied().max().filter(|most| *most > 0)?;
        cases
            .into_iter()
            .zip(counts)
            .find_map(|(case, count)| (count == most).then_some(case))
    }
}

/// The words of an identifier or a text, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let snake = text.to_snake_case();
    let words = snake.split(|sign: char| !sign.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `a` or `an`, by the sound with which a text begins.
pub(super) fn article(text: &str) -> &'static str {
    let text = text.to_ascii_lowercase();
    let sounds_like_a_consonant = ["uni", "use", "usa", "eu", "one", "uti"];
    let silent_h = ["hour", "honest", "heir"];
    let begins = |with: &[&str]| with.iter().any(|it| text.starts_with(it));
    let is_vowel = text.starts_with(['a', 'e', 'i', 'o', 'u']) && !begins(&sounds_like_a_consonant);
    if is_vowel || begins(&silent_h) {
        "an"
    } else {
        "a"
    }
}

/// A text with a capital first letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut signs = text.chars();
    let first = signs
        .next()
        .map(|sign| sign.to_uppercase().collect::<String>());
    first.unwrap_or_default() + signs.as_str()
}

/// Plurals that no ending explains.
const IRREGULAR: [(&str, &str); 24] = [
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("mice", "mouse"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("geese", "goose"),
    ("criteria", "criterion"),
    ("indices", "index"),
    ("matrices", "matrix"),
    ("vertices", "vertex"),
    ("appendices", "appendix"),
    ("leaves", "leaf"),
    ("shelves", "shelf"),
    ("wolves", "wolf"),
    ("knives", "knife"),
    ("lives", "life"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("selfies", "selfie"),
    ("shoes", "shoe"),
    ("series", "series"),
    ("species", "species"),
];

/// Ends of plurals, and what stands there in the singular; the first that fits applies.
const ENDINGS: [(&str, &str); 13] = [
    ("yses", "ysis"),
    ("sses", "ss"),
    ("tuses", "tus"),
    ("ruses", "rus"),
    ("buses", "bus"),
    ("iases", "ias"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ies", "y"),
    ("oes", "o"),
    ("news", "news"),
    ("s", ""),
];

/// The singular of an English word.
fn singular_of(word: &str) -> String {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return (*singular).to_owned();
    }
    if ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    let mut endings = ENDINGS.iter();
    let found = endings.find_map(|(plural, singular)| {
        let stem = word.strip_suffix(plural)?;
        // `ties` and `dies` have another singular than `cities`.
        (stem.len() > 1 || *plural == "s").then(|| format!("{stem}{singular}"))
    });
    found
        .filter(|it| !it.is_empty())
        .unwrap_or_else(|| word.to_owned())
}

/// A plural of an English word, to suggest it.
pub(super) fn plural_of(word: &str) -> String {
    let after_vowel = || {
        let before = word.chars().rev().nth(1);
        before.is_some_and(|sign| "aeiou".contains(sign))
    };
    if word.ends_with('y') && !after_vowel() {
        return format!("{}ies", &word[..word.len() - 1]);
    }
    if ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end)) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_follows_the_ending_of_the_plural() {
        for (plural, singular) in [
            ("reviews", "review"),
            ("categories", "category"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("branches", "branch"),
            ("cases", "case"),
            ("statuses", "status"),
            ("analyses", "analysis"),
            ("heroes", "hero"),
            ("people", "person"),
            ("series", "series"),
            ("status", "status"),
            ("ties", "tie"),
            ("pet-reviews", "pet review"),
            ("UserAddresses", "user address"),
        ] {
            assert_eq!(Noun::of_plural(plural).singular(Case::Text), singular);
        }
    }

    #[test]
    fn noun_is_written_in_each_case() {
        let noun = Noun::of_plural("pet_reviews");
        let written = Case::ALL.map(|case| noun.singular(case));
        assert_eq!(
            written.join(", "),
            "petReview, PetReview, pet_review, pet-review, PET_REVIEW, pet review, Pet review"
        );
    }

    #[test]
    fn article_follows_the_sound() {
        for (text, expected) in [
            ("review", "a"),
            ("order", "an"),
            ("user", "a"),
            ("hour", "an"),
            ("unit", "a"),
        ] {
            assert_eq!(article(text), expected, "{text}");
        }
    }

    #[test]
    fn case_of_most_names_ignores_single_words() {
        let names = ["id", "name", "pet_id", "ship_date", "shipDate"];
        assert_eq!(Case::of_most(names.into_iter()), Some(Case::Snake));
        assert_eq!(Case::of_most(["id", "name"].into_iter()), None);
    }
}
