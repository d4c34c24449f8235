//! Compresses the script of Scalar, which draws the reference page, for the binary: it has 5 MB, and 1.4 MB as gzip.
//!
//! Some texts of the script are replaced first. A new version of the crate may have other code; then the build fails, and
//! the replacements must be adapted.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// What is replaced, by what, and how often it occurs.
const REPLACEMENTS: [(&str, &str, usize); 8] = [
    // The condition of the button that opens the try-out panel of an operation. `x-hideTryItPanel` hides it for a single
    // operation, where the original can hide all or none.
    (
        "e.options.hideTestRequestButton?",
        "e.options.hideTestRequestButton||e.operation[\"x-hideTryItPanel\"]?",
        2,
    ),
    // The text in an empty field for a key. It looks like a key.
    ("QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT", "Your secret", 2),
    // An empty field of the try-out panel is not sent, so no bound of its schema applies to it.
    (
        "if(!e||!(`type`in e)||typeof t!=`string`)return{ok:!0}",
        "if(!e||!t||!(`type`in e)||typeof t!=`string`)return{ok:!0}",
        1,
    ),
    // A default is visible, where the original shows it under the pointer.
    (
        "T(D(n)(`schema.default`))",
        "T(`${D(n)(`schema.default`)}: ${D(_H)(e.value)}`)",
        1,
    ),
    // What screen readers need: whether the list of a field is open, the role and the name of controls, and no reference to an
    // element that is not there.
    (
        "\"aria-expanded\":ve.value?`true`:void 0",
        "\"aria-expanded\":e.withVariables?!!ve.value:void 0",
        1,
    ),
    ("role:r.value?`alert`:`none`", "role:void 0", 1),
    (
        "role:`textbox`,\"aria-multiline\":`true`",
        "role:`textbox`,\"aria-label\":`Text`,\"aria-multiline\":`true`",
        1,
    ),
    (
        "R(D(IH),{\"aria-controls\":D(r),content:c()}",
        "R(D(IH),{content:c()}",
        1,
    ),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let script = scalar_api_reference::get_asset("scalar.js").expect("the crate has the script");
    let mut script = String::from_utf8(script).expect("the script is UTF-8");
    for (original, replacement, count) in REPLACEMENTS {
        let found = script.matches(original).count();
        assert_eq!(
            found, count,
            "the script of Scalar has {original:?} this often"
        );
        script = script.replace(original, replacement);
    }
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let file = std::fs::File::create(Path::new(&folder).join("scalar.js.gz"));
    let mut encoder = GzEncoder::new(file.expect("the file can be written"), Compression::best());
    let written = encoder.write_all(script.as_bytes());
    written
        .and_then(|()| encoder.finish())
        .expect("the file can be written");
}
