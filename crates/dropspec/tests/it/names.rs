//! Names are free: a document may call what it likes by any name that Rust, cargo, clap or the generated code itself knows.
#![allow(clippy::unwrap_used)]

mod document;
mod scopes;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use dropspec_codegen::{ErrorProperties, GeneratedFile, Settings, Traits, generate};
use dropspec_model::Spec;
use proc_macro2::{TokenStream, TokenTree};
use proptest::prelude::*;

use self::document::document;
use self::scopes::{File, Scopes};
use crate::made::{Made, text};

/// The names that Rust knows without an import, and the derives of the standard library.
const PRELUDE: &str = "AsMut AsRef AsyncFn AsyncFnMut AsyncFnOnce Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err \
    ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Future Hash Into IntoFuture IntoIterator Iterator None Ok Option Ord \
    PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec bool char f64 i64 str u8 usize \
    std core alloc";

/// The keywords: strict ones, those of some edition, those in some places, and reserved ones.
const KEYWORDS: &str = "as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move \
    mut pub ref return self Self static struct super trait true type unsafe use where while abstract become box do final macro override \
    priv try typeof unsized virtual yield auto default raw safe union macro_rules";

/// What no list of names has: no letters, other letters, and the commands of a program.
const OTHERS: [&str; 17] = [
    "",
    "$",
    "_",
    "1",
    "2fa",
    "a-l-l",
    "A L L",
    "größe",
    "名前",
    "😀",
    "help",
    "version",
    "completions",
    "man",
    "tail",
    "lib",
    "main",
];

fn settings(traits: Traits) -> Settings {
    Settings {
        source_path: "../openapi.json".to_owned(),
        error: Some(ErrorProperties {
            status: "status".to_owned(),
            message: "message".to_owned(),
            code: "code".to_owned(),
        }),
        traits,
        ..Settings::default()
    }
}

fn generate_files(names: &[String], traits: Traits) -> Vec<GeneratedFile> {
    let text = document(names).to_string();
    let spec = Spec::parse_with_errors("api.json", &text);
    let generated = spec.and_then(|spec| generate(&spec, &settings(traits)));
    generated
        .unwrap_or_else(|errors| panic!("{errors:?} in {names:?}"))
        .files
}

/// The files of a document whose names mean nothing.
static ORDINARY: LazyLock<Vec<GeneratedFile>> = LazyLock::new(|| {
    let names: Vec<String> = (0..30).map(|number| format!("thing{number}x")).collect();
    let all = [Traits::One, Traits::ByTag].map(|traits| generate_files(&names, traits));
    let all = all.into_iter().flatten();
    all.filter(|file| file.name.ends_with(".rs")).collect()
});

/// What such files find outside of themselves: the prelude, primitive types and crates.
static FOREIGN: LazyLock<BTreeSet<String>> = LazyLock::new(|| scopes::foreign_names(&ORDINARY));

/// Every name in the generated files: of items, arguments, fields, macros, derives, crates, ….
fn generated_names() -> BTreeSet<String> {
    fn add(tokens: TokenStream, names: &mut BTreeSet<String>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => add(group.stream(), names),
                TokenTree::Ident(name) => _ = names.insert(name.to_string()),
                _ => {}
            }
        }
    }
    let mut names = BTreeSet::new();
    for file in ORDINARY.iter() {
        add(file.content.parse().unwrap(), &mut names);
    }
    names.retain(|name| !name.to_lowercase().contains("thing"));
    names
}

fn known_names() -> Vec<String> {
    let known = [PRELUDE, KEYWORDS]
        .into_iter()
        .flat_map(|it| it.split_whitespace());
    let known = known.chain(OTHERS).map(str::to_owned);
    let known: BTreeSet<String> = known.chain(generated_names()).collect();
    known.into_iter().collect()
}

/// A name, or one that is nearly the same.
fn near_miss(name: &str, kind: usize) -> String {
    match kind {
        0 => name.to_lowercase(),
        1 => name.to_uppercase(),
        2 => format!("{name}s"),
        3 => format!("{name}2"),
        4 => format!("2{name}"),
        5 => format!("_{name}_"),
        6 => format!("{name}Schema"),
        7 => format!("{name}-{name}"),
        _ => name.to_owned(),
    }
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let one = (prop::sample::select(known_names()), 0..16_usize);
    let some = prop::collection::vec(one, 1..25);
    some.prop_map(|some| {
        let mut seen = BTreeSet::new();
        let names = some.into_iter().map(|(name, kind)| near_miss(&name, kind));
        names.filter(|name| seen.insert(name.clone())).collect()
    })
}

/// What is wrong with the scopes of generated files.
fn find_faults(files: &[GeneratedFile]) -> Vec<String> {
    let rust = files.iter().filter(|file| file.name.ends_with(".rs"));
    let files: Vec<File> = rust.map(File::parse).collect();
    let mut faults = scopes::duplicates(&files);
    for file in &files {
        let known = Scopes::of(&file.items);
        let hidden = known.types().filter(|name| FOREIGN.contains(*name));
        faults.extend(hidden.map(|name| format!("{} hides `{name}`", file.name)));
    }
    faults
}

#[test]
fn code_finds_the_prelude_outside_of_its_files() {
    for name in [
        "Option", "String", "Result", "Some", "Vec", "std", "dropshot",
    ] {
        assert!(FOREIGN.contains(name), "{name} is not in {:?}", *FOREIGN);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_name_of_a_document_takes_one_that_the_code_uses(names in names()) {
        for traits in [Traits::One, Traits::ByTag] {
            let faults = find_faults(&generate_files(&names, traits));
            prop_assert!(faults.is_empty(), "{faults:#?} in {names:?}");
        }
    }

    #[test]
    fn no_name_of_a_document_takes_one_of_the_command_line(names in names()) {
        let settings = dropspec_cli::Settings { name: "names".to_owned(), ..Default::default() };
        let interface = dropspec_cli::Interface::read(&document(&names).to_string(), settings).unwrap();
        dropspec_cli::command(&interface).debug_assert();
    }
}

#[test]
fn workspace_of_all_names_compiles() {
    let known = known_names();
    assert!(known.len() > 300, "{}", known.len());
    let made = Made::new("names", "names.json", &document(&known).to_string());
    let checked = made.cargo(&[
        "check",
        "--quiet",
        "--workspace",
        "--lib",
        "--bins",
        "--examples",
    ]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
}
