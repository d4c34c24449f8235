//! Guesses arrays.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use crate::samples::merged::Merged;
use crate::samples::valid::{Generator, LONGEST, MOST_ITEMS, Take, WIDE_DEPTH, take_all};

impl Generator<'_> {
    /// Guesses arrays: the items of `prefixItems` first, then those of `items`.
    pub(super) fn guess_arrays(
        &self,
        merged: &Merged,
        depth: usize,
        take: Take<'_>,
    ) -> ControlFlow<()> {
        let any = json!({});
        let least = merged.count("minItems").unwrap_or(0);
        let prefix = merged.get("prefixItems").and_then(Value::as_array);
        let prefix = prefix.into_iter().flatten();
        let prefix = prefix.map(|it| self.guess_needed(it, depth));
        let guesses: Vec<Vec<Value>> = prefix.take_while(|found| !found.is_empty()).collect();
        let prefix: Vec<Value> = guesses.iter().map(|found| found[0].clone()).collect();
        let items = merged.get("items").unwrap_or(&any);
        let items = match (least, depth > WIDE_DEPTH) {
            (0, _) if self.least_only => Vec::new(),
            (0, false) => self.guess_inside(items, depth),
            _ => self.guess_needed(items, depth),
        };
        let most = merged.count("maxItems").unwrap_or(usize::MAX);
        let unique = merged.flag("uniqueItems");
        let mut push = |count: usize| {
            let wanted =
                count >= least && count <= most && count <= MOST_ITEMS.max(least.min(LONGEST));
            let further = count.saturating_sub(prefix.len());
            let possible = items.len() >= further || (!items.is_empty() && !unique) || further == 0;
            if wanted && possible {
                let further = items.iter().cycle();
                take(prefix.iter().chain(further).take(count).cloned().collect())
            } else {
                ControlFlow::Continue(())
            }
        };
        push(least.max(prefix.len()).max(1).min(most))?;
        push(prefix.len() + items.len())?;
        push(least)?;
        push(most)?;
        // Each further guess of an item, with the first ones of the others.
        for (place, found) in guesses.iter().enumerate() {
            for value in found.iter().skip(1) {
                let mut array = prefix.clone();
                array[place] = value.clone();
                take(Value::Array(array))?;
            }
        }
        let is_wanted = prefix.is_empty() && least <= 1 && most >= 1;
        let alone = items.iter().filter(|_| is_wanted);
        take_all(alone.map(|item| json!([item])), take)
    }
}
