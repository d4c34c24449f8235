//! The table "Style Values" of OpenAPI 3.0.3, row by row, and what it leaves open.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::Styled;
use crate::parameter::{Location, Style};

fn write(style: Style, explode: bool, value: &Value) -> Result<String, String> {
    let location = match style {
        Style::Matrix | Style::Label => Location::Path,
        Style::Simple => Location::Header,
        _ => Location::Query,
    };
    write_in(location, style, explode, value)
}

fn write_in(
    location: Location,
    style: Style,
    explode: bool,
    value: &Value,
) -> Result<String, String> {
    let styled = Styled {
        name: "color",
        location,
        style,
        explode,
        allow_reserved: false,
    };
    if matches!(location, Location::Path | Location::Header) {
        return styled.text(value);
    }
    let pieces = styled.pieces(value)?;
    let pairs = pieces.into_iter();
    let pairs = pairs.map(|piece| format!("{}={}", piece.key.unwrap(), piece.text));
    Ok(pairs.collect::<Vec<_>>().join("&"))
}

#[test]
fn styles_write_what_the_table_of_the_standard_says() {
    use Style::*;
    let empty = json!("");
    let string = json!("blue");
    let array = json!(["blue", "black", "brown"]);
    let object = json!({"R": 100, "G": 200, "B": 150});
    for (style, explode, value, text) in [
        (Matrix, false, &empty, ";color"),
        (Matrix, false, &string, ";color=blue"),
        (Matrix, false, &array, ";color=blue,black,brown"),
        (Matrix, false, &object, ";color=R,100,G,200,B,150"),
        (Matrix, true, &empty, ";color"),
        (Matrix, true, &string, ";color=blue"),
        (Matrix, true, &array, ";color=blue;color=black;color=brown"),
        (Matrix, true, &object, ";R=100;G=200;B=150"),
        (Label, false, &empty, "."),
        (Label, false, &string, ".blue"),
        (Label, false, &array, ".blue.black.brown"),
        (Label, false, &object, ".R.100.G.200.B.150"),
        (Label, true, &empty, "."),
        (Label, true, &string, ".blue"),
        (Label, true, &array, ".blue.black.brown"),
        (Label, true, &object, ".R=100.G=200.B=150"),
        (Form, false, &empty, "color="),
        (Form, false, &string, "color=blue"),
        (Form, false, &array, "color=blue,black,brown"),
        (Form, false, &object, "color=R,100,G,200,B,150"),
        (Form, true, &empty, "color="),
        (Form, true, &string, "color=blue"),
        (Form, true, &array, "color=blue&color=black&color=brown"),
        (Form, true, &object, "R=100&G=200&B=150"),
        (Simple, false, &string, "blue"),
        (Simple, false, &array, "blue,black,brown"),
        (Simple, false, &object, "R,100,G,200,B,150"),
        (Simple, true, &string, "blue"),
        (Simple, true, &array, "blue,black,brown"),
        (Simple, true, &object, "R=100,G=200,B=150"),
        (SpaceDelimited, false, &array, "color=blue%20black%20brown"),
        (
            SpaceDelimited,
            false,
            &object,
            "color=R%20100%20G%20200%20B%20150",
        ),
        (PipeDelimited, false, &array, "color=blue|black|brown"),
        (PipeDelimited, false, &object, "color=R|100|G|200|B|150"),
        (
            DeepObject,
            true,
            &object,
            "color[R]=100&color[G]=200&color[B]=150",
        ),
    ] {
        let written = write(style, explode, value).unwrap();
        assert_eq!(written, text, "{style:?}, explode {explode}, {value}");
    }
}

#[test]
fn separators_inside_items_are_encoded_or_refused() {
    use Style::*;
    for (location, style, explode, item, text) in [
        (Location::Path, Simple, false, "a,b/c", "a%2Cb%2Fc,d"),
        (
            Location::Path,
            Matrix,
            false,
            "a;b=c,",
            ";color=a%3Bb%3Dc%2C,d",
        ),
        (Location::Query, Form, false, "a,b&c", "color=a%2Cb%26c,d"),
        (
            Location::Query,
            Form,
            true,
            "ü + %",
            "color=%C3%BC%20%2B%20%25&color=d",
        ),
        (Location::Cookie, Form, false, "a b,c", "color=a%20b%2Cc,d"),
        (Location::Header, Simple, false, "a b", "a b,d"),
    ] {
        let written = write_in(location, style, explode, &json!([item, "d"])).unwrap();
        assert_eq!(written, text, "{style:?} of {item:?}");
    }
    for (location, style, item) in [
        (Location::Header, Simple, "a,b"),
        (Location::Path, Label, "a.b"),
        (Location::Query, SpaceDelimited, "a b"),
        (Location::Query, PipeDelimited, "a|b"),
    ] {
        let error = write_in(location, style, false, &json!([item, "d"])).unwrap_err();
        assert!(error.contains("separates the items"), "{error}");
    }
}

#[test]
fn reserved_characters_stay_where_they_are_allowed_except_what_ends_the_value() {
    let mut styled = Styled {
        name: "a=b&c",
        location: Location::Query,
        style: Style::Form,
        explode: true,
        allow_reserved: true,
    };
    let pieces = styled.pieces(&json!("http://x/?y=1,2&z#+%")).unwrap();
    assert_eq!(pieces[0].key.as_deref(), Some("a%3Db%26c"));
    assert_eq!(pieces[0].text, "http://x/?y=1,2%26z%23%2B%25");
    styled.explode = false;
    let pieces = styled.pieces(&json!(["1,2", "/"])).unwrap();
    assert_eq!(pieces[0].text, "1%2C2,/");
}

#[test]
fn members_that_are_null_are_left_out_and_deep_objects_nest() {
    let value = json!({"R": null, "G": {"x y": [1, 2], "z": true}});
    assert_eq!(
        write(Style::DeepObject, true, &value).unwrap(),
        "color[G][x%20y]=1&color[G][x%20y]=2&color[G][z]=true"
    );
    assert_eq!(
        write(Style::Form, true, &json!({"R": null, "G": 1})).unwrap(),
        "G=1"
    );
    let lists = json!({"R": [1, 2]});
    assert_eq!(write(Style::Form, true, &lists).unwrap(), "R=1&R=2");
    let lists = json!({"R": [[1, 2], 3]});
    assert_eq!(
        write(Style::DeepObject, true, &lists).unwrap(),
        "color[R]=%5B1%2C2%5D&color[R]=3",
        "a list in a list is JSON"
    );
    assert_eq!(write(Style::Form, true, &json!([])).unwrap(), "");
    assert_eq!(write(Style::Form, false, &json!([])).unwrap(), "color=");
}
