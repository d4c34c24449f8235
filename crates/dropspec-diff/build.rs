//! Lists the files of rules, so that a new rule is one new file.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("rules");
    let mut list = String::new();
    for (name, folder) in [("OTHERS", "others"), ("SCHEMAS", "schemas")] {
        let folder = rules.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        writeln!(list, "const {name}: &[(&str, &str)] = &[")?;
        for file in &files {
            let id = file.file_stem().and_then(|stem| stem.to_str());
            let id = id.ok_or("the name of a rule is not UTF-8")?;
            writeln!(list, "    ({id:?}, include_str!({file:?})),")?;
        }
        writeln!(list, "];")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rule_files.rs"), list)?;
    Ok(())
}
