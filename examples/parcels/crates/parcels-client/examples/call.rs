//! Calls the service by its client, whose settings are environment variables.

use parcels_client::Client;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?;
    // A parameter is set by the method of its name, before `send`.
    let response = client.list_zones().send().await?;
    println!("{}", response.status());
    Ok(())
}
