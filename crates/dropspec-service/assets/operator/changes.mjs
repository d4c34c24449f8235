// Who changed which key, when, from what to what.
import { h } from "./preact.mjs";
import { Search, Table, Time, cell, plural } from "./parts.mjs";

// So many changes are asked for at first, and each time more.
export const FIRST_CHANGES = 100;

const text = (change) => [change.key, change.key_name, change.change, change.old, change.new, change.author].join(" ").toLowerCase();

// `ofAll` is whether the changes are those of several keys. `last` is how many were asked for.
export function Changes({ data, ofAll, last, find, onFind, onMore, onKey }) {
  if (!data) return h("p", { class: "soft" }, "Loading…");
  if (data.error) return h("p", { class: "soft" }, data.error);
  const found = data.filter((change) => text(change).includes(find.toLowerCase()));
  // A key is created and revoked once, from nothing.
  const isOnce = (it) => ["created", "revoked"].includes(it.change);
  const value = (text, it) => text ?? h("span", { class: "soft" }, isOnce(it) ? "" : "none");
  const rows = found.map((it, index) => ({ key: `${data.length - index} ${it.time}`, cells: [
    cell(h(Time, { at: it.time })), ...(ofAll ? [cell(h("button", { class: "link", onClick: () => onKey(it.key) }, `${it.key} ${it.key_name}`))] : []),
    cell(it.change), cell(value(it.old, it)), cell(value(it.new, it)), cell(it.author),
  ] }));
  const heads = ["time", ...(ofAll ? ["key"] : []), "change", "from", "to", "by"];
  const label = ofAll ? "Changes of all keys" : "Changes of the key";
  return [
    ofAll && h("div", { class: "row tools" }, h(Search, { label: "Find in changes", value: find, onInput: onFind }), h("span", { class: "soft" }, `${found.length} of the last ${plural(data.length, "change")}`)),
    h("div", { class: "list", tabIndex: 0, role: "region", "aria-label": label },
      h(Table, { label, kind: "stacks", heads, rows, none: data.length ? "No change fits." : "No change is stored." })),
    data.length >= last && h("p", null, h("button", { type: "button", onClick: onMore }, "Show older changes")),
  ];
}
