//! The identities that were verified for one request.

use super::SchemeUse;

/// The verified identities of a request, by the indexes of their schemes. Most requests have one, which takes no
/// allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities<T> {
    first: Option<(usize, T)>,
    others: Vec<(usize, T)>,
}

impl<T> Identities<T> {
    /// The identity of the first scheme of the requirement: the one whose limits apply.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.first.as_ref().map(|(_, identity)| identity)
    }

    /// The identity of the scheme with this index.
    #[must_use]
    pub fn get(&self, scheme: usize) -> Option<&T> {
        let mut all = self.first.iter().chain(&self.others);
        all.find_map(|(known, identity)| (*known == scheme).then_some(identity))
    }

    /// All identities, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let all = self.first.iter().chain(&self.others);
        all.map(|(_, identity)| identity)
    }

    /// All identities with the indexes of their schemes, the first one first.
    pub fn into_all(self) -> impl Iterator<Item = (usize, T)> {
        self.first.into_iter().chain(self.others)
    }

    /// The identities that `convert` returns for these.
    pub fn map<U>(self, convert: impl Fn(T) -> Option<U>) -> Identities<U> {
        let convert = |(scheme, identity)| Some((scheme, convert(identity)?));
        Identities {
            first: self.first.and_then(convert),
            others: self.others.into_iter().filter_map(convert).collect(),
        }
    }

    pub(super) fn push(&mut self, scheme: usize, identity: T) {
        match self.first {
            None => self.first = Some((scheme, identity)),
            Some(_) => self.others.push((scheme, identity)),
        }
    }

    /// The identities of these schemes, in this order.
    pub(super) fn retain(self, uses: &[SchemeUse]) -> Identities<T> {
        if let ([only], Some((first, _)), []) = (uses, &self.first, &self.others[..])
            && only.scheme == *first
        {
            return self;
        }
        let mut all: Vec<(usize, T)> = self.into_all().collect();
        let position = |scheme| uses.iter().position(|it| it.scheme == scheme);
        all.retain(|(scheme, _)| position(*scheme).is_some());
        all.sort_by_key(|(scheme, _)| position(*scheme));
        let mut all = all.into_iter();
        Identities {
            first: all.next(),
            others: all.collect(),
        }
    }
}

impl<T> Default for Identities<T> {
    fn default() -> Self {
        Identities {
            first: None,
            others: Vec::new(),
        }
    }
}
