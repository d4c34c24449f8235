//! The raw texts of objects and arrays that are spread over several names.

/// The raw, encoded texts of one parameter in a request.
#[derive(Debug)]
pub(crate) enum Raw<'r> {
    /// The values under the name of the parameter.
    Values(Vec<&'r str>),
    /// The properties of an object, or items of an array, that are spread over several names.
    Parts(Node<'r>),
}

/// The raw texts of an object's properties, by the structure of their names.
#[derive(Debug, Default)]
pub(crate) struct Node<'r> {
    pub(crate) values: Vec<&'r str>,
    pub(crate) members: Vec<(String, Node<'r>)>,
}

impl<'r> Node<'r> {
    /// The names and nodes one level below.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Node<'r>)> {
        self.members
            .iter()
            .map(|(name, node)| (name.as_str(), node))
    }

    /// Adds a value at the end of a path of names.
    pub(crate) fn insert(&mut self, path: &[&str], value: &'r str) {
        let Some((name, rest)) = path.split_first() else {
            self.values.push(value);
            return;
        };
        // Each empty name, as in `name[]`, is another item.
        let position = if name.is_empty() {
            None
        } else {
            self.members.iter().position(|(known, _)| known == name)
        };
        let position = position.unwrap_or_else(|| {
            self.members.push(((*name).to_owned(), Node::default()));
            self.members.len() - 1
        });
        self.members[position].1.insert(rest, value);
    }
}
