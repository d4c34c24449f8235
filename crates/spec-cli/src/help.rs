//! The parts of help that clap does not write: commands in groups, in lines of at most 80 columns.

/// The help of a program: its commands stand before its options.
pub const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}";

/// The width of the lines.
const WIDTH: usize = 80;

/// Commands below a heading.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// The heading.
    pub title: String,
    /// Names of commands, each with one sentence about it.
    pub commands: Vec<(String, String)>,
}

/// Puts commands into groups, in their order: title of the group, name and text of each command.
pub fn group(commands: impl IntoIterator<Item = [String; 3]>) -> Vec<Group> {
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
    pub fn of_shell(has_tail: bool) -> Group {
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
pub fn list_commands(groups: &[Group]) -> String {
    let commands = groups.iter().flat_map(|group| &group.commands);
    let column = commands
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0)
        .min(30);
    let mut text = String::new();
    for group in groups {
        text.push_str(&format!("{}:\n", group.title));
        for (name, about) in &group.commands {
            let start = format!("  {name:column$}  ");
            text.push_str(&fill(&start, about));
        }
        text.push('\n');
    }
    text
}

/// `start` and words behind it, in lines that are indented as far as `start` is long.
fn fill(start: &str, words: &str) -> String {
    let indent = " ".repeat(start.len());
    let mut text = String::new();
    let mut line = start.to_owned();
    for word in words.split_whitespace() {
        let is_first = line.trim_end().len() <= start.trim_end().len();
        if !is_first && line.chars().count() + word.chars().count() > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line.clone_from(&indent);
        }
        line.push_str(word);
        line.push(' ');
    }
    text + line.trim_end() + "\n"
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
