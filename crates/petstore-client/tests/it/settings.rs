//! The settings of a client, which are checked when it is built.

use petstore_client::Client;

use crate::OK;
use crate::scripted_server::ScriptedServer;

#[test]
fn invalid_settings_are_rejected_with_what_to_write() {
    let url = "http://127.0.0.1:1";
    for (base_url, api_key, why) in [
        ("", "pst_key", "such as http://127.0.0.1:8080"),
        (
            "127.0.0.1:8080",
            "pst_key",
            "has no scheme: write `http://127.0.0.1:8080`",
        ),
        (
            "ftp://pets.test",
            "pst_key",
            "its scheme is `ftp`; begin it with http:// or https://",
        ),
        ("http://a.test?pets=all", "pst_key", "query or a fragment"),
        (
            "http://me:secret@a.test",
            "pst_key",
            "user name or a password",
        ),
        (url, "two\nlines", "copy it again, without line breaks"),
    ] {
        let message = Client::connect(base_url, api_key).unwrap_err().to_string();
        assert!(message.contains(why), "{base_url}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
    let message = Client::builder().build().unwrap_err().to_string();
    assert!(message.contains("set PETSTORE_API_KEY"), "{message}");
}

#[tokio::test]
async fn path_of_base_url_is_a_prefix() {
    for (tail, line) in [
        ("/ \n", "GET /pets"),
        ("//", "GET /pets"),
        ("/store", "GET /store/pets"),
        ("/store/", "GET /store/pets"),
    ] {
        let service = ScriptedServer::start(&[OK]);
        let client = Client::connect(&format!(" {}{tail}", service.url()), "pst_key").unwrap();

        client.list_pets().send().await.unwrap();

        assert_eq!(service.requests()[0].line(), line, "{tail}");
    }
}
