//! Texts that match a regular expression. Look-around and back references, which are rare, give none.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The most repetitions of a part.
const MOST_REPETITIONS: u32 = 300;

/// Guesses texts that match the pattern: one for each alternative at the top, the shortest of each, and a longer one.
pub(crate) fn guess(pattern: &str) -> Vec<String> {
    let Some(hir) = parse(pattern) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    for choice in 0..3 {
        for more in 0..2 {
            let mut text = String::new();
            write(&hir, choice, more, &mut text);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
}

/// Guesses a text of `length` characters that matches the pattern.
pub(crate) fn guess_sized(pattern: &str, length: usize) -> Option<String> {
    let hir = parse(pattern)?;
    (0..=u32::try_from(length).ok()?.min(MOST_REPETITIONS)).find_map(|more| {
        let mut text = String::new();
        write(&hir, 0, more, &mut text);
        (text.chars().count() == length).then_some(text)
    })
}

fn parse(pattern: &str) -> Option<Hir> {
    let mut parser = ParserBuilder::new().utf8(true).build();
    // ECMAScript has escapes that Rust has not.
    let pattern = pattern.replace("\\/", "/");
    parser.parse(&pattern).ok()
}

/// Appends a text that matches: the alternative number `choice`, and `more` repetitions than needed where they are free.
fn write(hir: &Hir, choice: usize, more: u32, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            // Letters are more usual than signs.
            let mut letters = ['a', 'A', '0'].into_iter();
            let has = |letter: char| {
                let mut ranges = ranges.iter();
                ranges.any(|range| (range.start()..=range.end()).contains(&letter))
            };
            let printable = ranges.iter().find(|range| range.end() > ' ');
            let other = printable.or(ranges.first());
            let other = other.map(|range| range.start().max('!').min(range.end()));
            text.extend(letters.find(|letter| has(*letter)).or(other));
        }
        HirKind::Class(Class::Bytes(class)) => {
            let first = class.ranges().first();
            text.extend(first.map(|range| char::from(range.start())));
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let count = repetition.min.saturating_add(more).min(most);
            for _ in 0..count.min(MOST_REPETITIONS.max(repetition.min)) {
                write(&repetition.sub, choice, 0, text);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, choice, more, text),
        HirKind::Concat(parts) => parts
            .iter()
            .for_each(|part| write(part, choice, more, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = parts.get(choice).or(parts.first()) {
                write(part, choice, more, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_their_patterns() {
        assert_eq!(guess("^[a-z]{2}-\\d+$"), ["aa-0", "aa-00"]);
        assert_eq!(guess("^(on|off)$"), ["on", "off"]);
        assert_eq!(guess_sized("^x[0-9]*$", 4).as_deref(), Some("x000"));
        assert_eq!(guess("(?=look)"), Vec::<String>::new());
    }
}
