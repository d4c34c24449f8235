//! Finds which triggers a pair of schemas leads to, for all pairs at once.

use std::rc::Rc;

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::ComparedPair;

/// For each pair, the triggers at it and at all pairs that it leads to.
pub(super) struct Reach {
    triggers: Vec<Rc<FixedBitSet>>,
}

impl Reach {
    /// Computes the reach of all pairs, given the number of triggers.
    pub(super) fn new(pairs: &[ComparedPair], triggers: usize) -> Reach {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in pairs {
            graph.add_node(());
        }
        for (index, pair) in pairs.iter().enumerate() {
            for child in &pair.children {
                graph.add_edge(NodeIndex::new(index), NodeIndex::new(*child), ());
            }
        }
        let empty = Rc::new(FixedBitSet::with_capacity(triggers));
        let mut reach = vec![Rc::clone(&empty); pairs.len()];
        // Pairs that lead to each other lead to the same triggers. Components come before those that lead to them, and
        // are found without recursion: a chain of references can be as long as the document.
        for component in kosaraju_scc(&graph) {
            let members = component.iter().map(|node| &pairs[node.index()]);
            let children = members.clone().flat_map(|pair| &pair.children);
            let mut reached = Rc::clone(&empty);
            for child in children {
                let child = &reach[*child];
                if reached.is_clear() {
                    // Where there is only one child, its set is shared.
                    reached = Rc::clone(child);
                } else if !Rc::ptr_eq(&reached, child) && !child.is_clear() {
                    Rc::make_mut(&mut reached).union_with(child);
                }
            }
            for trigger in members.flat_map(|pair| &pair.triggers) {
                Rc::make_mut(&mut reached).insert(*trigger);
            }
            for node in component {
                reach[node.index()] = Rc::clone(&reached);
            }
        }
        Reach { triggers: reach }
    }

    /// The triggers that a pair leads to.
    pub(super) fn triggers(&self, pair: usize) -> impl Iterator<Item = usize> {
        self.triggers[pair].ones()
    }
}

#[cfg(test)]
mod tests {
    use super::{ComparedPair, Reach};

    fn pair(triggers: &[usize], children: &[usize]) -> ComparedPair {
        ComparedPair {
            triggers: triggers.to_vec(),
            children: children.to_vec(),
        }
    }

    #[test]
    fn pair_reaches_all_triggers_behind_cycles_and_chains() {
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
        let reach = Reach::new(&pairs, 71);
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
        for (pair, triggers) in expected.iter().enumerate() {
            let found: Vec<usize> = reach.triggers(pair).collect();
            assert_eq!(found, *triggers, "{pair}");
        }
    }

    #[test]
    fn chain_of_200_000_pairs_does_not_overflow_the_stack() {
        let last = 200_000;
        let mut pairs: Vec<ComparedPair> = (0..last).map(|next| pair(&[], &[next + 1])).collect();
        pairs.push(pair(&[0], &[]));
        let reach = Reach::new(&pairs, 1);
        assert_eq!(reach.triggers(0).collect::<Vec<_>>(), [0]);
    }
}
