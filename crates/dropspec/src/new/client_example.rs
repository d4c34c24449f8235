//! A program for a new workspace, made of the user's own document, that calls an operation by the generated client.

use serde_json::Value;

use super::builders::{Builder, Builders, spell};
use super::sample_values::{SampleValues, raw_string};

/// The client that an example calls.
#[derive(Clone, Copy)]
pub(super) struct Client<'a> {
    /// Its builders.
    pub(super) builders: &'a Builders,
    /// The name of its crate.
    pub(super) crate_name: &'a str,
    /// The document that it was generated from.
    pub(super) document: &'a Value,
}

/// Writes a program that calls one of the operations with these methods by the generated client, not formatted: one that only
/// reads, if there is such an operation. Returns the method, too.
pub(super) fn choose_client_example(
    client: &Client<'_>,
    methods: &[String],
) -> Option<(String, String)> {
    let examples = methods.iter().filter_map(|method| {
        let builder = client.builders.find(method)?;
        let text = write_example(client, method, &builder)?;
        let has_structures = text.contains("serde_json::");
        // A parameter shows how one is set; several show no more.
        let shows_parameter = !text.contains(&format!(".{method}().send()"));
        let rank = (has_structures, builder.verb != "GET", !shows_parameter);
        Some((rank, method, text))
    });
    // Of several, the first.
    let (_, method, text) = examples.min_by_key(|(rank, ..)| *rank)?;
    Some((method.clone(), text))
}

/// Writes a program that calls the operation with this method. `None` if no value of something required is known.
fn write_example(of: &Client<'_>, method: &str, builder: &Builder) -> Option<String> {
    let crate_name = of.crate_name;
    let samples = SampleValues::new(of.document, &builder.verb, &builder.path);
    let mut parameters = builder.parameters();
    let (mut values, mut calls) = (String::new(), String::new());
    for (name, ty) in &builder.setters {
        let parameter = (name != "body").then(|| parameters.next());
        if parameter.is_some_and(|parameter| !parameter.is_some_and(|of| of.is_required)) {
            continue;
        }
        let ty = spell(ty);
        let is_number = |ty: &str| ty.starts_with(['i', 'u']) && ty[1..].parse::<u8>().is_ok();
        let usual = match ty.as_str() {
            "String" => Value::from(name.as_str()),
            "bool" => Value::from(true),
            "f64" | "f32" => Value::from(1.0),
            ty if is_number(ty) => Value::from(1),
            _ => Value::Null,
        };
        let sample = match parameter.flatten() {
            Some(of) => samples.parameter(of.location, of.name, usual.clone()),
            None => samples.body(),
        };
        let value = match (&usual, sample) {
            (Value::Null, sample) => {
                let value = raw_string(&format!("{:#}", sample?));
                values.push_str(&format!(
                    "let {name}: {ty} = serde_json::from_str({value})?;\n"
                ));
                name.clone()
            }
            // A Rust type may hold less than its schema allows.
            (Value::String(_), Some(Value::String(text))) => format!("{text:?}"),
            (Value::Bool(_), Some(Value::Bool(value))) => value.to_string(),
            (Value::Number(usual), Some(Value::Number(value)))
                if usual.is_f64() == value.is_f64() =>
            {
                value.to_string()
            }
            (Value::String(usual), _) => format!("{usual:?}"),
            (usual, _) => usual.to_string(),
        };
        calls.push_str(&format!(".{name}({value})"));
    }
    let types = if values.is_empty() {
        String::new()
    } else {
        format!("use {crate_name}::types::*;\n")
    };
    Some(format!(
        "//! Calls the service by its client, whose settings are environment variables.\n\nuse {crate_name}::Client;\n{types}\n\
         #[tokio::main(flavor = \"current_thread\")]\n\
         async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n\
         let client = Client::from_env()?;\n{values}\
         let response = client.{method}(){calls}.send().await?;\n\
         println!(\"{{}}: {{:?}}\", response.status(), response.into_inner());\nOk(())\n}}\n"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn client_sets_what_the_operation_requires() {
        let builder = "impl Client { pub fn put(&self) -> Put<'_> { Put::new(self) } }
            impl<'a> Put<'a> {
                pub fn new(client: &'a Client) -> Self {
                    static OPERATION: Operation = Operation::new(\"put\", \"PUT\", \"/{id}\").parameters(&[
                        Parameter::path(\"id\"), Parameter::query(\"q\"), Parameter::header(\"n\").required()])
                        .body_required();
                }
                pub fn id(mut self, value: impl TryInto<String>) -> Self {}
                pub fn q(mut self, value: impl TryInto<bool>) -> Self {}
                pub fn n(mut self, value: impl TryInto<u32>) -> Self {}
                pub fn body(mut self, value: impl TryInto<Book>) -> Self {}
                pub async fn send(self) -> Result<(), Error> {}
            }";
        let document = json!({ "paths": { "/{id}": { "put": { "requestBody": { "content": {
            "application/json": { "schema": { "type": "object", "enum": [{ "title": "Emma" }] } }
        } } } } } });
        let builders = Builders::read(&[("client/builder.rs", builder)]);
        let client = Client {
            builders: &builders,
            crate_name: "books_client",
            document: &document,
        };
        let put = ["put".to_owned()];
        let (method, text) = choose_client_example(&client, &put).unwrap();
        assert_eq!(method, "put");
        for part in [
            "let client = Client::from_env()?;",
            "use books_client::types::*;",
            "let body: Book = serde_json::from_str(r#\"{\n  \"title\": \"Emma\"\n}\"#)?;",
            "client.put().id(\"id\").n(1).body(body).send()",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let document = json!({});
        let undescribed = Client {
            document: &document,
            ..client
        };
        assert_eq!(choose_client_example(&undescribed, &put), None);
        let none = Builders::read(&[]);
        let none = Client {
            builders: &none,
            ..client
        };
        assert_eq!(choose_client_example(&none, &put), None);
    }

    #[test]
    fn client_calls_an_operation_that_reads_and_needs_no_value_of_the_user() {
        let operation = |name: &str, verb: &str, parameter: &str, ty: &str| {
            format!(
                "impl Client {{ pub fn {name}(&self) -> B{name}<'_> {{ B{name}::new(self) }} }}
                impl<'a> B{name}<'a> {{
                    pub fn new(client: &'a Client) -> Self {{
                        static OPERATION: Operation = Operation::new(\"{name}\", \"{verb}\", \"/\").parameters(&[{parameter}]);
                    }}
                    pub fn id(mut self, value: impl TryInto<{ty}>) -> Self {{}}
                }}"
            )
        };
        let builder = [
            operation("patch", "PATCH", "Parameter::path(\"id\")", "Book"),
            operation("delete", "DELETE", "Parameter::path(\"id\")", "String"),
            operation("all", "GET", "Parameter::query(\"id\")", "String"),
            operation("kind", "GET", "Parameter::path(\"id\")", "Kind"),
            operation("one", "GET", "Parameter::path(\"id\")", "String"),
        ]
        .concat();
        let builders = Builders::read(&[("client/builder.rs", &builder)]);
        let chosen = |methods: &[&str]| {
            let methods: Vec<String> = methods.iter().map(|it| (*it).to_owned()).collect();
            let client = Client {
                builders: &builders,
                crate_name: "a",
                document: &Value::Null,
            };
            let (_, text) = choose_client_example(&client, &methods).unwrap();
            text
        };
        let all = ["patch", "delete", "all", "kind", "one"];
        assert!(chosen(&all).contains("client.one().id(\"id\").send()"));
        assert!(chosen(&all[..4]).contains("client.all().send()"));
        assert!(chosen(&["patch", "delete", "kind"]).contains("client.delete().id(\"id\")"));
    }
}
