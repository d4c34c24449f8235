//! What a request prefers as its answer: the header `Prefer` (RFC 7240) with `code` and `example`.

use dropspec_runtime::{ParameterLocation, Rejection};
use http::HeaderMap;

/// The answer that a request asks for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Preference {
    /// The status.
    pub(super) code: Option<u16>,
    /// The name of an example of the document.
    pub(super) example: Option<String>,
}

impl Preference {
    /// Reads the preferences of a request. Others than these two are ignored, and of each only the first counts (RFC 7240,
    /// section 2).
    ///
    /// # Errors
    /// The code is no status.
    pub(super) fn read(headers: &HeaderMap) -> Result<Preference, Rejection> {
        let mut preference = Preference::default();
        let values = headers.get_all("prefer").iter();
        let values = values.filter_map(|value| value.to_str().ok());
        for (name, value) in values
            .flat_map(|value| value.split([',', ';']))
            .filter_map(|it| it.split_once('='))
        {
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "code" => {
                    let code = value.parse().ok();
                    let code = code.filter(|code| (200..600).contains(code));
                    let wrong = || {
                        refuse(format!(
                            "has the code `{value}`: write a status of 200 to 599, as in code=404"
                        ))
                    };
                    let code = code.ok_or_else(wrong)?;
                    preference.code.get_or_insert(code);
                }
                "example" => {
                    preference.example.get_or_insert(value.to_owned());
                }
                _ => {}
            }
        }
        Ok(preference)
    }
}

/// The error for a preference that the document cannot satisfy.
pub(super) fn refuse(message: String) -> Rejection {
    Rejection::InvalidParameter {
        name: "Prefer".to_owned(),
        location: ParameterLocation::Header,
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<Preference, Rejection> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", value.parse().unwrap());
        }
        Preference::read(&headers)
    }

    #[test]
    fn code_and_example_are_read_and_other_preferences_ignored() {
        let example = |name: &str| Some(name.to_owned());
        for (values, code, name) in [
            (&["code=404"][..], Some(404), None),
            (
                &["Code=404, example=\"gone away\""],
                Some(404),
                example("gone away"),
            ),
            (
                &["respond-async; wait=5", "example=a;code=200"],
                Some(200),
                example("a"),
            ),
            (&["example=a", "code=404"], Some(404), example("a")),
            (
                &["code=404", "example=a, example=b", "code=200"],
                Some(404),
                example("a"),
            ),
            (&["return=minimal"], None, None),
            (&[], None, None),
        ] {
            let expected = Preference {
                code,
                example: name,
            };
            assert_eq!(read(values).unwrap(), expected, "{values:?}");
        }
    }

    #[test]
    fn code_that_is_no_status_is_refused() {
        for value in ["code=x", "code=99", "code=600", "code="] {
            let error = read(&[value]).unwrap_err().to_string();
            assert!(
                error.starts_with("header \"Prefer\" has the code `"),
                "{error}"
            );
        }
    }
}
