//! Elements of a document: their types, and how they are read, in one table each.

/// Defines the type of an element, which messages call by the text behind `is`. A `$ref` into the section of `components`
/// behind `of` can replace it. Each field is read from its key by its type, or by a function that returns `None` if the
/// element cannot be read without. Fields behind `given` are set by the reader.
macro_rules! element {
    (@section) => { None };
    (@section $section:literal) => { Some($section) };
    (@keep $value:expr, $section:literal) => { $value };
    (@read $fields:ident $key:literal) => { $fields.read($key)? };
    (@read $fields:ident $key:literal $read:path) => { $read(&$fields)? };
    (
        $(#[$attribute:meta])*
        $name:ident is $title:literal $(of $section:literal)? $(checked by $check:path)? {
            $($(#[$more:meta])* $field:ident: $type:ty = $key:literal $(by $read:path)?,)*
        }
        $(given {
            $($(#[$given_attribute:meta])* $given:ident: $given_type:ty = $value:expr,)*
        })?
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            /// The place in the document, after `$ref`s were followed.
            pub at: $crate::reader::Place,
            $(
                #[doc = concat!("The place of the `$ref` to `components/", $section, "`, if there is one.")]
                pub reference: Option<$crate::reader::Place>,
                #[doc = concat!("The name in `components/", $section, "`, if it is a component.")]
                pub component: Option<String>,
            )?
            $($($(#[$given_attribute])* pub $given: $given_type,)*)?
            $(
                #[doc = concat!("`", $key, "`")]
                $(#[$more])*
                pub $field: $type,
            )*
        }

        impl $crate::fields::Read for $name {
            fn read<'d>(
                reader: &$crate::reader::Reader<'d>,
                cursor: $crate::reader::Cursor<'d>,
            ) -> Option<Self> {
                let fields = reader.open(cursor, $title, element!(@section $($section)?))?;
                let element = $name {
                    at: fields.at.clone(),
                    $(
                        reference: element!(@keep fields.reference.clone(), $section),
                        component: element!(@keep fields.component.clone(), $section),
                    )?
                    $($($given: $value,)*)?
                    $($field: element!(@read fields $key $($read)?),)*
                };
                $($check(&fields, &element);)?
                Some(element)
            }
        }
    };
}

pub(crate) use element;
