//! What is generated, in memory.

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The crate that the file belongs to.
    pub part: Part,
    /// The name of the file, such as `api.rs` or `client/types.rs`.
    pub name: String,
    /// The text of the file. Rust is not formatted.
    pub content: String,
}

/// A crate that generated files belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The dropshot interface.
    Api,
    /// The client.
    Client,
}
