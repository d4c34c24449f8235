//! Which parts a pair of schemas leads to, for all pairs at once.

use std::rc::Rc;

use super::Compared;

/// Which parts: a bit for each.
type Parts = Rc<[u64]>;

/// For each pair, the parts at it and at those that it leads to. Pairs lead to each other in circles; what is in one
/// circle leads to the same parts.
///
/// Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM Journal on Computing 1(2), 1972: in time proportional to
/// the pairs and what leads from one to the next.
pub(super) struct Reach {
    circle_of: Vec<usize>,
    circles: Vec<Parts>,
}

impl Reach {
    pub(super) fn of(compared: &[Compared], parts: usize) -> Reach {
        let mut search = Search {
            compared,
            words: parts.div_ceil(64),
            numbers: vec![UNSEEN; compared.len()],
            lowest: vec![0; compared.len()],
            open: Vec::new(),
            next: 0,
            reach: Reach {
                circle_of: vec![UNSEEN; compared.len()],
                circles: Vec::new(),
            },
        };
        for pair in 0..compared.len() {
            if search.numbers[pair] == UNSEEN {
                search.visit(pair);
            }
        }
        search.reach
    }

    /// The parts that a pair leads to.
    pub(super) fn parts(&self, pair: usize) -> impl Iterator<Item = usize> {
        let parts = &self.circles[self.circle_of[pair]];
        parts.iter().enumerate().flat_map(|(index, word)| {
            let bit = move |bit: &usize| word >> bit & 1 == 1;
            (0..64).filter(bit).map(move |bit| index * 64 + bit)
        })
    }
}

/// In the place of a number: not visited, or in no circle yet.
const UNSEEN: usize = usize::MAX;

struct Search<'c> {
    compared: &'c [Compared],
    words: usize,
    /// In which order the pairs were first visited.
    numbers: Vec<usize>,
    /// The lowest number that a pair is known to lead back to.
    lowest: Vec<usize>,
    /// Visited, and in no circle yet.
    open: Vec<usize>,
    next: usize,
    reach: Reach,
}

impl Search<'_> {
    /// Works with a stack of its own: a chain of references can be as long as the document.
    fn visit(&mut self, root: usize) {
        self.enter(root);
        let mut way = vec![(root, 0)];
        while let Some((pair, child)) = way.last_mut() {
            let pair = *pair;
            let next = self.compared[pair].children.get(*child).copied();
            *child += 1;
            match next {
                Some(next) if self.numbers[next] == UNSEEN => {
                    self.enter(next);
                    way.push((next, 0));
                }
                Some(next) if self.reach.circle_of[next] == UNSEEN => {
                    self.lowest[pair] = self.lowest[pair].min(self.numbers[next]);
                }
                Some(_) => {}
                None => {
                    way.pop();
                    if let Some((parent, _)) = way.last() {
                        self.lowest[*parent] = self.lowest[*parent].min(self.lowest[pair]);
                    }
                    if self.lowest[pair] == self.numbers[pair] {
                        self.close(pair);
                    }
                }
            }
        }
    }

    fn enter(&mut self, pair: usize) {
        self.numbers[pair] = self.next;
        self.lowest[pair] = self.next;
        self.next += 1;
        self.open.push(pair);
    }

    /// The circle that was entered at `first` is complete, and so is all that it leads to.
    fn close(&mut self, first: usize) {
        let start = self.open.iter().rposition(|pair| *pair == first);
        let members = self.open.split_off(start.unwrap_or_default());
        let circle = self.reach.circles.len();
        for pair in &members {
            self.reach.circle_of[*pair] = circle;
        }
        let mut union = Union {
            shared: None,
            own: None,
            words: self.words,
        };
        for pair in &members {
            let Compared { parts, children } = &self.compared[*pair];
            for part in parts {
                union.own()[part / 64] |= 1 << (part % 64);
            }
            for child in children {
                let of_child = self.reach.circle_of[*child];
                if of_child != circle {
                    union.add(&self.reach.circles[of_child]);
                }
            }
        }
        self.reach.circles.push(union.finish());
    }
}

/// What a circle leads to. Where that is just what one other leads to, the two share it.
struct Union {
    shared: Option<Parts>,
    own: Option<Vec<u64>>,
    words: usize,
}

impl Union {
    fn add(&mut self, parts: &Parts) {
        let same = self.shared.as_ref().is_some_and(|it| Rc::ptr_eq(it, parts));
        if same || parts.iter().all(|word| *word == 0) {
            return;
        }
        if self.shared.is_none() && self.own.is_none() {
            self.shared = Some(Rc::clone(parts));
            return;
        }
        for (own, word) in self.own().iter_mut().zip(parts.iter()) {
            *own |= word;
        }
    }

    fn own(&mut self) -> &mut Vec<u64> {
        let (shared, words) = (self.shared.take(), self.words);
        self.own
            .get_or_insert_with(|| shared.map_or_else(|| vec![0; words], |parts| parts.to_vec()))
    }

    fn finish(self) -> Parts {
        match (self.own, self.shared) {
            (Some(own), _) => own.into(),
            (None, Some(shared)) => shared,
            (None, None) => Rc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, Reach};

    fn pair(parts: &[usize], children: &[usize]) -> Compared {
        Compared {
            parts: parts.to_vec(),
            children: children.to_vec(),
        }
    }

    #[test]
    fn circles_and_chains_lead_to_all_that_is_behind_them() {
        let pairs = [
            pair(&[], &[1, 4]),
            pair(&[0], &[2]),
            pair(&[], &[3, 1]),
            pair(&[70], &[]),
            pair(&[], &[5, 5]),
            pair(&[], &[4]),
            pair(&[1], &[0, 6]),
            pair(&[], &[0]),
        ];
        let reach = Reach::of(&pairs, 71);
        let expected: [&[usize]; 8] = [
            &[0, 70],
            &[0, 70],
            &[0, 70],
            &[70],
            &[],
            &[],
            &[0, 1, 70],
            &[0, 70],
        ];
        for (pair, parts) in expected.iter().enumerate() {
            let found: Vec<usize> = reach.parts(pair).collect();
            assert_eq!(found, *parts, "{pair}");
        }
    }

    #[test]
    fn a_chain_may_be_as_long_as_a_document() {
        let last = 200_000;
        let mut pairs: Vec<Compared> = (0..last).map(|next| pair(&[], &[next + 1])).collect();
        pairs.push(pair(&[0], &[]));
        let reach = Reach::of(&pairs, 1);
        assert_eq!(reach.parts(0).collect::<Vec<_>>(), [0]);
    }
}
