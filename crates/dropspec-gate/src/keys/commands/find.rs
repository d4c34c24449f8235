//! Finds the key that an operator names.

use anyhow::{Context, Result, bail, ensure};

use crate::keys::{ApiKey, ApiKeys, KeyRecord, MAX_FOUND};

/// Finds a key by the id or the prefix that the operator typed.
pub async fn find_by_id_or_prefix(keys: &ApiKeys, name: &str) -> Result<KeyRecord> {
    if let Ok(id) = name.parse() {
        return find(keys, id).await;
    }
    ensure!(
        ApiKey::parse(keys.settings().mark, name).is_none(),
        "that is a whole secret, which belongs into no command: name the key by its id, or by the first characters of its secret"
    );
    let ids = keys.find_ids_by_prefix(name).await?;
    match ids[..] {
        [id] => find(keys, id).await,
        [] => bail!("there is no key {name:?}; `keys list` shows all keys"),
        [first, ..] => {
            let texts: Vec<String> = ids.iter().map(i64::to_string).collect();
            let more = if ids.len() < MAX_FOUND { "" } else { ", …" };
            bail!(
                "{name:?} is ambiguous, as several keys begin so: {}{more}; name one by its id, such as {first}",
                texts.join(", ")
            )
        }
    }
}

pub(super) async fn find(keys: &ApiKeys, id: i64) -> Result<KeyRecord> {
    let found = keys.find(id).await?;
    found.with_context(|| format!("there is no key {id}; `keys list` shows all keys"))
}
