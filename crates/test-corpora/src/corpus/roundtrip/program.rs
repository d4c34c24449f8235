//! Prints what dropshot emits from the generated interface, with the `info` of the document.

use dropspec_roundtrip::api::support_module;
use dropspec_roundtrip::document::DOCUMENT;
use serde_json::Value;

fn main() {
    let description = match support_module::stub_api_description() {
        Ok(description) => description,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    let info = &DOCUMENT.json()["info"];
    let text = |pointer: &str| info.pointer(pointer).and_then(Value::as_str);
    let version = text("/version").unwrap_or_default();
    let version = version.parse().unwrap_or_else(|_| "0.0.0".parse().expect("a version"));
    let mut api = description.openapi(text("/title").unwrap_or_default(), version);
    if let Some(description) = text("/description") {
        api.description(description);
    }
    if let Some(url) = text("/termsOfService") {
        api.terms_of_service(url);
    }
    if let Some(name) = text("/contact/name") {
        api.contact_name(name);
    }
    if let Some(url) = text("/contact/url") {
        api.contact_url(url);
    }
    if let Some(email) = text("/contact/email") {
        api.contact_email(email);
    }
    match (text("/license/name"), text("/license/url")) {
        (Some(name), Some(url)) => {
            api.license(name, url);
        }
        (Some(name), None) => {
            api.license_name(name);
        }
        _ => {}
    }
    api.write(&mut std::io::stdout()).expect("standard output is open");
}
