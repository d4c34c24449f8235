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

/// How many operations a file has at most. A builder is about 40 lines long, with its method.
const MAX_OPERATIONS: usize = 100;

/// The file of all builders, or a file for each tag and one that lists them.
pub(super) fn split_builders(settings: &Settings, plan: &ClientPlan<'_>) -> Vec<GeneratedFile> {
    let file = |name: String, tokens| {
        let tokens = paths::relocate(tokens);
        settings.rust_file(Part::Client, &name, tokens)
    };
    let all: Vec<&Call<'_>> = plan.calls.iter().collect();
    if all.len() <= MAX_OPERATIONS {
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
        for piece in calls.chunks(MAX_OPERATIONS) {
            let name = tag.and_then(names::field_name);
            let name = name.unwrap_or_else(|| "untagged".to_owned());
            groups.push((names::make_unique(name, &mut taken), tag, piece.to_vec()));
        }
    }
    groups
}
