//! The parts of help that clap does not write: commands in groups, in lines of at most 80 columns.

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width};

/// The help of a program: its commands stand before its options.
pub(crate) const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}";

/// The width of the lines.
const WIDTH: u16 = 80;

/// The width of the text about a command, at least: long names make the lines longer.
const MIN_TEXT: u16 = 40;

/// Commands below a heading.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// The heading.
    pub(crate) title: String,
    /// Names of commands, each with one sentence about it.
    pub(crate) commands: Vec<(String, String)>,
}

/// Puts commands into groups, in their order: title of the group, name and text of each command.
pub(crate) fn group(commands: impl IntoIterator<Item = [String; 3]>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for [title, name, about] in commands {
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.commands.push((name, about)),
            None => groups.push(Group {
                title,
                commands: vec![(name, about)],
            }),
        }
    }
    groups
}

impl Group {
    /// The commands that need no service: the shell's and help.
    pub(crate) fn of_shell(has_tail: bool) -> Group {
        let tail = (
            "tail",
            "Show your own requests as they are answered, until Ctrl-C",
        );
        let commands = [
            ("completions", "Print shell completions, or install them"),
            (
                "man",
                "Print the manual page, or write the pages of all commands",
            ),
            ("help", "Show the options of a command: `help COMMAND`"),
        ];
        let all = has_tail.then_some(tail).into_iter().chain(commands);
        Group {
            title: "More".to_owned(),
            commands: all
                .map(|(name, about)| (name.to_owned(), about.to_owned()))
                .collect(),
        }
    }
}

/// The groups one after the other, with their texts in one column.
pub(crate) fn list_commands(groups: &[Group]) -> String {
    let commands = groups.iter().flat_map(|group| &group.commands);
    let longest = commands.map(|(name, _)| name.len()).max().unwrap_or(0);
    let names_width = u16::try_from(longest).unwrap_or(WIDTH).saturating_add(4);
    let mut text = String::new();
    for group in groups {
        let mut table = Table::new();
        table
            .load_style(NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(WIDTH.max(names_width.saturating_add(MIN_TEXT)))
            .add_rows(group.commands.iter().map(|(name, about)| [name, about]));
        if let Some(names) = table.column_mut(0) {
            let width = ColumnConstraint::Absolute(Width::Fixed(names_width));
            names.set_padding((2, 2)).set_constraint(width);
        }
        if let Some(texts) = table.column_mut(1) {
            texts.set_padding((0, 0));
        }
        text.push_str(&format!("{}:\n{}\n\n", group.title, table.trim_fmt()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_in_groups_and_long_texts_are_indented() {
        let long = "This sentence about a command is so long that it does not fit into one line";
        let command =
            |group: &str, name: &str, about: &str| [group, name, about].map(str::to_owned);
        let groups = group([
            command("Pets", "list-pets", long),
            command("More", "man", ""),
            command("Pets", "get-pet", "Get a pet"),
        ]);
        let expected = "\
Pets:
  list-pets  This sentence about a command is so long that it does not fit into
             one line
  get-pet    Get a pet

More:
  man

";
        assert_eq!(list_commands(&groups), expected);
    }
}
