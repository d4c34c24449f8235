//! Examples are validated as a server validates requests: formats and integer bounds included.

use spec_lint::LintSettings;

use crate::findings;

/// Each format that `spec-schema` validates, with a valid and an invalid example in YAML.
const FORMATS: [(&str, &str, &str, &str); 19] = [
    ("integer", "int8", "127", "128"),
    ("integer", "int16", "32767", "32768"),
    ("integer", "int32", "2147483647", "2147483648"),
    (
        "integer",
        "int64",
        "9223372036854775807",
        "9223372036854775808",
    ),
    ("integer", "uint8", "255", "-1"),
    ("integer", "uint16", "65535", "65536"),
    ("integer", "uint32", "4294967295", "4294967296"),
    ("integer", "uint64", "18446744073709551615", "-1"),
    ("string", "byte", "aGk=", "aGk"),
    ("string", "date", "'2026-11-21'", "'2026-02-30'"),
    (
        "string",
        "date-time",
        "'2026-11-21T10:00:00Z'",
        "'2026-11-21'",
    ),
    ("string", "email", "a@example.com", "nobody"),
    ("string", "hostname", "example.com", "a_b"),
    ("string", "ipv4", "127.0.0.1", "127.0.0.256"),
    ("string", "ipv6", "'::1'", "'1'"),
    ("string", "regex", "'a+'", "'('"),
    ("string", "time", "'10:00:00Z'", "'25:00:00Z'"),
    ("string", "uri", "'https://example.com'", "'a b'"),
    (
        "string",
        "uuid",
        "67e55044-10b1-426f-9247-bb680e5fe0c8",
        "67e55044-",
    ),
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
