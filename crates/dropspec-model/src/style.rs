//! The styles in which parameters, headers and fields of forms are written.

use dropspec_schema::wire::Style;

use crate::fields::Read;
use crate::reader::{Cursor, Located, Reader};
use crate::suggestion::write_one_of;

impl Read for Style {
    fn read<'d>(reader: &Reader<'d>, cursor: Cursor<'d>) -> Option<Self> {
        let text = Located::<String>::read(reader, cursor)?;
        let style = Style::of_name(&text.value);
        if style.is_none() {
            let message = format!("`{}` is not a style", text.value);
            let help = write_one_of(&text.value, &Style::NAMES);
            reader.report(&text.at, message, help);
        }
        style
    }
}
