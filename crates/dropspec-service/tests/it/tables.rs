//! The tables of a hand-written interface, without plans and error codes.

/// The functions of `Interface` that return the operations, the security schemes and the document.
macro_rules! tables {
    ($operations:expr, $schemes:expr, $document:expr, $source:expr) => {
        fn operations() -> &'static [dropspec_runtime::OperationInfo] {
            $operations
        }

        fn security_schemes() -> &'static [dropspec_runtime::SecuritySchemeInfo] {
            $schemes
        }

        fn document() -> &'static dropspec_runtime::Document {
            $document
        }

        fn document_source() -> &'static str {
            $source
        }

        fn plans() -> &'static [dropspec_runtime::PlanInfo] {
            &[]
        }

        fn error_codes() -> &'static [dropspec_runtime::ErrorCodeInfo] {
            &[]
        }
    };
}

pub(crate) use tables;
