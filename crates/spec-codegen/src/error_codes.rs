//! `error_codes.rs`: the codes of the document's `x-error-codes`, each with its HTTP status.

use crate::model::ErrorCode;
use crate::source::{Imports, Source};
use crate::text_enum;

/// The file's text, without its header.
pub(crate) fn render(codes: &[ErrorCode]) -> String {
    let mut source = Source::default();
    source.line(
        "//! The codes that an error can carry, each with the HTTP status it is answered with.",
    );
    source.blank();
    let mut imports = Imports::default();
    imports.add("std::fmt", "self");
    imports.add("std::str", "FromStr");
    imports.add("spec_runtime", "UnknownValue");
    imports.write(&mut source);
    source.docs("A code of the document's `x-error-codes`.");
    source.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    source.block("pub enum ErrorCode", |source| {
        for code in codes {
            source.line(format!(
                "/// `{}`, answered with {}.",
                code.name, code.status
            ));
            source.line(format!("{},", code.variant));
        }
    });
    let values: Vec<_> = codes
        .iter()
        .map(|c| (c.variant.as_str(), c.name.as_str()))
        .collect();
    text_enum::write_impls(
        &mut source,
        "ErrorCode",
        &values,
        "As it stands in the body of an error.",
    );
    source.blank();
    source.block("impl ErrorCode", |source| {
        source.docs("The HTTP status that the code is answered with.");
        source.block("pub const fn status(self) -> u16", |source| {
            source.block("match self", |source| {
                for (status, codes) in by_status(codes) {
                    write_status_arm(source, status, &codes);
                }
            });
        });
    });
    source.into_text()
}

/// The codes of each status, statuses in the order in which they first appear.
fn by_status(codes: &[ErrorCode]) -> Vec<(u16, Vec<String>)> {
    let mut groups: Vec<(u16, Vec<String>)> = Vec::new();
    for code in codes {
        let variant = format!("Self::{}", code.variant);
        match groups.iter_mut().find(|(status, _)| *status == code.status) {
            Some((_, variants)) => variants.push(variant),
            None => groups.push((code.status, vec![variant])),
        }
    }
    groups
}

fn write_status_arm(source: &mut Source, status: u16, variants: &[String]) {
    // rustfmt puts every alternative on its own line as soon as one line does not hold them all.
    let one_line = format!("{} => {status},", variants.join(" | "));
    if variants.len() == 1 || source.indentation() + one_line.len() <= crate::source::WIDTH {
        return source.line(one_line);
    }
    let last = variants.len() - 1;
    for (index, variant) in variants.iter().enumerate() {
        let bar = if index == 0 { "" } else { "| " };
        let arrow = if index == last {
            format!(" => {status},")
        } else {
            String::new()
        };
        source.line(format!("{bar}{variant}{arrow}"));
    }
}
