//! What every enum of names can do: list itself, be written as text and be read from it.

use crate::source::{Source, literal};

/// `ALL`, `as_str`, `Display` and `FromStr` of an enum of names.
pub(crate) fn write_impls(
    source: &mut Source,
    name: &str,
    values: &[(&str, &str)],
    as_str_docs: &str,
) {
    source.blank();
    source.block(&format!("impl {name}"), |source| {
        source.docs("Every value, in the order of the document.");
        let all: Vec<String> = values
            .iter()
            .map(|(variant, _)| format!("Self::{variant}"))
            .collect();
        source.array(&format!("pub const ALL: [Self; {}] =", values.len()), &all);
        source.blank();
        source.docs(as_str_docs);
        source.block("pub const fn as_str(self) -> &'static str", |source| {
            source.block("match self", |source| {
                for (variant, wire) in values {
                    source.arm(&format!("Self::{variant} =>"), &literal(wire));
                }
            });
        });
    });
    source.blank();
    source.block(&format!("impl fmt::Display for {name}"), |source| {
        source.block(
            "fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result",
            |source| {
                source.line("f.write_str(self.as_str())");
            },
        );
    });
    source.blank();
    source.block(&format!("impl FromStr for {name}"), |source| {
        source.line("type Err = UnknownValue;");
        source.blank();
        source.block(
            "fn from_str(text: &str) -> Result<Self, UnknownValue>",
            |source| {
                source.line("let mut all = Self::ALL.into_iter();");
                source.line("all.find(|value| value.as_str() == text)");
                source.indented(|source| source.line(".ok_or_else(|| UnknownValue::new(text))"));
            },
        );
    });
}
