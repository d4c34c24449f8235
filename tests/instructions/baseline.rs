//! The instructions that each step took when the table was last changed. A change that makes a step slower on purpose
//! changes its row; one that makes it faster should, so that the gain is kept.

/// The steps by their names, with their instructions: in the profile `bench`, as production runs them, and in `dev`, which CI has
/// built for the tests. There, an inlined call is no gain, but work that is done twice counts as much.
const BASELINE: &[(&str, u64, u64)] = &[
    ("route", 1_822, 12_423),
    ("key_lookup", 6_831, 49_871),
    ("limiter_decision", 948, 6_421),
    ("decode_and_validate", 6_890, 39_890),
    ("response_headers", 9_576, 56_657),
    ("log_line", 2_444, 22_203),
    ("whole_request", 73_330, 521_106),
];

/// The instructions of this step.
///
/// # Panics
///
/// If the table does not have it.
pub fn instructions(step: &str) -> u64 {
    let row = BASELINE.iter().find(|(name, ..)| *name == step);
    let (_, optimized, plain) = row.unwrap_or_else(|| panic!("no baseline for {step}"));
    *if cfg!(debug_assertions) {
        plain
    } else {
        optimized
    }
}
