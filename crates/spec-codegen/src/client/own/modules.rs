//! Splits the builders into files by tag where one file would be too long.

use std::collections::HashSet;

use indexmap::IndexMap;
use quote::quote;

use crate::client::own::calls::{Call, ClientPlan};
use crate::client::own::{builders, paths};
use crate::names;
use crate::settings::Settings;
use crate::source::ident;
use crate::{GeneratedFile, Part};

/// How many lines a file has at most, about.
const MAX_LINES: usize = 4000;

/// The file of all builders, or a file for each tag and one that lists them.
pub(super) fn split_builders(settings: &Settings, plan: &ClientPlan<'_>) -> Vec<GeneratedFile> {
    let file = |name: String, tokens| {
        let tokens = paths::relocate(tokens);
        settings.rust_file(Part::Client, &name, tokens)
    };
    let all: Vec<&Call<'_>> = plan.calls.iter().collect();
    if let [_] = split_by_lines(&all, |call| count_lines(call)).as_slice() {
        let builders = builders::render(&all);
        let tokens = quote! {
            //! The requests of the client.

            #builders
        };
        return vec![file("client/builder.rs".to_owned(), tokens)];
    }
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for (name, title, calls) in group(&all) {
        let docs = match title {
            Some(tag) => format!(" Requests of the operations with the tag `{tag}`."),
            None => " Requests of the operations without a tag.".to_owned(),
        };
        let builders = builders::render(&calls);
        let tokens = quote!(#![doc = #docs] #builders);
        files.push(file(
            format!("client/builder/{}.rs", name.trim_start_matches("r#")),
            tokens,
        ));
        let name = ident(&name);
        modules.push(quote!(mod #name; pub use #name::*;));
    }
    let tokens = quote! {
        //! The requests of the client, in a module for each tag.

        #(#modules)*
    };
    files.push(file("client/builder.rs".to_owned(), tokens));
    files
}

/// Groups calls by their first tags, in pieces that are short enough. Each group has the name of its module and the tag.
fn group<'c, 'a>(calls: &[&'c Call<'a>]) -> Vec<(String, Option<&'c str>, Vec<&'c Call<'a>>)> {
    let mut by_tag: IndexMap<Option<&str>, Vec<&Call<'_>>> = IndexMap::new();
    for call in calls {
        let tag = call.operation.tags.first().map(String::as_str);
        by_tag.entry(tag).or_default().push(call);
    }
    let mut taken = HashSet::new();
    let mut groups = Vec::new();
    for (tag, calls) in by_tag {
        for piece in split_by_lines(&calls, |call| count_lines(call)) {
            let name = tag.and_then(names::field_name);
            let name = name.unwrap_or_else(|| "untagged".to_owned());
            groups.push((names::make_unique(name, &mut taken), tag, piece.to_vec()));
        }
    }
    groups
}

/// Splits items into pieces of files that are short enough, in their order; at least one. `lines` tells how many lines an
/// item has, about.
pub(super) fn split_by_lines<T>(items: &[T], lines: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut pieces = Vec::new();
    let (mut start, mut sum) = (0, 0);
    for (index, item) in items.iter().enumerate() {
        let more = lines(item);
        if sum + more > MAX_LINES && index > start {
            pieces.push(&items[start..index]);
            (start, sum) = (index, 0);
        }
        sum += more;
    }
    pieces.push(&items[start..]);
    pieces
}

/// How many lines documentation has, about.
pub(super) fn count_doc_lines(docs: &str) -> usize {
    docs.lines().map(|line| 1 + line.len() / 90).sum()
}

/// How many lines the builder and the method of a call have, about.
fn count_lines(call: &Call<'_>) -> usize {
    let setters = call
        .setters
        .iter()
        .map(|setter| 7 + count_doc_lines(&setter.docs));
    let forms = call.success.forms.len() + call.error.forms.len();
    45 + count_doc_lines(&call.operation.description) + setters.sum::<usize>() + forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_short_and_keep_the_order() {
        let half = MAX_LINES / 2;
        let split = |lines: &[usize]| split_by_lines(lines, |lines| *lines).concat();
        let count = |lines: &[usize]| split_by_lines(lines, |lines| *lines).len();
        assert_eq!(count(&[]), 1);
        assert_eq!(count(&[half, half]), 1);
        assert_eq!(count(&[half, half, 1]), 2);
        assert_eq!(count(&[3 * half, 1]), 2, "an item is not divided");
        assert_eq!(split(&[half, half, 1]), [half, half, 1]);
    }
}
