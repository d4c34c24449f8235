//! The panic hook of a process that generates code.

/// Prevents that panics of progenitor, which are reported as diagnostics, are printed too.
pub fn silence_progenitor() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() != Some(spec_codegen::PROGENITOR_THREAD) {
            usual(panic);
        }
    }));
}
