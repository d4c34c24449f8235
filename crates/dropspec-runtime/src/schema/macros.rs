//! Macros that implement `JsonSchema` for generated types from schemas of the document.

/// Implements `JsonSchema` for types by schemas of the document.
///
/// Each row names a type and a JSON pointer. Definitions are taken from the document, with its names.
///
/// ```
/// use std::sync::LazyLock;
///
/// static DOCUMENT: LazyLock<dropspec_runtime::Document> = LazyLock::new(|| {
///     dropspec_runtime::Document::from_json(r#"{"components": {"schemas": {"Age": {"type": "integer"}}}}"#)
/// });
/// struct Age(pub i64);
/// dropspec_runtime::document_schemas! {
///     DOCUMENT;
///     Age => "/components/schemas/Age";
/// }
/// ```
#[macro_export]
macro_rules! document_schemas {
    ($document:path; $($type:ty => $pointer:literal);* $(;)?) => {$(
        $crate::implement_json_schema! {
            $type, $pointer, $crate::schema::schema_name($pointer), true,
            |generator| $crate::schema::build_schema(&$document, $pointer, generator)
        }
    )*};
}

/// Implements `JsonSchema` for types by schemas that the document contains inline. They stay inline: they do not become
/// definitions.
#[macro_export]
macro_rules! inline_schemas {
    ($document:path; $($type:ident => $pointer:literal);* $(;)?) => {$(
        $crate::implement_json_schema! {
            $type, $pointer, $crate::schema::title(&$document, $pointer, stringify!($type)), false,
            |generator| $crate::schema::build_schema(&$document, $pointer, generator)
        }
    )*};
}

/// Implements `JsonSchema` for structs of parameters: a JSON pointer to an operation; `path`, `query` or `header`; and the
/// names of the parameters.
#[macro_export]
macro_rules! parameter_schemas {
    (@location path) => { $crate::ParameterLocation::Path };
    (@location query) => { $crate::ParameterLocation::Query };
    (@location header) => { $crate::ParameterLocation::Header };
    ($document:path; $($type:ident => $pointer:literal, $location:ident $(, $name:literal)*);* $(;)?) => {$(
        $crate::implement_json_schema! {
            $type, stringify!($type), stringify!($type).to_owned(), true,
            |generator| {
                let location = $crate::parameter_schemas!(@location $location);
                $crate::schema::build_parameter_schema(
                    &$document, $pointer, location, &[$($name),*], generator,
                )
            }
        }
    )*};
}

/// Implements `JsonSchema` for structs of response headers: a JSON pointer to a response, and the names of the headers.
#[macro_export]
macro_rules! response_header_schemas {
    ($document:path; $($type:ident => $pointer:literal $(, $name:literal)*);* $(;)?) => {$(
        $crate::implement_json_schema! {
            $type, stringify!($type), stringify!($type).to_owned(), true,
            |generator| {
                $crate::schema::build_response_header_schema(
                    &$document, $pointer, &[$($name),*], generator,
                )
            }
        }
    )*};
}

/// Implements `JsonSchema` for one type: its id within the module, its name, whether it may become a definition, and
/// how its schema is built.
#[doc(hidden)]
#[macro_export]
macro_rules! implement_json_schema {
    ($type:ty, $id:expr, $name:expr, $referenceable:literal, |$generator:ident| $schema:expr) => {
        impl $crate::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::string::String {
                $name
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(concat!(module_path!(), "#", $id))
            }

            fn is_referenceable() -> bool {
                $referenceable
            }

            fn json_schema(
                $generator: &mut $crate::schemars::r#gen::SchemaGenerator,
            ) -> $crate::schemars::schema::Schema {
                $schema
            }
        }
    };
}
