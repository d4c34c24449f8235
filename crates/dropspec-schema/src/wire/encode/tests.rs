//! The table "Style Values" of OpenAPI 3.0.3, row by row, and what it leaves open.
use serde_json::{Value, json};

use super::Styled;
use crate::wire::parameter::{Location, Style};

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

/// The style of this name.
fn style(name: &str) -> Style {
    Style::of_name(name).unwrap()
}

#[test]
fn styles_write_what_the_table_of_the_standard_says() {
    const TABLE: &str = "
        matrix false empty          ;color
        matrix false string         ;color=blue
        matrix false array          ;color=blue,black,brown
        matrix false object         ;color=R,100,G,200,B,150
        matrix true empty           ;color
        matrix true string          ;color=blue
        matrix true array           ;color=blue;color=black;color=brown
        matrix true object          ;R=100;G=200;B=150
        label false empty           .
        label false string          .blue
        label false array           .blue.black.brown
        label false object          .R.100.G.200.B.150
        label true empty            .
        label true string           .blue
        label true array            .blue.black.brown
        label true object           .R=100.G=200.B=150
        form false empty            color=
        form false string           color=blue
        form false array            color=blue,black,brown
        form false object           color=R,100,G,200,B,150
        form true empty             color=
        form true string            color=blue
        form true array             color=blue&color=black&color=brown
        form true object            R=100&G=200&B=150
        simple false string         blue
        simple false array          blue,black,brown
        simple false object         R,100,G,200,B,150
        simple true string          blue
        simple true array           blue,black,brown
        simple true object          R=100,G=200,B=150
        spaceDelimited false array  color=blue%20black%20brown
        spaceDelimited false object color=R%20100%20G%20200%20B%20150
        pipeDelimited false array   color=blue|black|brown
        pipeDelimited false object  color=R|100|G|200|B|150
        deepObject true object      color[R]=100&color[G]=200&color[B]=150
    ";
    for row in TABLE.lines().filter(|row| !row.trim().is_empty()) {
        let [name, explode, kind, text] = row.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let value = match kind {
            "empty" => json!(""),
            "string" => json!("blue"),
            "array" => json!(["blue", "black", "brown"]),
            _ => json!({"R": 100, "G": 200, "B": 150}),
        };
        let written = write(style(name), explode == "true", &value).unwrap();
        assert_eq!(written, text, "{row}");
    }
}

#[test]
fn separators_inside_items_are_encoded_or_refused() {
    use Style::*;
    const TABLE: &str = "
        path simple false a,b/c   | a%2Cb%2Fc,d
        path matrix false a;b=c,  | ;color=a%3Bb%3Dc%2C,d
        query form false a,b&c    | color=a%2Cb%26c,d
        query form true ü + %     | color=%C3%BC%20%2B%20%25&color=d
        cookie form false a b,c   | color=a%20b%2Cc,d
        header simple false a b   | a b,d
    ";
    for (row, text) in TABLE.lines().filter_map(|row| row.split_once('|')) {
        let [location, name, explode, item] = row.trim().splitn(4, ' ').collect::<Vec<_>>()[..]
        else {
            panic!("{row}");
        };
        let location = Location::of_name(location).unwrap();
        let value = json!([item, "d"]);
        let written = write_in(location, style(name), explode == "true", &value).unwrap();
        assert_eq!(written, text.trim(), "{row}");
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
