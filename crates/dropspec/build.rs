//! Makes the table of rules of the files in `rules`, so that a new rule is one new file.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("rules");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut rules = BTreeMap::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let rule = fs::read_to_string(&path)?.parse::<toml::Table>();
        let rule = rule.map_err(|error| format!("{}: {error}", path.display()))?;
        rules.insert(path.file_stem().map(ToOwned::to_owned), rule);
    }
    let mut list = String::from(
        "/// All rules. Those of OpenAPI always apply; those of a house as far as the settings turn them on.\n\
         pub const RULES: &[Rule] = &[\n",
    );
    let mut arms = String::new();
    for (index, (id, rule)) in rules.iter().enumerate() {
        let text = |key: &str| rule.get(key).and_then(toml::Value::as_str);
        let level = match text("level") {
            Some("error") => "Error",
            _ => "Warn",
        };
        let id = id.as_ref().and_then(|id| id.to_str()).ok_or("no name")?;
        let summary = text("summary").ok_or("a rule has no summary")?;
        let help = text("help").unwrap_or_default();
        let fields =
            format!("id: {id:?}, level: Level::{level}, help: {help:?}, summary: {summary:?}");
        writeln!(list, "Rule {{ {fields} }},")?;
        writeln!(
            arms,
            "({id:?}) => {{ &$crate::linting::rules::RULES[{index}] }};"
        )?;
    }
    writeln!(list, "];\nmacro_rules! rule {{ {arms} }}")?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), list)?;
    Ok(())
}
