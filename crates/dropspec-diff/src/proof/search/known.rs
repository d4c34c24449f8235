//! Remembers why messages are refused: most are tried for many findings.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use crate::proof::checker::Refusal;

/// Why the document that shall refuse messages does so, if the other one accepts them.
pub(super) type Known<M> = RefCell<HashMap<M, Rc<Vec<Refusal>>>>;

/// What was judged before, or is now.
pub(super) fn recall<M: Clone + Eq + Hash>(
    known: &Known<M>,
    message: &M,
    judge: impl FnOnce(&M) -> Vec<Refusal>,
) -> Rc<Vec<Refusal>> {
    let found = known.borrow().get(message).cloned();
    found.unwrap_or_else(|| {
        let refusals = Rc::new(judge(message));
        known
            .borrow_mut()
            .insert(message.clone(), Rc::clone(&refusals));
        refusals
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_judged_once_for_all_findings() {
        let (known, judged) = (Known::default(), RefCell::new(Vec::new()));
        for message in ["a", "b", "a", "b"] {
            let refusals = recall(&known, &message, |message| {
                judged.borrow_mut().push(*message);
                Vec::new()
            });
            assert!(refusals.is_empty());
        }
        assert_eq!(judged.into_inner(), ["a", "b"]);
    }
}
