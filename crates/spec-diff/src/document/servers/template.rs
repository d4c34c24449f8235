//! The URLs of a server with variables.

use crate::tree::{Id, Tree};

/// More URLs are not listed.
const MOST_URLS: usize = 100;

/// The URL of a server with its variables.
pub(super) struct Template<'d> {
    /// The texts between the variables, the first before all of them.
    texts: Vec<&'d str>,
    /// The values of each variable; `None` if it may be anything.
    values: Vec<Option<Vec<&'d str>>>,
}

impl<'d> Template<'d> {
    /// Reads an entry of `servers`; none if it has no URL.
    pub(super) fn of(tree: &Tree<'d>, server: Id) -> Option<Template<'d>> {
        let url = tree.text(server, "url")?;
        let mut parts = url.trim_end_matches('/').split('{');
        let mut texts = vec![parts.next()?];
        let mut values = Vec::new();
        for part in parts {
            let (name, text) = part.split_once('}')?;
            let variable = tree.members_of(server, "variables");
            let mut variable = variable.filter(|(own, _)| *own == name);
            let (_, variable) = variable.next()?;
            let listed = tree.list(variable, "enum").iter();
            let listed: Option<Vec<&str>> = listed.map(|id| tree.node(*id).as_str()).collect();
            values.push(listed.filter(|it| !it.is_empty()));
            texts.push(text);
        }
        Some(Template { texts, values })
    }

    /// All URLs; none if they cannot be listed.
    pub(super) fn urls(&self) -> Option<Vec<String>> {
        let mut urls = vec![self.texts[0].to_owned()];
        for (values, text) in self.values.iter().zip(&self.texts[1..]) {
            let values = values.as_ref()?;
            if urls.len() * values.len() > MOST_URLS {
                return None;
            }
            let longer = urls.iter().flat_map(|url| {
                values
                    .iter()
                    .map(move |value| format!("{url}{value}{text}"))
            });
            urls = longer.collect();
        }
        Some(urls)
    }

    /// Whether this is one of the URLs.
    pub(super) fn matches(&self, url: &str) -> bool {
        let rest = url.strip_prefix(self.texts[0]);
        rest.is_some_and(|rest| self.matches_from(0, rest))
    }

    /// Whether a text is what may follow the text before a variable.
    fn matches_from(&self, index: usize, url: &str) -> bool {
        let (Some(values), Some(text)) = (self.values.get(index), self.texts.get(index + 1)) else {
            return url.is_empty();
        };
        let goes_on = |rest: &str| {
            let rest = rest.strip_prefix(text);
            rest.is_some_and(|rest| self.matches_from(index + 1, rest))
        };
        match values {
            Some(values) => values
                .iter()
                .filter_map(|value| url.strip_prefix(value))
                .any(goes_on),
            None => url
                .char_indices()
                .skip(1)
                .map(|(end, _)| &url[end..])
                .chain([""])
                .any(|rest| !url.is_empty() && goes_on(rest)),
        }
    }
}
