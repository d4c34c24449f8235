// The service that the examples of the README run against, and the runtime that they run in.

use petstore_client::mock::MockServerExt;
use petstore_client::types;

fn shop(example: impl AsyncFnOnce(&str, &str) -> Result<(), petstore_client::CallError>) {
    let server = httpmock::MockServer::start();
    let listed = server.list_pets(|when, then| {
        when.into_inner().header("x-api-key", "pst_example");
        let pet = types::Pet {
            id: 1,
            name: "Mittens".to_owned(),
            category_id: 1,
            status: Some(types::PetStatus::Available),
        };
        then.ok(&types::Pets(vec![pet]))
            .into_inner()
            .header("x-ratelimit-limit", "60")
            .header("x-ratelimit-remaining", "59")
            .header("x-ratelimit-reset", "1795233600");
    });
    server.delete_pet(|when, then| {
        when.pet_id(7);
        then.no_content();
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime
        .block_on(example(&server.base_url(), "pst_example"))
        .expect("the example succeeds");
    assert!(listed.calls() > 0, "the example asked for the pets");
}
