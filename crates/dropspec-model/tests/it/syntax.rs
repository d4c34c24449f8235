//! What is said of files that are no YAML or JSON, in plain words.
#![allow(clippy::unwrap_used)]

use dropspec_model::{Document, decode};

/// What is said of each text.
fn explained(texts: &[&str]) -> String {
    let explained = texts.iter().map(|text| {
        let errors = Document::parse("a.yaml", text).unwrap_err();
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        lines.join("\n")
    });
    explained.collect::<Vec<_>>().join("\n")
}

#[test]
fn explains_tabs_and_indentation() {
    let texts = [
        "info:\n\ttitle: a\n",
        "info:\n  title: a\n\tversion: b\n",
        "info:\n  title: a\n   version: b\n",
        "info:\n    title: a\n  version: b\n",
        "tags:\n- name: a\n - name: b\n",
        "info: |\n    a\n   b\nc: d\n",
    ];
    insta::assert_snapshot!(explained(&texts), @r##"
    a.yaml:2:1: the line is indented by a tab (/info)
      help: YAML allows only spaces there: replace the tab by spaces
    a.yaml:3:1: the line is indented by a tab (/info/title)
      help: YAML allows only spaces there: replace the tab by spaces
    a.yaml:3:4: the line is indented deeper than the one above, which has a value already (/info)
      help: indent the keys of one object by the same number of spaces
    a.yaml:3:3: the indentation of this line fits no line above
      help: indent the keys of one object, and the `-` of one list, by the same number of spaces
    a.yaml:3:2: the indentation of this line fits no line above
      help: indent the keys of one object, and the `-` of one list, by the same number of spaces
    a.yaml:3:4: the indentation of this line fits no line above
      help: indent the keys of one object, and the `-` of one list, by the same number of spaces
    "##);
}

#[test]
fn explains_missing_and_second_colons() {
    let texts = [
        "info:\n  title a\n  version: b\n",
        "info:\n  title: a\n  version b\npaths: {}\n",
        "info:\n  title:a\n  version: b\n",
        "info:\n  title: a: b\n",
        "tags:\n  - title: a: \"b\"\n",
        "openapi 3.0.3\ninfo: {}\n",
    ];
    insta::assert_snapshot!(explained(&texts), @r##"
    a.yaml:2:3: `title a` is no key with a value: it has no `: `
      help: write `title: a`
    a.yaml:3:3: `version b` is no key with a value: it has no `: ` (/info)
      help: write `version: b`
    a.yaml:2:3: `title:a` is no key with a value: it has no `: `
      help: write `title: a`
    a.yaml:2:11: the line has a second `: ` (/info)
      help: put the value in quotes: `title: "a: b"`
    a.yaml:2:13: the line has a second `: ` (/tags/0)
      help: put the value in quotes: `title: "a: \"b\""`
    a.yaml:1:1: `openapi 3.0.3` is no key with a value: it has no `: `
      help: write `openapi: 3.0.3`
    "##);
}

#[test]
fn explains_quotes_and_first_characters() {
    let texts = [
        "info:\n  title: \"a\n  version: b\n",
        "info:\n  title: 'a\n  version: b\n",
        "info: \"a\n",
        "info:\n  title: \"a\" b\n",
        "info: \"a\\d\"\n",
        "info: @a\n",
        "info: `a`\n",
        "info: %a\n",
        "info: *a b\n",
        "info: - a\n",
        "info: | a\n  b\n",
    ];
    insta::assert_snapshot!(explained(&texts), @r##"
    a.yaml:2:10: the quote that opens here is not closed (/info/title)
      help: close it on this line, or indent the lines that continue it; `\"` is a quote inside the text
    a.yaml:2:10: the quote that opens here is not closed (/info/title)
      help: close it on this line, or indent the lines that continue it; `''` is a quote inside the text
    a.yaml:1:7: the quote that opens here is not closed (/info)
      help: close it on this line, or indent the lines that continue it; `\"` is a quote inside the text
    a.yaml:2:14: there is more text behind the closing quote (/info/title)
      help: put all of the text in quotes; a quote inside it is `\"` in double and `''` in single quotes
    a.yaml:1:7: the text in double quotes has a backslash that begins no escape (/info)
      help: write `\\` for a backslash, or put the text in single quotes
    a.yaml:1:7: a text without quotes cannot begin with '@' (/info)
      help: put the text in quotes
    a.yaml:1:7: a text without quotes cannot begin with '`' (/info)
      help: put the text in quotes
    a.yaml:1:7: a text without quotes cannot begin with '%' (/info)
      help: put the text in quotes
    a.yaml:1:7: `*a` repeats an anchor that is not there (/info)
      help: define `&a`, or put the text in quotes
    a.yaml:1:7: a list cannot begin on the line of its key (/info)
      help: begin it on the next line; if it is a text, put the text in quotes
    a.yaml:1:7: there is text on the line of `|` or `>` (/info)
      help: begin the text on the next line, indented
    "##);
}

#[test]
fn explains_brackets() {
    let texts = [
        "info: {title: a, version: b\npaths: {}\n",
        "info: {title: a}}\npaths: {}\n",
        "tags: [a, b\ninfo: {title: a}\n",
        "info: {title: a",
        "info: {title: a\n  version: b}\n",
    ];
    insta::assert_snapshot!(explained(&texts), @r##"
    a.yaml:2:6: the `{` of line 1, column 7 is not closed before this place, or a comma is missing (/info)
      help: write `}` behind its last part, and `,` between its members
    a.yaml:1:17: the closing bracket closes nothing
      help: remove it, or open it before; in a text, put the text in quotes
    a.yaml:2:5: the `[` of line 1, column 7 is not closed before this place, or a comma is missing (/tags/1)
      help: write `]` behind its last part, and `,` between its items
    a.yaml:2:1: the `{` of line 1, column 7 is not closed before this place, or a comma is missing (/info)
      help: write `}` behind its last part, and `,` between its members
    a.yaml:2:10: the `{` of line 1, column 7 is not closed before this place, or a comma is missing (/info)
      help: write `}` behind its last part, and `,` between its members
    "##);
}

#[test]
fn explains_json() {
    let texts = [
        r#"{"a": "b" "c": 1}"#,
        r#"{"a": "b",}"#,
        "{\"a\": \"b,\n \"c\": 1}",
        r#"{"a": "b}"#,
        r#"{"a": "b, "c": 1}"#,
        "{'a': 1}",
        "{\"a\": 1 // one\n}",
        r#"{"a": 1"#,
        r#"{"a": 3.0.3}"#,
        r#"{"a": None}"#,
        r#"{"a" 1}"#,
        r#"{"a": [1, ]}"#,
        r#"{"a": "\d"}"#,
        r#"{"a": 1}}"#,
        "{openapi: 3.0.3}",
        r#"{"a": 1, "a": 2}"#,
    ];
    insta::assert_snapshot!(explained(&texts), @r##"
    a.yaml:1:11: expected `,` or `}`, found `"` (/a)
      help: write a comma before it, or close the quotes of the text before it
    a.yaml:1:11: expected a key in double quotes, found `}` (/a)
      help: write something here, or remove the comma before it
    a.yaml:1:7: the string does not end on its line (/a)
      help: close it with `"`; a line break in a text is written `\n`
    a.yaml:1:7: the string does not end (/a)
      help: close it with `"`
    a.yaml:1:12: expected `,` or `}`, found `c` (/a)
      help: write a comma before it, or close the quotes of the text before it
    a.yaml:1:2: expected a key in double quotes, found `'`
      help: write double quotes
    a.yaml:1:9: expected `,` or `}`, found `/` (/a)
      help: JSON has no comments: remove it
    a.yaml:1:8: expected `,` or `}`, found the end of the document (/a)
      help: the document ends too early: close what is open, or download it again
    a.yaml:1:7: `3.0.3` is not a valid JSON number (/a)
      help: write a number, or put it in double quotes
    a.yaml:1:7: expected a value, found `N` (/a)
      help: write a text in double quotes, a number, `true`, `false`, `null`, `{…}` or `[…]`
    a.yaml:1:6: expected `:`, found `1` (/a)
      help: write a colon between the key and its value
    a.yaml:1:11: expected a value, found `]` (/a/1)
      help: write something here, or remove the comma before it
    a.yaml:1:7: the string contains an escape that JSON does not define (/a)
      help: write a backslash as `\\`, a quote as `\"`
    a.yaml:1:9: expected the end of the document, found `}`
      help: remove what follows, or the bracket before it
    a.yaml:1:2: expected a key in double quotes, found `o`
      help: put the key in double quotes; a document in YAML begins with a key, not with `{`
    a.yaml:1:10: duplicate key `a`: the first is at line 1, column 2 (/a)
      help: remove one of the two, or rename it
    "##);
}

#[test]
fn recognizes_files_that_are_no_documents() {
    let texts = [
        "",
        "# nothing\n\n",
        "<!DOCTYPE html>\n<html>\n<title>a: b</title>",
        "\n<?xml version=\"1.0\"?>\n<definitions/>",
        "a: 1\n<<<<<<< HEAD\nb: 2\n=======\n>>>>>>> main\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\na: 2\n",
    ];
    insta::assert_snapshot!(explained(&texts), @r##"
    a.yaml:1:1: the document is empty
      help: write the document into it, or name another file
    a.yaml:3:1: the document is empty
      help: write the document into it, or name another file
    a.yaml:1:1: this is a web page (HTML), no document
      help: download the document itself: a page that shows it has a link to the plain file, often called `Raw` or `Download`
    a.yaml:1:1: this is XML, no YAML or JSON
      help: name an OpenAPI document, in YAML or JSON
    a.yaml:2:1: a conflict of git begins here
      help: keep one of the two versions, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`
    a.yaml:2:1: a second document begins: only one per file is supported
      help: remove the line `---`, or move the second document into a file of its own
    a.yaml:2:1: duplicate key `a`: the first is at line 1, column 1 (/a)
      help: remove one of the two, or rename it
    "##);
}

#[test]
fn text_in_another_encoding_and_binary_files_are_errors_with_a_place() {
    let files: [&[u8]; 3] = [b"a: 1\nb: \xe9\n", b"\xff\xfea\0", b"PK\x03\x04\0\0"];
    let problems = files.map(|bytes| decode("a.yaml", bytes.to_vec()).unwrap_err().to_string());
    insta::assert_snapshot!(problems.join("\n"), @r##"
    a.yaml:2:4: the text is not UTF-8 from here on
      help: save it as UTF-8
    a.yaml:1:1: the text is UTF-16
      help: save it as UTF-8
    a.yaml:1:1: this is a binary file, no text
      help: name the OpenAPI document itself; if it is in an archive, unpack it first
    "##);
    assert_eq!(decode("a.yaml", b"a: 1".to_vec()).unwrap(), "a: 1");
}
