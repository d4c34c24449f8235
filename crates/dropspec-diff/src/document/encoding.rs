//! Compares `encoding` by what it says of each property of a form or of a multipart body.

use std::collections::BTreeSet;

use dropspec_schema::media_type::{BodyKind, covers, essence};

use crate::rules::{Role, rule};
use crate::schema::Schemas;
use crate::session::Session;
use crate::tree::{Id, Pair};

/// What a change of an encoding does; of several, the greatest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    None,
    /// The property is new.
    New,
    /// What was sent before is still sent as before, or is still accepted.
    Wider,
    Break,
}

/// How a property is written, with the defaults.
#[derive(PartialEq)]
struct Encoding {
    /// Media types and ranges; `None` where the values inside decide.
    media_types: Option<BTreeSet<String>>,
    /// `style`, `explode` and `allowReserved`; `None` where the media type decides.
    style: Option<(String, bool, bool)>,
}

/// Compares the encodings of the media type `name`.
pub(super) fn compare(session: &mut Session<'_>, pair: Pair, name: &str, role: Role) {
    let essence = essence(name);
    let (old, new) = session.both(pair, |tree, id| -> BTreeSet<&str> {
        tree.members_of(id, "encoding")
            .map(|(name, _)| name)
            .collect()
    });
    let mut worst = None;
    for property in &old | &new {
        let nodes = session.both(pair, |tree, id| {
            tree.get(tree.get(id, "encoding")?, property)
        });
        if session.elements_differ(nodes.0, nodes.1) {
            worst = worst.max(Some(compare_one(
                session,
                pair,
                nodes,
                (property, &essence),
                role,
            )));
        }
    }
    let rule = if role.is_request() {
        rule!("request-body-encoding-changed")
    } else {
        rule!("response-body-encoding-changed")
    };
    let edit = session.keyword_edit(pair, &["encoding"]);
    let message = format!("the encoding of `{name}` changed");
    match worst {
        None => {}
        Some(Effect::None) => {
            session.report(rule!("keyword-without-effect-changed"), edit, message);
        }
        Some(Effect::New) => session.report(rule!("new-property-encoding-added"), edit, message),
        Some(Effect::Wider) => session.report_harmless(rule, edit, message),
        Some(Effect::Break) => session.report(rule, edit, message),
    }
}

/// The effect of a change of the encoding of one property.
fn compare_one(
    session: &mut Session<'_>,
    pair: Pair,
    nodes: (Option<Id>, Option<Id>),
    (property, essence): (&str, &str),
    role: Role,
) -> Effect {
    let is_multipart = essence.starts_with("multipart/");
    if !is_multipart && BodyKind::of(essence) != BodyKind::Form {
        return Effect::None;
    }
    let schema = session.base.tree.get(pair.0, "schema");
    let schema = schema.map(|it| session.base.set_at(it));
    let schema = schema.map(|it| session.base.get(it));
    if schema.is_some_and(|it| !it.properties.contains_key(property)) {
        return Effect::New;
    }
    let headers = (
        nodes.0.and_then(|id| session.base.tree.get(id, "headers")),
        nodes
            .1
            .and_then(|id| session.revision.tree.get(id, "headers")),
    );
    if is_multipart && session.elements_differ(headers.0, headers.1) {
        return Effect::Break;
    }
    let old = Encoding::read(&mut session.base, pair.0, nodes.0, (property, essence));
    let new = Encoding::read(&mut session.revision, pair.1, nodes.1, (property, essence));
    if old == new {
        return Effect::None;
    }
    let (sent, accepted) = if role.is_request() {
        (&old, &new)
    } else {
        (&new, &old)
    };
    let is_within = match (&sent.media_types, &accepted.media_types) {
        (Some(sent), Some(accepted)) => {
            let is_accepted = |it: &String| accepted.iter().any(|range| covers(range, it));
            sent.iter().all(is_accepted)
        }
        (sent, accepted) => sent == accepted,
    };
    if is_within && old.style == new.style {
        Effect::Wider
    } else {
        Effect::Break
    }
}

impl Encoding {
    /// Reads the encoding of a property, with the defaults of its media type.
    fn read(
        schemas: &mut Schemas<'_>,
        holder: Id,
        node: Option<Id>,
        (property, essence): (&str, &str),
    ) -> Encoding {
        let schema = schemas.tree.get(holder, "schema");
        let schema = schema.map(|it| schemas.set_at(it));
        let schema = schema.and_then(|it| schemas.get(it).properties.get(property).copied());
        let schema = schema.map(|it| schemas.get(it)).unwrap_or_default();
        let tree = &schemas.tree;
        let may_be = |name: &str| schema.allows_type(name);
        let is_scalar = !may_be("object") && !may_be("array");
        let is_newer = tree.document().uses_json_schema();
        let is_styled = match BodyKind::of(essence) {
            BodyKind::Form => true,
            BodyKind::Multipart => is_newer,
            _ => false,
        };
        let own = |key: &str| tree.get(node?, key).filter(|_| is_styled);
        let is_written = ["style", "explode", "allowReserved"]
            .iter()
            .any(|key| own(key).is_some());
        let style = own("style").and_then(|id| tree.node(id).as_str());
        let style = style.unwrap_or("form");
        let flag = |key: &str| own(key).and_then(|id| tree.node(id).as_bool());
        // A scalar has no parts that could be apart.
        let explode = is_scalar || flag("explode").unwrap_or(style == "form");
        let reserved = flag("allowReserved").unwrap_or_default();
        // An object is JSON by default, and not by the default style.
        let style = (is_styled && (is_written || !may_be("object")))
            .then(|| (style.to_owned(), explode, reserved));
        let named = node.and_then(|node| tree.text(node, "contentType"));
        // In 3.1, a style takes the place of a media type.
        let named = named.filter(|_| !(is_newer && is_written));
        let named = named.map(|names| names.split(',').map(self::essence).collect());
        let is_binary = schema.formats.contains("binary");
        let default = || match is_scalar && schema.types.is_some() {
            true if is_binary => Some("application/octet-stream"),
            true => Some("text/plain"),
            false if schema.types == Some(["object"].into()) => Some("application/json"),
            false => None,
        };
        Encoding {
            media_types: named.or_else(|| default().map(|it| [it.to_owned()].into())),
            style,
        }
    }
}
