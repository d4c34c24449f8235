//! The identities that were verified for one request.

use smallvec::SmallVec;

use super::SchemeUse;

/// The verified identities of a request, by the indexes of their schemes. Most requests have one, which takes no
/// allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities<T>(SmallVec<[(usize, T); 1]>);

impl<T> Identities<T> {
    /// The identity of the first scheme of the requirement: the one whose limits apply.
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// The identity of the scheme with this index.
    pub fn get(&self, scheme: usize) -> Option<&T> {
        let mut all = self.0.iter();
        all.find_map(|(known, identity)| (*known == scheme).then_some(identity))
    }

    /// All identities, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, identity)| identity)
    }

    /// All identities with the indexes of their schemes, the first one first.
    pub fn into_all(self) -> impl Iterator<Item = (usize, T)> {
        self.0.into_iter()
    }

    /// The identities that `convert` returns for these.
    pub fn map<U>(self, convert: impl Fn(T) -> Option<U>) -> Identities<U> {
        let convert = |(scheme, identity)| Some((scheme, convert(identity)?));
        Identities(self.0.into_iter().filter_map(convert).collect())
    }

    pub(super) fn push(&mut self, scheme: usize, identity: T) {
        self.0.push((scheme, identity));
    }

    /// The identities of these schemes, in this order.
    pub(super) fn retain(mut self, uses: &[SchemeUse]) -> Identities<T> {
        let position = |scheme| uses.iter().position(|it| it.scheme == scheme);
        self.0.retain(|(scheme, _)| position(*scheme).is_some());
        self.0.sort_by_key(|(scheme, _)| position(*scheme));
        self
    }
}

impl<T> Default for Identities<T> {
    fn default() -> Self {
        Identities(SmallVec::new())
    }
}
