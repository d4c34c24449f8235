//! The styles in which parameters, headers and fields of forms are written.

use crate::fields::Fields;
use crate::named_enum::named_enum;
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
    }
}

impl ParameterStyle {
    /// The value of `explode` for this style if it is not declared.
    pub fn explodes_by_default(self) -> bool {
        self == ParameterStyle::Form
    }
}

impl Fields<'_, '_> {
    /// Reads the field `style` of a parameter or header.
    pub(crate) fn read_style(&self) -> Option<ParameterStyle> {
        let text = self.read_located_string("style")?;
        let style = ParameterStyle::parse(&text.value);
        if style.is_none() {
            let message = format!("`{}` is not a style", text.value);
            let names: Vec<&str> = ParameterStyle::ALL.iter().map(|s| s.as_str()).collect();
            let help = write_one_of(&text.value, &names);
            self.reader.report_error_with_help(&text.at, message, help);
        }
        style
    }
}
