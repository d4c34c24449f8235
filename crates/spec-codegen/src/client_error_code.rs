//! `error_code.rs`: the codes of the document's `x-error-codes` as a client sees them, who may meet newer ones.

use crate::model::ErrorCode;
use crate::source::{Source, literal};

/// The file's text, without its header.
pub(crate) fn render(codes: &[ErrorCode]) -> String {
    let taken = codes.iter().any(|code| code.variant == "Unknown");
    let unknown = if taken { "Unlisted" } else { "Unknown" };
    let mut source = Source::default();
    source.line("//! The codes that an error can carry.");
    source.blank();
    source.line("use std::fmt;");
    source.blank();
    source.docs(&format!(
        "Why the service refused. Codes that came after this client are `{unknown}`."
    ));
    source.line("#[derive(Clone, Debug, PartialEq, Eq, Hash)]");
    source.line("#[non_exhaustive]");
    source.block("pub enum ErrorCode", |source| {
        for code in codes {
            source.line(format!(
                "/// `{}`, answered with {}.",
                code.name, code.status
            ));
            source.line(format!("{},", code.variant));
        }
        source.line("/// A code that this client does not know.");
        source.line(format!("{unknown}(String),"));
    });
    source.blank();
    source.block("impl ErrorCode", |source| {
        source.docs("As it stands in the body of an error.");
        source.block("pub fn as_str(&self) -> &str", |source| {
            source.block("match self", |source| {
                for code in codes {
                    source.arm(&format!("Self::{} =>", code.variant), &literal(&code.name));
                }
                source.line(format!("Self::{unknown}(code) => code,"));
            });
        });
    });
    source.blank();
    source.block("impl From<&str> for ErrorCode", |source| {
        source.block("fn from(code: &str) -> Self", |source| {
            source.block("match code", |source| {
                for code in codes {
                    let value = format!("Self::{}", code.variant);
                    source.arm(&format!("{} =>", literal(&code.name)), &value);
                }
                source.line(format!("_ => Self::{unknown}(code.to_owned()),"));
            });
        });
    });
    source.blank();
    source.block("impl fmt::Display for ErrorCode", |source| {
        source.block(
            "fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result",
            |source| {
                source.line("f.write_str(self.as_str())");
            },
        );
    });
    source.into_text()
}
