//! Finds properties that were replaced by another one: of the same schema, and of a similar name or the same description.

use std::collections::BTreeMap;

use strsim::damerau_levenshtein;

use super::SchemaPair;
use crate::edit::{Edit, take_closest};
use crate::finding::Side;
use crate::rules::{Role, change, rule};
use crate::schema::{Aspect, Schema, SetId, same_schema};

/// Of more pairs of properties, the object became another one, and which of them is which is not looked for.
const MOST_COMPARED: usize = 10_000;

impl<'d> SchemaPair<'_, 'd> {
    /// Pairs removed properties with added ones, those with the most similar names first.
    pub(super) fn find_renamed(&mut self) -> Vec<(&'d str, &'d str)> {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let only = |own: &BTreeMap<&'d str, SetId>, other: &BTreeMap<&'d str, SetId>| {
            let only = own.iter().filter(|(name, _)| !other.contains_key(*name));
            only.map(|(name, set)| (*name, *set)).collect::<Vec<_>>()
        };
        let mut removed = only(&base.properties, &revision.properties);
        let mut added = only(&revision.properties, &base.properties);
        let pairs = removed.len() * added.len();
        if self.one_way().is_some() || pairs == 0 || pairs > MOST_COMPARED {
            return Vec::new();
        }
        removed.retain(|(_, old)| {
            let property = self.documents.base.get(*old);
            self.is_exchanged(&property)
        });
        let (schemas, others) = (&mut *self.documents.base, &mut *self.documents.revision);
        let pairs = take_closest(&mut removed, &mut added, |(was, old), (is, new)| {
            let is_same = same_schema(schemas, old, others, new, Aspect::Validity);
            let (old, new) = (schemas.get(old), others.get(new));
            let distance = distance(was, is).filter(|_| is_same);
            distance
                .or_else(|| (is_same && have_same_description(&old, &new)).then_some(usize::MAX))
        });
        let names = pairs.into_iter().map(|((was, _), (is, _))| (was, is));
        names.collect()
    }

    /// Whether requests or responses, whichever the schema is part of, contain a property.
    fn is_exchanged(&self, property: &Schema<'_>) -> bool {
        match self.context.role.inner() {
            Role::RequestProperty => !property.read_only,
            Role::ResponseProperty => !property.write_only,
            _ => true,
        }
    }

    /// Reports a property that was replaced by another one, as one edit.
    pub(super) fn report_renamed_property(&mut self, was: &'d str, is: &'d str) {
        let (old, new) = (self.base.properties[was], self.revision.properties[is]);
        let removed = self.find_property(was, old, Side::Base);
        let added = self.find_property(is, new, Side::Revision);
        let edit = Edit::changed(removed, added).item(format!("{was} → {is}"));
        let rule = match self.context.role.inner() {
            Role::RequestProperty => rule!("request-property-renamed"),
            Role::ResponseProperty => rule!("response-property-renamed"),
            _ => self.context.role.rule(change!("property-renamed")),
        };
        let what = format!("the property `{was}` became `{is}`");
        self.report_rule(rule, edit.clone(), &what);
        self.report_removed_property(was, old, edit.clone());
        self.report_added_property(is, new, edit);
    }
}

/// How many letters make one name the other, without case and separators, if the names are alike: one begins or ends with
/// the words of the other, the words are the same but for their ends (`ship_date`, `shippingDate`), or few letters differ.
fn distance(was: &str, is: &str) -> Option<usize> {
    let (old, new) = (split_words(was), split_words(is));
    let (was, is) = (old.concat(), new.concat());
    let distance = damerau_levenshtein(&was, &is);
    let (short, long) = if old.len() <= new.len() {
        (&old, &new)
    } else {
        (&new, &old)
    };
    let differ_in_ends = old.len() == new.len()
        && old.iter().zip(&new).all(|(a, b)| {
            let least = a.len().min(b.len());
            a == b || least >= 4 && (a.starts_with(b.as_str()) || b.starts_with(a.as_str()))
        });
    let digits = |name: &str| name.replace(|c: char| !c.is_numeric(), "");
    let is_alike = long.starts_with(short)
        || long.ends_with(short)
        || differ_in_ends
        || 5 * distance <= was.len().min(is.len()) && digits(&was) == digits(&is);
    (is_alike && !short.is_empty()).then_some(distance)
}

/// The words of a name in lower case and in the singular: `petIDs` has `pet` and `id`.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (before.is_lowercase() && c.is_uppercase()) {
            words.push(String::new());
        }
        let letters = c.to_lowercase().filter(|it| it.is_alphanumeric());
        words
            .last_mut()
            .into_iter()
            .for_each(|word| word.extend(letters.clone()));
        before = c;
    }
    let words = words.into_iter().filter(|word| !word.is_empty());
    let singular = |word: String| word.strip_suffix('s').map(str::to_owned).unwrap_or(word);
    words.map(singular).collect()
}

/// Whether two properties are described by the same sentence. A few words could describe anything.
fn have_same_description(old: &Schema<'_>, new: &Schema<'_>) -> bool {
    let description = old.extension("description");
    let is_sentence = |text: &String| text.split_whitespace().count() >= 5;
    description.as_ref().is_some_and(is_sentence) && description == new.extension("description")
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn names_are_alike_where_one_was_made_of_the_other() {
        for (was, is) in [
            ("petName", "pet_name"),
            ("tag", "tags"),
            ("color", "colour"),
            ("name", "petName"),
            ("owner", "ownerId"),
            ("shipDate", "shippingDate"),
            ("user-ID", "userIds"),
        ] {
            assert!(distance(was, is).is_some(), "{was} {is}");
        }
        for (was, is) in [
            ("Id", "Address"),
            ("createdAt", "updatedAt"),
            ("firstName", "lastName"),
            ("minValue", "maxValue"),
            ("address1", "address2"),
            ("size", "site"),
            ("longitude", "latitude"),
            ("", "name"),
        ] {
            assert!(distance(was, is).is_none(), "{was} {is}");
        }
    }
}
