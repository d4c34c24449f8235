//! The `use` lines of a file: only those used, sorted and filled as rustfmt would.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, WIDTH};

/// The imports of a file: only what was asked for, sorted as rustfmt sorts.
#[derive(Debug, Default)]
pub(crate) struct Imports(BTreeMap<&'static str, BTreeSet<String>>);

impl Imports {
    pub(crate) fn add(&mut self, module: &'static str, item: impl Into<String>) {
        self.0.entry(module).or_default().insert(item.into());
    }

    /// The `use` lines: the standard library, other crates, this crate.
    pub(crate) fn write(&self, source: &mut Source) {
        let group = |module: &str| match module.split("::").next() {
            Some("std") => 0,
            Some("crate") => 2,
            _ => 1,
        };
        for wanted in 0..3 {
            let modules = self.0.iter().filter(|(module, _)| group(module) == wanted);
            let mut any = false;
            for (module, items) in modules {
                write_use(source, module, items);
                any = true;
            }
            if any {
                source.blank();
            }
        }
    }
}

fn write_use(source: &mut Source, module: &str, items: &BTreeSet<String>) {
    if items.len() == 1 {
        for item in items {
            match item.as_str() {
                "self" => source.line(format!("use {module};")),
                item => source.line(format!("use {module}::{item};")),
            }
        }
        return;
    }
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let one_line = format!("use {module}::{{{}}};", items.join(", "));
    // rustfmt leaves room for the semicolon and a comma here.
    if one_line.len() <= WIDTH - 2 {
        source.line(one_line);
        return;
    }
    source.line(format!("use {module}::{{"));
    source.indented(|source| {
        let mut line = String::new();
        let last = items.len() - 1;
        for (index, item) in items.into_iter().enumerate() {
            let room = if index == last { WIDTH } else { WIDTH - 1 };
            if !line.is_empty() && 4 + line.len() + 1 + item.len() + 1 > room {
                source.line(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(item);
            line.push(',');
        }
        source.line(line);
    });
    source.line("};");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_grouped_sorted_and_only_those_used() {
        let mut imports = Imports::default();
        imports.add("crate::types", "Pet");
        imports.add("dropshot", "Query");
        imports.add("dropshot", "Path");
        imports.add("std::fmt", "self");
        let mut source = Source::default();
        imports.write(&mut source);
        assert_eq!(
            source.into_text(),
            "use std::fmt;\n\nuse dropshot::{Path, Query};\n\nuse crate::types::Pet;\n\n"
        );
    }
}
