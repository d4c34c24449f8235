//! The styles in which parameters, headers and fields of forms are written.

use crate::fields::Read;
use crate::named_enum::named_enum;
use crate::reader::{Cursor, Located, Reader};
use crate::suggestion::write_one_of;

named_enum! {
    /// The serialization of arrays and objects as text.
    ParameterStyle {
        Matrix = "matrix",
        Label = "label",
        Form = "form",
        Simple = "simple",
        SpaceDelimited = "spaceDelimited",
        PipeDelimited = "pipeDelimited",
        DeepObject = "deepObject",
        Cookie = "cookie",
    }
}

impl ParameterStyle {
    /// The value of `explode` for this style if it is not declared.
    pub fn explodes_by_default(self) -> bool {
        matches!(self, ParameterStyle::Form | ParameterStyle::Cookie)
    }
}

impl Read for ParameterStyle {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let text = Located::<String>::read(reader, cursor)?;
        let style = ParameterStyle::parse(&text.value);
        if style.is_none() {
            let message = format!("`{}` is not a style", text.value);
            let help = write_one_of(&text.value, ParameterStyle::NAMES);
            reader.report(&text.at, message, help);
        }
        style
    }
}
