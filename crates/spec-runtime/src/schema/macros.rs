//! The tables by which generated types get their `JsonSchema` from the document.

/// Implements `JsonSchema` for types by schemas of the document.
///
/// Each row names a type and a JSON pointer; a list of the types that the schema refers to may follow, and
/// is then checked to implement `JsonSchema` too. Definitions are found in the document itself, under
/// the document's names.
///
/// ```
/// use std::sync::LazyLock;
///
/// static DOCUMENT: LazyLock<spec_runtime::Document> = LazyLock::new(|| {
///     spec_runtime::Document::from_json(r#"{"components": {"schemas": {"Age": {"type": "integer"}}}}"#)
/// });
/// struct Age(pub i64);
/// spec_runtime::document_schemas! {
///     DOCUMENT;
///     Age => "/components/schemas/Age", [];
/// }
/// ```
#[macro_export]
macro_rules! document_schemas {
    ($document:path; $($type:ty => $pointer:literal $(, [$($reached:ty),* $(,)?])?);* $(;)?) => {$(
        impl $crate::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::string::String {
                $crate::schema::name_at($pointer)
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(concat!(module_path!(), "#", $pointer))
            }

            fn json_schema(
                generator: &mut $crate::schemars::r#gen::SchemaGenerator,
            ) -> $crate::schemars::schema::Schema {
                $($(let _: fn() -> ::std::string::String =
                    <$reached as $crate::schemars::JsonSchema>::schema_name;)*)?
                $crate::schema::schema_at(&$document, $pointer, generator)
            }
        }
    )*};
}

/// Implements `JsonSchema` for types by schemas that the document writes in place: they stay in place, and become no
/// definitions of their own.
#[macro_export]
macro_rules! inline_schemas {
    ($document:path; $($type:ident => $pointer:literal);* $(;)?) => {$(
        impl $crate::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::string::String {
                stringify!($type).to_owned()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(concat!(module_path!(), "#", $pointer))
            }

            fn is_referenceable() -> bool {
                false
            }

            fn json_schema(
                generator: &mut $crate::schemars::r#gen::SchemaGenerator,
            ) -> $crate::schemars::schema::Schema {
                $crate::schema::schema_at(&$document, $pointer, generator)
            }
        }
    )*};
}

/// Implements `JsonSchema` for structs of parameters: a pointer to an operation, and one of `path`, `query`,
/// `header`.
#[macro_export]
macro_rules! parameter_schemas {
    (@location path) => { $crate::Location::Path };
    (@location query) => { $crate::Location::Query };
    (@location header) => { $crate::Location::Header };
    ($document:path; $($type:ident => $pointer:literal, $location:ident);* $(;)?) => {$(
        impl $crate::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::string::String {
                stringify!($type).to_owned()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($type)))
            }

            fn json_schema(
                generator: &mut $crate::schemars::r#gen::SchemaGenerator,
            ) -> $crate::schemars::schema::Schema {
                let location = $crate::parameter_schemas!(@location $location);
                $crate::schema::parameters_at(&$document, $pointer, location, generator)
            }
        }
    )*};
}

/// Implements `JsonSchema` for structs of response headers: a pointer to a response.
#[macro_export]
macro_rules! response_header_schemas {
    ($document:path; $($type:ident => $pointer:literal);* $(;)?) => {$(
        impl $crate::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::string::String {
                stringify!($type).to_owned()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(concat!(module_path!(), "::", stringify!($type)))
            }

            fn json_schema(
                generator: &mut $crate::schemars::r#gen::SchemaGenerator,
            ) -> $crate::schemars::schema::Schema {
                $crate::schema::response_headers_at(&$document, $pointer, generator)
            }
        }
    )*};
}
