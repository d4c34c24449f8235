//! Enums whose values have names in a document.

/// Defines an enum with the name of each value in a document, and conversions between the two.
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        $name:ident { $($(#[$value_attribute:meta])* $value:ident = $text:literal),* $(,)? }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $(#[$attribute])*
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $(#[$value_attribute])*
                $value,
            )*
        }

        impl $name {
            /// All values of the enum, in the order of their definition.
            pub const ALL: &'static [$name] = &[$($name::$value,)*];

            /// The names of all values in an OpenAPI document.
            pub const NAMES: &'static [&'static str] = &[$($text,)*];

            /// The name of the value in an OpenAPI document.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$value => $text,)*
                }
            }

            /// Finds the value by its name in an OpenAPI document.
            pub fn parse(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.as_str() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use named_enum;
