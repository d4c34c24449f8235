//! Replaces the noun of one resource by that of another, in identifiers and in texts.

use super::noun::{Case, Noun, article};

/// How a resource is called that is copied, and how its copy is called.
#[derive(Debug, Clone)]
pub(super) struct Renaming {
    /// What is replaced, in each case, the longest first.
    forms: Vec<Form>,
}

/// A noun in one case.
#[derive(Debug, Clone)]
struct Form {
    from: String,
    case: Case,
    /// The words that take its place.
    to: Vec<String>,
    /// How a word in small letters is written where neither side says it.
    default: Case,
}

impl Renaming {
    /// Replaces `from` by `to`. Names of properties have the case `properties`.
    pub(super) fn new(from: &Noun, to: &Noun, properties: Case) -> Renaming {
        let numbers = [(&from.plural, &to.plural), (&from.singular, &to.singular)];
        let mut forms: Vec<Form> = Vec::new();
        for (old, new) in numbers {
            for case in Case::ALL {
                let written = case.write(old);
                let is_new = forms.iter().all(|form| form.from != written);
                if is_new && !written.is_empty() {
                    forms.push(Form {
                        from: written,
                        case,
                        to: new.clone(),
                        default: properties,
                    });
                }
            }
        }
        forms.sort_by_key(|form| std::cmp::Reverse(form.from.len()));
        Renaming { forms }
    }

    /// Whether a text has the noun.
    pub(super) fn applies(&self, text: &str) -> bool {
        self.apply(text) != text
    }

    /// The text with the other noun.
    pub(super) fn apply(&self, text: &str) -> String {
        let is_prose = text.contains(' ');
        let mut renamed = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(sign) = text[at..].chars().next() {
            let found = self.forms.iter().find(|form| form.is_at(text, at));
            let Some(form) = found else {
                renamed.push(sign);
                at += sign.len_utf8();
                continue;
            };
            let end = at + form.from.len();
            let case = form.case_at(text, at, end, is_prose);
            let new = case.write(&form.to);
            correct_article(&mut renamed, &new);
            renamed.push_str(&new);
            at = end;
        }
        renamed
    }
}

impl Form {
    /// Whether the noun stands here as a word of its own, and not as a part of another.
    fn is_at(&self, text: &str, at: usize) -> bool {
        if !text[at..].starts_with(&self.from) {
            return false;
        }
        let before = text[..at].chars().next_back();
        let after = text[at + self.from.len()..].chars().next();
        let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
        let is_small = |sign: Option<char>| sign.is_some_and(char::is_lowercase);
        let begins = match self.case {
            Case::Pascal | Case::Sentence => !before.is_some_and(char::is_uppercase),
            _ => !is_letter(before),
        };
        let ends = match self.case {
            Case::Screaming => !is_letter(after),
            _ => !is_small(after),
        };
        begins && ends
    }

    /// The case of what takes its place. A single word does not say it: what is around it does.
    fn case_at(&self, text: &str, at: usize, end: usize, is_prose: bool) -> Case {
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        let is_beside = |sign: char| before == Some(sign) || after == Some(sign);
        let is_single = !self.from.contains([' ', '_', '-']);
        match self.case {
            Case::Screaming => Case::Screaming,
            _ if is_beside('_') => {
                if self.from.starts_with(char::is_uppercase) {
                    Case::Pascal
                } else {
                    Case::Snake
                }
            }
            Case::Pascal | Case::Sentence
                if is_prose && !before.is_some_and(char::is_alphanumeric) =>
            {
                Case::Sentence
            }
            Case::Pascal | Case::Sentence => Case::Pascal,
            _ if after.is_some_and(char::is_uppercase) => Case::Camel,
            _ if is_single && is_beside('-') => Case::Kebab,
            _ if is_prose => Case::Text,
            Case::Camel if is_single => self.default,
            case => case,
        }
    }
}

/// Corrects the article before a noun: `a category` becomes `an order`.
fn correct_article(text: &mut String, noun: &str) {
    for old in ["a", "an", "A", "An"] {
        let Some(start) = text.strip_suffix(' ').and_then(|it| it.strip_suffix(old)) else {
            continue;
        };
        if start.chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let new = article(noun);
        let new = if old.starts_with('A') {
            super::noun::capitalized(new)
        } else {
            new.to_owned()
        };
        *text = format!("{start}{new} ");
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(to: &str, text: &str) -> String {
        let from = Noun::of_plural("categories");
        Renaming::new(&from, &Noun::of_plural(to), Case::Camel).apply(text)
    }

    #[test]
    fn noun_is_replaced_in_identifiers_of_each_case() {
        for (text, expected) in [
            ("listCategories", "listPetReviews"),
            ("CategoryNotFound", "PetReviewNotFound"),
            ("categoryId", "petReviewId"),
            ("category_not_found", "pet_review_not_found"),
            ("category-id", "pet-review-id"),
            ("CATEGORY_ID", "PET_REVIEW_ID"),
            ("categories", "petReviews"),
            ("Categories", "PetReviews"),
        ] {
            assert_eq!(renamed("pet-reviews", text), expected);
        }
    }

    #[test]
    fn noun_is_replaced_in_texts_with_its_article() {
        for (text, expected) in [
            ("There is no such category.", "There is no such order item."),
            ("A category to create", "An order item to create"),
            (
                "Category 1 is a category.",
                "Order item 1 is an order item.",
            ),
            ("Banana category", "Banana order item"),
        ] {
            assert_eq!(renamed("order-items", text), expected);
        }
    }

    #[test]
    fn parts_of_other_words_stay() {
        for text in ["subcategory", "categoryless", "a cat", ""] {
            assert_eq!(renamed("reviews", text), text);
        }
    }
}
