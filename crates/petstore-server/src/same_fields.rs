//! Conversions between two types with the same properties, which are written once.

/// Implements `From` between two structs with the same fields. A field that one has and the other has not does not compile.
///
/// ```ignore
/// same_fields!(api::NewCategory => categories::NewCategory { name, description });
/// ```
macro_rules! same_fields {
    ($from:ty => $to:ty { $($field:ident),* $(,)? }) => {
        impl From<$from> for $to {
            fn from(value: $from) -> Self {
                type Source = $from;
                let Source { $($field),* } = value;
                Self { $($field),* }
            }
        }
    };
}

pub(crate) use same_fields;
