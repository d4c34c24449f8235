//! Examples are validated as a server validates requests: formats and integer bounds included.

use dropspec::linting::LintSettings;

use crate::findings;

/// Some formats that `dropspec-schema` validates, each with a valid and an invalid example in YAML.
const FORMATS: [(&str, &str, &str, &str); 4] = [
    ("integer", "int32", "2147483647", "2147483648"),
    ("integer", "uint64", "18446744073709551615", "-1"),
    ("string", "byte", "aGk=", "aGk"),
    ("string", "date", "'2026-11-21'", "'2026-02-30'"),
];

#[test]
fn reports_examples_and_defaults_with_invalid_format() {
    for (schema_type, format, valid, invalid) in FORMATS {
        for keyword in ["example", "default"] {
            let lint = |value: &str| {
                let schema =
                    format!("{{ type: {schema_type}, format: {format}, {keyword}: {value} }}");
                let text = format!(
                    "openapi: 3.0.3\ninfo: {{ title: a, version: 1.0.0 }}\npaths: {{}}\ncomponents: {{ schemas: {{ A: {schema} }} }}\n"
                );
                findings(&text, &LintSettings::default())
            };
            assert_eq!(lint(valid), "", "{format}: {valid}");
            let found = lint(invalid);
            assert!(
                found.contains(&format!("the {keyword} is not valid")),
                "{format}: {invalid}: {found}"
            );
        }
    }
}
